"""The notice of a handoff: who is on call now and next (specification 23.16)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from inbox.domain.deliveries.notices import body_bytes
from inbox.domain.explaining import notice_content
from inbox.domain.explaining.on_call_text import LATE, ShiftChange, body

NOW = datetime(2026, 10, 26, 8, tzinfo=UTC)
CHANGE = ShiftChange(
    "Backend", "Acme", "https://inbox.example.org/w/acme/on-call/sch_1", ZoneInfo("Europe/Berlin"), NOW, ["Olga"], ["Mia"],
    NOW + timedelta(days=7), ["Adam", "Olga"],
)  # fmt: skip


def texts(change: ShiftChange, now: datetime = NOW) -> tuple[str, str]:
    data = body(change, now)["data"]
    return data["title"], data["text"]


def test_a_handoff_names_who_is_on_call_now_and_next() -> None:
    assert texts(CHANGE) == (
        "On call for Backend: Mia",
        "Mia is on call until Mon 02 November 09:00 (Europe/Berlin). Before: Olga. Next: Adam and Olga.",
    )


def test_several_people_are_listed() -> None:
    title, text = texts(replace(CHANGE, present=["Adam", "Mia", "Olga"], before=[], until=None, following=[]))

    assert title == "On call for Backend: Adam, Mia and Olga"
    assert text == "Adam, Mia and Olga are on call."


def test_nobody_on_call_is_a_warning() -> None:
    nobody = replace(CHANGE, present=[], following=[])

    assert texts(nobody) == (
        "Nobody is on call for Backend",
        "Nobody is on call until Mon 02 November 09:00 (Europe/Berlin). Before: Olga. Next: nobody.",
    )
    assert body(nobody, NOW)["data"]["severity"] == "WARNING"
    assert body(CHANGE, NOW)["data"]["severity"] == "INFO"


@pytest.mark.parametrize(("late", "is_said"), [(LATE, False), (LATE + timedelta(seconds=1), True)])
def test_a_late_notice_says_when_the_handoff_was(late: timedelta, is_said: bool) -> None:
    assert ("since Mon 26 October 09:00 (Europe/Berlin)" in texts(CHANGE, NOW + late)[1]) == is_said


def test_kinds_of_destinations_find_their_parts() -> None:
    content = notice_content.of_body(body_bytes(body(CHANGE, NOW)))

    assert (content.reason, content.status, content.title) == ("on_call", "ON CALL", "On call for Backend: Mia")
    assert content.sentence.startswith("Mia is on call until")
    assert (content.url, content.incident_id, content.is_quiet) == (CHANGE.url, "", False)
