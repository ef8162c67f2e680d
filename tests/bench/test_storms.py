"""The measurement of storms with 300 incidents at three paces: few messages, and the severe one first."""

from __future__ import annotations

from bench import storms
from tests.cast import Cast

KINDS = ("email", "mattermost", "telegram")
MOST_MESSAGES = 60
"""Fits the slowest kind, which takes a message every three seconds."""


def test_three_hundred_incidents_in_ten_minutes(cast: Cast) -> None:
    found = storms.simulated(cast.workspace.id, 300, KINDS, step=3.0)

    assert [storm.kind for storm in found] == list(KINDS)
    for storm in found:
        assert storm.critical_at is not None, storm.kind
        assert storm.critical_at - storms.CRITICAL_AT <= storms.LIMIT_CRITICAL_SECONDS, storm.kind
        assert storm.told == 300, (storm.kind, storm.told)
    slowest = next(storm for storm in found if storm.kind == "telegram")
    assert len(slowest.messages) < MOST_MESSAGES
