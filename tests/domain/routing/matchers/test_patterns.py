"""Every pattern has bounded steps and memory, and writes nothing to the log."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
import re2
from hypothesis import given
from hypothesis import strategies as st

from inbox.domain.routing import matchers
from inbox.domain.routing.matchers import patterns
from tests.domain.routing.matchers.hostile_patterns import REFUSED, SEARCHED
from tests.domain.routing.matchers.matching import Seen, clause

GENEROUS = 20
"""Seconds for the whole table on a busy machine; an engine that backtracks would need years for one row."""


@pytest.fixture(scope="module")
def table() -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tests.domain.routing.matchers.hostile_patterns"],
        capture_output=True,
        text=True,
        timeout=GENEROUS,
        check=True,
    )


def test_every_hostile_pattern_is_refused_at_once_or_searched_to_the_end(
    table: subprocess.CompletedProcess[str],
) -> None:
    verdicts = json.loads(table.stdout)
    assert [pattern for pattern in SEARCHED if not verdicts[pattern].startswith("found in ")] == []
    assert {pattern: stated for pattern, stated in REFUSED.items() if stated not in verdicts[pattern]} == {}


def test_patterns_write_nothing_to_the_log(table: subprocess.CompletedProcess[str]) -> None:
    assert table.stderr == ""


def test_the_fault_of_a_pattern_quotes_only_its_beginning() -> None:
    (fault,) = matchers.check(clause("title", "matches", "(" * 512))
    assert "missing ): (((" in fault.detail
    assert len(fault.detail) < 250


@pytest.mark.parametrize(
    ("name", "sizes", "sound"),
    [
        ("title", [1_000, 999], True),
        ("title", [1_000, 1_000], True),
        ("title", [1_000, 1_001], False),
        ("body", [249], True),
        ("body", [250], True),
        ("body", [251], False),
        ("metadata.log", [150, 100], True),
        ("metadata.log", [150, 101], False),
    ],
)
def test_the_patterns_of_a_match_are_bounded_together(name: str, sizes: list[int], sound: bool) -> None:
    made = [of_size(size) for size in sizes]
    assert [patterns.size(pattern) for pattern in made] == sizes
    faults = matchers.check({"any": [{"not": clause(name, "matches", pattern)} for pattern in made]})
    assert [fault.pointer for fault in faults] == ([] if sound else [""])
    assert all("must be simpler" in fault.detail for fault in faults)


def test_patterns_of_long_and_of_short_fields_have_separate_limits() -> None:
    long = [clause("body", "matches", of_size(150)), clause("metadata.log", "matches", of_size(101))]
    assert matchers.check({"all": long}) != []
    assert matchers.check({"all": [long[0], clause("title", "matches", of_size(1_000))]}) == []


def of_size(size: int) -> str:
    """A pattern of so many instructions: four are around it."""
    return f"x{{{size - 4}}}"


@pytest.mark.parametrize("first", ["(", "[a-z]{900}.{900}", r"\pL" * 100])
def test_no_pattern_is_compiled_after_the_first_fault(first: str) -> None:
    compiled: list[str] = []
    many = [clause("title", "matches", first), *(clause("title", "matches", f"{n}.{{9}}") for n in range(49))]

    (fault,) = matchers.check({"all": many}, lambda: compiled.append("pattern"))

    assert fault.pointer in ("", "/all/0/value")
    assert len(compiled) == 1


def test_no_pattern_is_compiled_after_the_limit_is_exceeded() -> None:
    compiled: list[str] = []
    many = [clause("title", "matches", of_size(700)) for _ in range(50)]

    (fault,) = matchers.check({"any": many}, lambda: compiled.append("pattern"))

    assert "come to more than 2,000 steps" in fault.detail
    assert len(compiled) == 3


def test_no_pattern_of_a_match_that_is_too_large_is_compiled() -> None:
    compiled: list[str] = []
    long = [clause("title", "in", [f"{n}" + "x" * 1_000 for n in range(70)]), clause("title", "matches", "x.y")]

    assert len(matchers.check({"all": long}, lambda: compiled.append("pattern"))) == 1
    assert compiled == []


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("disk full", 0),
        (r"a+b*c?", 0),
        (r"\d{1,3}", 3),
        (r"\d{2,}", 2),
        ("x{0}", 1),
        (r"(?:\d{1,3}\.){3}", 9),
        (r"(?:(?:a{10}){10}){10}", 1_000),
        (r"\pL", 10),
        (r"\p{Greek}{3}", 30),
        (r"[\pL\pN_]{2}", 40),
        (r"(?:\pL{0}){50}", 500),
        (r"\x{2028}\x{1000}", 0),
        (r"\{1000}", 0),
        (r"[{1000}]", 0),
        (r"[\]{1000}]", 0),
        ("x{99999999}", 1),
        (")(", 0),
    ],
)
def test_the_weight_of_a_pattern_counts_repetitions_and_classes_of_unicode(pattern: str, expected: int) -> None:
    assert patterns.weight(pattern) == expected


@pytest.mark.parametrize(
    "pattern",
    [*SEARCHED, r"^\d{1,3}(?:\.\d{1,3}){3}$", r"(?i)disk\s+(full|\d{2}%)", r"[[:alpha:]]{2,8}-\d{4}", r"\p{Greek}+",
     r"\x{2028}|\x{1F600}", r"^(?:web|db)-\d+\.(?:eu|us)\.example\.com$", r"[\p{Zs}_]{1,4}"],
)  # fmt: skip
def test_the_size_of_a_usual_pattern_is_its_number_of_instructions(pattern: str) -> None:
    options = re2.Options()
    options.never_capture = True
    assert patterns.size(pattern) == re2.compile(pattern, options=options).programsize


@pytest.mark.parametrize("pattern", [r"(?:\pL{0}){201}", "(?:(?:(?:a{10}){10}){10}){0}" * 3, ".{1,900}" * 60])
def test_a_pattern_that_takes_long_to_compile_is_refused_without_compilation(pattern: str) -> None:
    assert patterns.size(pattern) == patterns.weight(pattern) > patterns.SIZE_LIMIT
    with pytest.raises(patterns.BadPattern):
        patterns.search_test(pattern)


def test_a_pattern_sees_the_text_as_it_stands() -> None:
    def found(pattern: str, **seen: Any) -> bool:
        return matchers.compile_match(clause("title", "matches", pattern))(Seen(**seen))

    assert found("Disk", title="Disk full")
    assert not found("disk", title="Disk full")
    assert found("(?i)disk", title="Disk full")
    assert found("^Disk full$", title="Disk full")
    assert not found("^full", title="Disk\nfull")
    assert found("^straße:über", title="straße:über 9")
    assert found("é.日", title="xé\u00fc日")
    assert found(r"\x{1F600}$", title="ok 😀")


literals = st.from_regex(r"\^?[\w :/@-]{1,6}", fullmatch=True)


@given(literals, st.text("aA b:é/-@0", max_size=12))
def test_a_literal_pattern_is_found_as_the_engine_finds_it(pattern: str, text: str) -> None:
    for searched in (text, text + pattern, pattern.removeprefix("^") + text):
        expected = re2.search(pattern, searched) is not None
        assert patterns.search_test(pattern)(searched) is expected


def test_a_pattern_reads_a_text_with_half_a_character() -> None:
    assert patterns.search_test("a.b$")("a\ud800b")


def test_no_pattern_matches_a_missing_value() -> None:
    for pattern in ("x", "^x", "x*", "^$"):
        assert patterns.search_test(pattern)(None) is False
