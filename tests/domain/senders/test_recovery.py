"""Recoveries in long messages (specification 19.3)."""

from __future__ import annotations

import pytest

from inbox.domain.senders import recovery
from inbox.domain.senders.recovery import SEARCHED_FIRST, SEARCHED_LAST, Reading

PATTERN = r"Backup (?P<key>\w+) (?:(?P<recovery>succeeded)|failed)"
LINE = "Backup nas1 succeeded"
FOUND = Reading(recovers=True, key="nas1")


def read(text: str, pattern: str = PATTERN) -> Reading | None:
    return recovery.read(text, pattern=pattern)


@pytest.mark.parametrize("beyond", [-1, 0])
def test_a_message_is_searched_up_to_a_length(beyond: int) -> None:
    before = "x" * (SEARCHED_FIRST - 5)
    after = "x" * (SEARCHED_LAST - len(LINE) + 5 + beyond)

    assert read(before + LINE + after) == FOUND


def test_the_middle_of_a_longer_message_is_not_searched() -> None:
    before = "x" * (SEARCHED_FIRST - 5)
    after = "x" * (SEARCHED_LAST - len(LINE) + 6)

    assert read(before + LINE + after) is None


@pytest.mark.parametrize("count", [10_000, 2_000_000])
def test_a_recovery_at_the_beginning_or_at_the_end_of_a_log_is_found(count: int) -> None:
    log = "copied a file\n" * (count // 14)

    assert read(f"{LINE}\n{log}") == read(f"{log}{LINE}") == FOUND
    assert read(f"{LINE}\n{log}", f"^{PATTERN}") == read(f"{log}{LINE}", f"{PATTERN}$") == FOUND


def test_two_parts_of_a_message_are_two_lines() -> None:
    text = "x" * (SEARCHED_FIRST - 6) + "Backup" + "y" * 100 + " nas1 succeeded" + "x" * (SEARCHED_LAST - 15)

    assert read(text) is None
