"""No pattern, however made, takes more than a bounded number of steps, or memory, or says a word to the log."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
import re2
from hypothesis import given
from hypothesis import strategies as st

from inbox.domain import matchers
from inbox.domain.matchers import patterns
from tests.domain.matchers.hostile_patterns import REFUSED, SEARCHED
from tests.domain.matchers.matching import Seen, clause

GENEROUS = 20
"""Seconds for the whole table on a busy machine; an engine that backtracks would need years for one row."""


@pytest.fixture(scope="module")
def table() -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tests.domain.matchers.hostile_patterns"],
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


def test_nothing_is_written_to_the_log(table: subprocess.CompletedProcess[str]) -> None:
    assert table.stderr == ""


def test_what_is_said_to_a_pattern_does_not_repeat_all_of_it() -> None:
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


def test_patterns_of_body_and_metadata_count_together_and_those_of_short_texts_apart() -> None:
    long = [clause("body", "matches", of_size(150)), clause("metadata.log", "matches", of_size(101))]
    assert matchers.check({"all": long}) != []
    assert matchers.check({"all": [long[0], clause("title", "matches", of_size(1_000))]}) == []


def of_size(size: int) -> str:
    """A pattern of so many instructions: four are around it."""
    return f"x{{{size - 4}}}"


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
def test_what_means_itself_is_found_as_the_engine_finds_it(pattern: str, text: str) -> None:
    for searched in (text, text + pattern, pattern.removeprefix("^") + text):
        expected = re2.search(pattern, searched) is not None
        assert patterns.search_test(pattern)(searched) is expected


def test_half_a_character_breaks_nothing() -> None:
    assert patterns.search_test("a.b$")("a\ud800b")


def test_nothing_is_found_in_nothing() -> None:
    for pattern in ("x", "^x", "x*", "^$"):
        assert patterns.search_test(pattern)(None) is False
