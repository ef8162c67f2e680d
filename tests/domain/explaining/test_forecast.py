"""The status and the forecast of an incident in sentences."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from inbox.domain.deliveries.notification_plan import TIMERS
from inbox.domain.explaining import formatting
from inbox.domain.explaining.forecast import KINDS, IncidentStatus, Upcoming, UpcomingKind, status_text
from inbox.domain.explaining.recipient_text import SilenceRef
from inbox.domain.incidents.state_machine import State

NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
BERLIN = ZoneInfo("Europe/Berlin")
SOON = NOW + timedelta(minutes=10)
MINUTE, SECOND = timedelta(minutes=1), timedelta(seconds=1)


@pytest.mark.parametrize("kind", UpcomingKind)
def test_every_kind_of_forecast_states_its_effect(kind: UpcomingKind) -> None:
    stated = Upcoming(kind, SOON).sentence

    assert stated[0].isupper() and stated.endswith(".")
    assert len({Upcoming(each, SOON).sentence for each in UpcomingKind}) == len(UpcomingKind)


def test_every_timer_of_a_plan_has_a_forecast() -> None:
    assert KINDS.keys() == TIMERS


@pytest.mark.parametrize(
    ("coming", "words"),
    [
        (Upcoming(UpcomingKind.STEP, SOON, ["Chat"], step=2), "step 2 notifies Chat, unless acknowledged."),
        (Upcoming(UpcomingKind.STEP, SOON, step=2), "step 2 notifies nobody"),
        (
            Upcoming(UpcomingKind.DELAY_ENDS, SOON, ["Chat"]),
            "first notification to Chat, if the incident is still open.",
        ),
        (
            Upcoming(UpcomingKind.DELAY_ENDS, SOON, ["Chat"], only_worse=True),
            "still open and more severe than notified before.",
        ),
        (
            Upcoming(UpcomingKind.RENOTIFY, SOON, ["Pager"], reminder_counts=(1, 6)),
            "reminder 1 of 6 to Pager, unless acknowledged.",
        ),
        (
            Upcoming(UpcomingKind.FLAPPING_ENDS, SOON, ["Pager", "Chat"], state=State.OPEN),
            "flapping ends if nothing changes; Pager and Chat are notified that the incident is open, and normal",
        ),
        (
            Upcoming(UpcomingKind.FLAPPING_ENDS, SOON, ["Pager"], state=State.RESOLVED),
            "flapping ends if nothing changes; Pager is notified that the incident is resolved, and normal",
        ),
        (
            Upcoming(UpcomingKind.FLAPPING_ENDS, SOON, ["Pager"], state=State.ACKNOWLEDGED),
            "flapping ends if nothing changes; normal notifications resume.",
        ),
        (
            Upcoming(UpcomingKind.SILENCE_ENDS, SOON, silence=SilenceRef("Upgrade", "Mia")),
            'silence "Upgrade" by Mia ends',
        ),
        (
            Upcoming(UpcomingKind.QUIET_HOURS_END, SOON, ["Pager", "Chat"]),
            "the quiet hours end; Pager and Chat are notified of the state at that time.",
        ),
    ],
)
def test_the_forecast_names_the_recipients(coming: Upcoming, words: str) -> None:
    assert words in coming.sentence[0].lower() + coming.sentence[1:]


@pytest.mark.parametrize(
    ("stand", "words"),
    [
        ({"state": State.OPEN}, "Open, not acknowledged."),
        (
            {"state": State.OPEN, "wait": 3 * MINUTE, "profile": "On call"},
            'Open; "On call" waits 3 minutes before the first notification.',
        ),
        ({"state": State.OPEN, "wait": 90 * SECOND}, "Open; its routing profile waits 90 seconds before the first"),
        (
            {"state": State.ACKNOWLEDGED, "by": "Mia"},
            "Acknowledged by Mia: repeats do not notify, a higher severity does.",
        ),
        ({"state": State.ACKNOWLEDGED}, "Acknowledged by someone: repeats do not notify, a higher severity does."),
        (
            {"state": State.SNOOZED, "until": SOON},
            "Snoozed until 2026-11-21T09:10:00Z: no notification before that, unless the severity rises.",
        ),
        (
            {"state": State.SILENCED, "silence": SilenceRef("Upgrade", "Mia")},
            'Silence "Upgrade" by Mia covers the incident: no notification until the silence ends.',
        ),
        ({"state": State.SILENCED}, "A silence covers the incident: no notification until the silence ends."),
        ({"state": State.RESOLVED}, "Resolved."),
    ],
)
def test_the_status_of_an_incident_says_whether_a_notice_follows(stand: dict[str, Any], words: str) -> None:
    assert words in status_text(IncidentStatus(**stand))


FLAPS = "Flapping: open/resolve notifications are paused until it is stable for 30 minutes."


@pytest.mark.parametrize(
    ("stand", "ending"),
    [
        (
            {"state": State.OPEN},
            f"{FLAPS} Still sent: a higher severity, escalation steps, reminders.",
        ),
        ({"state": State.OPEN, "wait": 3 * MINUTE}, f"{FLAPS} Still sent: a higher severity."),
        ({"state": State.ACKNOWLEDGED}, f"{FLAPS} Still sent: a higher severity."),
        ({"state": State.SNOOZED}, f"{FLAPS} Still sent: a higher severity."),
        (
            {"state": State.SILENCED},
            "no notification until the silence ends. Flapping: 5 changes in 30 minutes, or 6 in 3 hours.",
        ),
        ({"state": State.RESOLVED}, f"Resolved. {FLAPS} A notification is sent then, if the incident stays resolved."),
    ],
)
def test_the_status_of_a_flapping_incident_says_which_notices_are_still_sent(
    stand: dict[str, Any], ending: str
) -> None:
    assert status_text(IncidentStatus(flapping=True, **stand)).endswith(ending)
    assert "Flapping" not in status_text(IncidentStatus(**stand))


def test_an_incident_that_names_no_destination_says_that_nobody_is_notified() -> None:
    nobody = "Nobody is notified: no destination is set for this incident. Add one to the default route or a rule."

    assert status_text(IncidentStatus(State.OPEN, has_destination=False)) == f"Open, not acknowledged. {nobody}"
    assert nobody not in status_text(IncidentStatus(State.RESOLVED, has_destination=False))


def test_a_time_has_its_day_when_that_is_not_clear() -> None:
    assert formatting.clock(NOW + timedelta(hours=23, minutes=59), BERLIN, NOW) == "09:59 Europe/Berlin"
    assert formatting.clock(NOW + timedelta(hours=24), BERLIN, NOW) == "Sun 22 Nov 2026 10:00 Europe/Berlin"
    assert formatting.clock(NOW - timedelta(hours=24), BERLIN, NOW) == "Fri 20 Nov 2026 10:00 Europe/Berlin"


@pytest.mark.parametrize(
    ("found", "stated"),
    [([], "nobody"), (["A"], "A"), (["A", "B"], "A and B"), (list("ABCDE"), "A, B, C, D and E"),
     (list("ABCDEF"), "A, B, C, D and 2 more")],
)  # fmt: skip
def test_names_are_listed_and_beyond_five_counted(found: list[str], stated: str) -> None:
    assert formatting.names(found) == stated
