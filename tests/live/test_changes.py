"""Reading recent `changes`: complete whatever the order of commits."""

from __future__ import annotations

from datetime import timedelta

from inbox.live.feed import BEGIN_SECONDS, OVERLAP_SECONDS, Change
from tests.cast import present

REFS = [{"type": "resync", "to": "wsp_1"}]


def aged(seconds: float) -> int:
    return int(Change.insert(refs=REFS, at=present() - timedelta(seconds=seconds)).execute())


def test_an_empty_table_has_nothing_recent(ground):
    assert Change.recent() == []


def test_recent_changes_are_the_look_back_and_the_newest_row_before_it(ground):
    aged(OVERLAP_SECONDS + 40)
    before = aged(OVERLAP_SECONDS + 20)
    within, now = aged(OVERLAP_SECONDS - 10), aged(0)

    assert Change.recent() == [before, within, now]


def test_a_new_process_reads_the_last_minute_and_the_newest_row_before_it(ground):
    assert Change.at_the_beginning() == [0]
    recent = [aged(BEGIN_SECONDS - 20), aged(0)]
    assert Change.at_the_beginning() == [0, *recent]

    before = aged(BEGIN_SECONDS + 20)
    now = aged(0)
    assert Change.at_the_beginning() == [before, now]


def test_the_references_of_rows_come_in_their_order(ground):
    first, second = aged(1), aged(0)

    assert Change.references([second, first]) == [(first, REFS), (second, REFS)]
