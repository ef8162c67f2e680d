"""The health of a destination in one sentence, for every state."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from inbox.domain.deliveries.delivery import FailureReason
from inbox.domain.explaining.destination_text import SHORTEST_PAUSE, Failing, LastOutcome, Obstacle, health

AT = datetime(2026, 11, 21, 9, tzinfo=UTC)
NONE, SENT = LastOutcome("none", None, None), LastOutcome("sent", AT, None)


def reported(**more: Any) -> tuple[str, str, datetime | None]:
    requested = {"rejections": 0, "last": NONE, "now": AT, **more}
    obstacle = Obstacle(**{name: requested.pop(name) for name in Obstacle._fields if name in requested})
    found = health(obstacle, **requested)
    return str(found.state), found.text, found.since


@pytest.mark.parametrize(
    ("more", "state", "text", "since"),
    [
        ({}, "never_used", "Nothing was sent yet.", None),
        ({"last": SENT}, "working", "The last delivery was accepted.", AT),
        ({"last": SENT, "enabled": False}, "disabled", "Disabled: nothing is sent.", None),
        (
            {"last": SENT, "stopped_at": AT, "stopped_reason": "http_410"},
            "stopped",
            "Stopped: endpoint returned 410. Fix or test the destination to resume.",
            AT,
        ),
        (
            {"last": SENT, "next_call_at": AT + SHORTEST_PAUSE},
            "rate_limited",
            "The service limits calls. Messages wait until 2026-11-21T09:01:00Z.",
            None,
        ),
        (
            {"last": SENT, "next_call_at": AT + SHORTEST_PAUSE - timedelta(milliseconds=1)},
            "working",
            "The last delivery was accepted.",
            AT,
        ),
        (
            {"last": SENT, "failing": Failing(AT, 7, 6)},
            "retrying",
            "Retrying: 7 failed attempts since 2026-11-21T09:00:00Z; 6 notifications are waiting.",
            AT,
        ),
        (
            {"failing": Failing(AT, 1, 1)},
            "retrying",
            "Retrying: 1 failed attempt since 2026-11-21T09:00:00Z; 1 notification is waiting.",
            AT,
        ),
        ({"failing": Failing(AT, 7, 6), "enabled": False}, "disabled", "Disabled: nothing is sent.", None),
        ({"next_call_at": AT - timedelta(hours=1)}, "never_used", "Nothing was sent yet.", None),
        (
            {"last": LastOutcome("failed", AT, "http_422"), "rejections": 2},
            "failing",
            "The last delivery failed: endpoint returned 422. Rejections in a row: 2 of 5.",
            AT,
        ),
        (
            {"last": LastOutcome("failed", AT, "timeout")},
            "failing",
            "The last delivery failed: no complete response in time.",
            AT,
        ),
    ],
)
def test_each_state_has_a_sentence(more: dict[str, Any], state: str, text: str, since: datetime | None) -> None:
    assert reported(**more) == (state, text, since)


@pytest.mark.parametrize("reason", list(FailureReason))
def test_every_failure_has_a_distinct_text(reason: FailureReason) -> None:
    _, text, _ = reported(last=LastOutcome("failed", AT, str(reason)))

    assert "endpoint returned" not in text
