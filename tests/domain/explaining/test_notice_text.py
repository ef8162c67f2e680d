"""The text of a notice is a sentence, for every actor."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from inbox.domain.explaining.notice_text import of_reason
from inbox.domain.explaining.recipient_text import TextContext
from inbox.domain.incidents.state_machine import Reason

SCENE = TextContext(datetime(2026, 11, 21, 9, 0, tzinfo=UTC), "ERROR", ZoneInfo("Europe/Berlin"))
MIA = {"type": "user", "id": "usr_1", "name": "Mia"}
CLOCK = {"type": "timer", "id": "", "name": "Clock"}
SENDER = {"type": "event", "id": "evt_1", "name": "Backups"}
WORSE = {"kind": "severity", "from": "WARNING", "to": "CRITICAL"}


@pytest.mark.parametrize(
    ("reason", "data", "words"),
    [
        ("opened", {}, "Incident opened."),
        ("reoccurred", {}, "Incident repeated after a quiet period."),
        ("escalated", {"escalation": WORSE}, "The severity rose from WARNING to CRITICAL."),
        ("escalated", {"escalation": {"kind": "step", "from": 1, "to": 2}}, "Step 2 of the routing profile was due."),
        ("reopened", {}, "Incident reopened."),
        ("reopened", {"by": MIA}, "Mia reopened it."),
        ("resolved", {"resolvedBy": SENDER}, "Incident resolved."),
        ("resolved", {"resolvedBy": MIA}, "Mia resolved it."),
        (
            "resolved",
            {"resolvedBy": CLOCK},
            "The incident was resolved automatically: no event arrived within the time limit.",
        ),
        (
            "resolved",
            {"resolvedBy": {"type": "system", "id": "", "name": "Source deleted"}},
            "The incident was resolved because its source was deleted.",
        ),
        ("renotify", {}, "Reminder: the incident was still open."),
        ("renotify", {"by": CLOCK}, "The acknowledgement expired, and the incident is open again."),
        ("renotify", {"by": MIA}, "Mia unacknowledged it."),
        ("flapping", {}, "Flapping: 5 changes in 30 minutes, or 6 in 3 hours."),
        (
            "silence_expired",
            {"by": {"type": "silence", "name": "Upgrade"}},
            'Silence "Upgrade" no longer covered the incident.',
        ),
        ("silence_expired", {}, "No silence covered the incident any longer."),
        ("snooze_expired", {}, "The snooze ended."),
        ("acknowledged", {"by": MIA}, "Mia acknowledged it."),
        (
            "snoozed",
            {"by": MIA, "snoozedUntil": "2026-11-21T10:30:00.000Z"},
            "Mia snoozed it until 11:30 Europe/Berlin.",
        ),
        ("updated", {"by": MIA}, "Mia edited it."),
        ("updated", {"by": MIA, "text": "Mia added a note."}, "Mia added a note."),
        (
            "reopened",
            {"by": MIA, "undone": True, "text": "Mia undid the resolution."},
            "Mia undid the resolution.",
        ),
        ("renotify", {"flappingEnded": True, "state": "open"}, "Flapping ended; the incident was open."),
        ("fallback", {}, ""),
    ],
)
def test_the_text_of_a_notice_names_the_act_and_the_actor(reason: str, data: dict[str, Any], words: str) -> None:
    assert of_reason(Reason(reason), data, SCENE) == words
