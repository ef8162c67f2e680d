"""What a notice had to tell is a sentence, whoever or whatever was behind it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from inbox.domain.explanation.news import of_reason
from inbox.domain.explanation.telling import Scene
from inbox.domain.moves import Reason

SCENE = Scene(datetime(2026, 11, 21, 9, 0, tzinfo=UTC), "ERROR", ZoneInfo("Europe/Berlin"))
MIA = {"type": "user", "id": "usr_1", "name": "Mia"}
CLOCK = {"type": "timer", "id": "", "name": "Clock"}
SENDER = {"type": "event", "id": "evt_1", "name": "Backups"}
WORSE = {"kind": "severity", "from": "WARNING", "to": "CRITICAL"}


@pytest.mark.parametrize(
    ("reason", "data", "words"),
    [
        ("opened", {}, "It opened."),
        ("reoccurred", {}, "It happened again after a quiet while."),
        ("escalated", {"escalation": WORSE}, "It got worse: WARNING became CRITICAL."),
        ("escalated", {"escalation": {"kind": "step", "from": 1, "to": 2}}, "Step 2 was due."),
        ("reopened", {}, "It opened again."),
        ("reopened", {"by": MIA}, "Mia reopened it."),
        ("resolved", {"resolvedBy": SENDER}, "It was resolved."),
        ("resolved", {"resolvedBy": MIA}, "Mia resolved it."),
        ("resolved", {"resolvedBy": CLOCK}, "No event came for so long that it was resolved by itself."),
        (
            "resolved",
            {"resolvedBy": {"type": "system", "id": "", "name": "Source deleted"}},
            "Its source was deleted, so it was resolved.",
        ),
        ("renotify", {}, "It was still open."),
        ("renotify", {"by": CLOCK}, "Its acknowledgement lapsed, and it is open again."),
        ("renotify", {"by": MIA}, "Mia gave it back."),
        ("flapping", {}, "It kept opening and resolving."),
        ("silence_expired", {"by": {"type": "silence", "name": "Upgrade"}}, 'Silence "Upgrade" covered it no longer.'),
        ("silence_expired", {}, "No silence covered it any more."),
        ("snooze_expired", {}, "The snooze was over."),
        ("acknowledged", {"by": MIA}, "Mia took it."),
        (
            "snoozed",
            {"by": MIA, "snoozedUntil": "2026-11-21T10:30:00.000Z"},
            "Mia put it off until 11:30 Europe/Berlin.",
        ),
        ("updated", {"by": MIA}, "Mia changed it."),
        ("fallback", {}, ""),
    ],
)
def test_it_says_what_had_happened_and_by_whom(reason: str, data: dict[str, Any], words: str) -> None:
    assert of_reason(Reason(reason), data, SCENE) == words
