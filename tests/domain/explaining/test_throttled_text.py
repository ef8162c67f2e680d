"""The text of throttled repeats: their number, and the time of the next notification."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from inbox.domain.explaining.throttled_text import MAX_COUNTED, ThrottledRepeats

NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
GIVEN: dict[str, Any] = {"since": NOW - 10 * MINUTE, "pause": 15 * MINUTE, "notifies_from": NOW + 14 * MINUTE}


@pytest.mark.parametrize(
    ("events", "words"),
    [
        (1, "1 repeat since the last notification (2026-11-21T08:50:00Z)."),
        (2, "2 repeats since the last notification (2026-11-21T08:50:00Z)."),
        (MAX_COUNTED, "1000 repeats since"),
        (MAX_COUNTED + 1, "More than 1,000 repeats since"),
    ],
)
def test_the_throttled_text_states_the_number_of_repeats(events: int, words: str) -> None:
    assert ThrottledRepeats(events, **GIVEN).sentence(NOW).startswith(words)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({}, "A repeat notifies again after 15 minutes without one: from 2026-11-21T09:14:00Z on."),
        ({"notifies_from": NOW - MINUTE}, "without one: from 2026-11-21T09:00:00Z on."),
        (
            {"next_at": NOW + 20 * MINUTE},
            "12 repeats since the last notification (2026-11-21T08:50:00Z). Next reminder: 2026-11-21T09:20:00Z.",
        ),
    ],
)
def test_the_throttled_text_states_when_the_next_notification_is_due(more: dict[str, Any], words: str) -> None:
    assert ThrottledRepeats(**{"events": 12, **GIVEN, **more}).sentence(NOW).endswith(words)
