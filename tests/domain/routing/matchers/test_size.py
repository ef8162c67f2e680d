"""A match is limited in both of its forms, and both forms accept the same matches."""

from __future__ import annotations

import json
from typing import Any

import pytest

from inbox.domain.routing import matchers
from inbox.domain.routing.matchers import BYTES_LIMIT, TEXT_LIMIT
from tests.domain.routing.matchers.matching import Seen, clause


def of_bytes(size: int, letter: str = "a", *, field: str = "title") -> Any:
    """A match whose JSON has exactly this number of bytes, of values of this letter."""
    tree: Any = {"all": []}
    each = len(letter.encode())
    while True:
        tree["all"].append(clause(field, "notIn", []))
        values = tree["all"][-1]["value"]
        while len(values) < 100:
            room = size - json_bytes(tree) - (3 if values else 2)
            if room < 1 + each:
                return _padded(tree, size)
            count = min(1_000, room // each)
            values.append(letter * count)


def _padded(tree: Any, size: int) -> Any:
    """The tree with letters of one byte added to its values."""
    for part in tree["all"]:
        for index, value in enumerate(part["value"]):
            missing = size - json_bytes(tree)
            part["value"][index] = value + "x" * min(missing, 1_024 - len(value))
    if not tree["all"][-1]["value"]:
        raise AssertionError("another letter is needed")
    assert json_bytes(tree) == size
    return tree


def json_bytes(tree: Any) -> int:
    return len(json.dumps(tree, ensure_ascii=False, separators=(",", ":")).encode())


@pytest.mark.parametrize("size", [BYTES_LIMIT - 1, BYTES_LIMIT])
@pytest.mark.parametrize("letter", ["a", "é", "😀"])
def test_a_match_up_to_the_limit_is_accepted_in_both_forms(size: int, letter: str) -> None:
    tree = of_bytes(size, letter)

    assert matchers.check(tree) == []
    assert matchers.from_text(matchers.to_text(tree)) == tree


def test_a_larger_match_is_refused_in_both_forms() -> None:
    tree = of_bytes(BYTES_LIMIT + 1)

    (fault,) = matchers.check(tree)
    with pytest.raises(matchers.BadMatch) as refused:
        matchers.from_text(matchers.to_text(tree))

    assert (fault.pointer, fault.detail) == ("", "must have at most 65,536 bytes as JSON, not 65,537")
    assert refused.value.faults[0].detail == f"at character 1: {fault.detail}"


def test_the_size_equals_the_size_of_the_canonical_match() -> None:
    short = {"all": [of_bytes(BYTES_LIMIT - 300)["all"], clause("severity", "in", ["fatal"])]}
    tree = {"all": [*short["all"][0], short["all"][1]]}
    aliases = [*["crit"] * 99, "fatal"]

    tree["all"][-1] = clause("severity", "in", aliases)

    assert json_bytes(tree) > BYTES_LIMIT
    assert json_bytes(matchers.canonical(tree)) < BYTES_LIMIT
    assert matchers.check(tree) == []


@pytest.mark.parametrize("count", [TEXT_LIMIT - 1, TEXT_LIMIT, TEXT_LIMIT + 1])
def test_a_text_is_refused_beyond_its_limit(count: int) -> None:
    text = "title exists".ljust(count)

    if count <= TEXT_LIMIT:
        assert matchers.from_text(text) == clause("title", "exists", True)
        return
    with pytest.raises(matchers.BadMatch) as refused:
        matchers.from_text(text)
    assert refused.value.faults[0].detail == "must have at most 131,072 characters"


@pytest.mark.parametrize("letter", ["\x7f", "\x01", "\u2028", "\U000e0001", '"', "\\", "\n", "é", "😀"])
def test_the_text_of_an_accepted_match_is_accepted(letter: str) -> None:
    trees = [of_values(letter, count) for count in range(1_000, 60_000, 1_000)]

    accepted = [tree for tree in trees if not matchers.check(tree)]

    assert accepted
    for tree in accepted[-3:]:
        text = matchers.to_text(tree)
        assert len(text) <= TEXT_LIMIT
        assert matchers.from_text(text) == tree


def of_values(letter: str, count: int) -> Any:
    values = [letter * 1_000] * (count // 1_000)
    return {"all": [clause("title", "in", values[first : first + 100]) for first in range(0, len(values), 100)]}


def test_control_characters_that_make_the_text_too_long_are_refused() -> None:
    tree = of_values("\x7f", 22_000)

    (fault,) = matchers.check(tree)

    assert json_bytes(tree) < BYTES_LIMIT
    assert fault.detail == "must have at most 131,072 characters as text: use fewer control characters"


def test_a_stored_match_of_an_earlier_version_may_be_larger() -> None:
    tree = of_bytes(2 * BYTES_LIMIT)

    assert matchers.check(tree) != []
    assert matchers.compile_match(tree)(Seen(title="disk"))
    assert matchers.trace(tree, Seen(title="disk")).matched


def test_the_shape_is_checked_before_the_size() -> None:
    tree = {"all": [*of_bytes(BYTES_LIMIT + 1)["all"], clause("colour", "eq", "red")]}

    (fault,) = matchers.check(tree)

    assert fault.pointer.endswith("/field")
