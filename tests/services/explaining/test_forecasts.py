"""Forecasts of incidents come true, and respect the profile, silences and quiet hours."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from inbox.domain.deliveries.notification_plan import TIMERS
from inbox.domain.explaining.forecast import KINDS
from inbox.domain.incidents.incident import Act, Actor
from inbox.flow.people import incidents
from inbox.flow.unit_of_work import work
from inbox.models.deliveries.destinations import Destination
from inbox.models.incidents.tables import Incident
from inbox.models.routing.profiles import RoutingProfile
from inbox.models.routing.routing_config import bump_revision
from inbox.services.explaining.forecasts import forecast
from tests.cast import NOW, Cast
from tests.flow.plans import be_quiet, follow, pass_to, step, timers
from tests.flow.routing_fixtures import listen, reasons, routed, settle
from tests.silences import make_silence

MINUTE = timedelta(minutes=1)
MIA = Actor("user", "", "Mia")
MORNING = "The quiet hours end; {} notified of the state at that time."


def to_come(incident_id: Any, minutes: int = 0) -> dict[str, str]:
    """The words of what is to come, by kind, so many minutes after `NOW`."""
    found = forecast(Incident.get_by_id(incident_id), NOW + minutes * MINUTE)
    return {one["kind"]: one["text"] for one in found["upcoming"]}


def snooze(incident_id: Any, minutes: int) -> None:
    with work() as done:
        incidents.act(incident_id, incidents.ActRequest(Act.SNOOZE, by=MIA, until=NOW + minutes * MINUTE), NOW, done)


def test_a_destination_notified_meanwhile_is_not_in_the_forecast_of_the_morning(cast: Cast) -> None:
    listen(cast.workspace, "Chat", quiet_hours_threshold="CRITICAL")
    listen(cast.workspace, "Mail", quiet_hours_threshold="CRITICAL", min_severity="CRITICAL")
    be_quiet(cast.workspace)
    first = routed(cast.source, NOW, severity="ERROR")
    assert to_come(first.incident_id)["quiet_hours_end"] == MORNING.format("Chat is")

    routed(cast.source, NOW, severity="CRITICAL")

    assert "quiet_hours_end" not in to_come(first.incident_id)


def test_the_morning_forecast_of_a_resolved_incident_omits_destinations_without_updates(cast: Cast) -> None:
    listen(cast.workspace, "Chat", quiet_hours_threshold="CRITICAL")
    listen(cast.workspace, "Mail", quiet_hours_threshold="CRITICAL", send_updates=False)
    be_quiet(cast.workspace)
    first = routed(cast.source, NOW, severity="ERROR")
    assert to_come(first.incident_id)["quiet_hours_end"] == MORNING.format("Chat and Mail are")

    routed(cast.source, NOW, severity="ERROR", action="resolve")

    assert to_come(first.incident_id) == {"quiet_hours_end": MORNING.format("Chat is")}


@pytest.mark.parametrize(("hours", "is_reported"), [(2, True), (3, True), (4, False)])
def test_a_silence_beyond_quiet_hours_removes_their_end_from_the_forecast(
    cast: Cast, hours: int, *, is_reported: bool
) -> None:
    listen(cast.workspace, "Chat", quiet_hours_threshold="CRITICAL")
    be_quiet(cast.workspace)
    first = routed(cast.source, NOW, severity="ERROR")
    make_silence(cast.workspace, start=NOW, ends_at=NOW + timedelta(hours=hours))
    pass_to(0)

    found = to_come(first.incident_id)

    assert "silence_ends" in found
    assert ("quiet_hours_end" in found) is is_reported


@pytest.mark.parametrize(("minutes", "is_reported"), [(59, False), (60, False), (61, True)])
def test_a_snooze_that_runs_out_under_a_silence_ends_with_it(cast: Cast, minutes: int, *, is_reported: bool) -> None:
    listen(cast.workspace)
    first = routed(cast.source, NOW)
    snooze(first.incident_id, minutes)
    make_silence(cast.workspace, start=NOW)
    pass_to(0)

    assert ("snooze_ends" in to_come(first.incident_id)) is is_reported


def test_the_forecast_follows_a_changed_profile(cast: Cast) -> None:
    pager, chat = (listen(cast.workspace, name, routed=False) for name in ("Pager", "Chat"))
    profile = follow(cast.workspace, step(0, pager), step(10, chat), auto_resolve_minutes=90)
    settle(cast.workspace, renotifyMinutes={"ERROR": 0})
    first = routed(cast.source, NOW, severity="ERROR")
    assert set(to_come(first.incident_id)) == {"step", "auto_resolve"}

    RoutingProfile.update(steps=[step(0, pager)], auto_resolve_minutes=120).where(
        RoutingProfile.id == profile.id
    ).execute()
    bump_revision(cast.workspace.id)

    assert "incident.step" in timers(first.incident_id)
    assert to_come(first.incident_id) == {
        "auto_resolve": "The incident is resolved automatically, if no event arrives."
    }


def test_a_step_that_accepts_the_severity_is_announced_behind_one_that_does_not(cast: Cast) -> None:
    first, second, third = (listen(cast.workspace, name, routed=False) for name in ("Pager", "Boss", "Chat"))
    follow(cast.workspace, step(0, first), step(10, second, least="CRITICAL"), step(20, third))
    settle(cast.workspace, renotifyMinutes={"ERROR": 0})

    found = to_come(routed(cast.source, NOW, severity="ERROR").incident_id)

    assert "Chat" in found["step"]


@pytest.mark.parametrize(("pause", "reminds_at"), [(9, 9), (11, 31), (25, 45)])
def test_a_reminder_follows_the_steps_before_it_even_one_that_reaches_nobody(
    cast: Cast, pause: int, reminds_at: int
) -> None:
    pager, boss, chat = (listen(cast.workspace, name, routed=False) for name in ("Pager", "Boss", "Chat"))
    follow(cast.workspace, step(0, pager), step(10, boss), step(20, chat))
    settle(cast.workspace, renotifyMinutes={"ERROR": pause})
    Destination.update(enabled=False).where(Destination.id << [boss.id, chat.id]).execute()
    opened = routed(cast.source, NOW, severity="ERROR").incident_id

    found = forecast(Incident.get_by_id(opened), NOW)["upcoming"]

    assert [one["at"] for one in found if one["kind"] == "renotify"] == [NOW + reminds_at * MINUTE]
    for minute in range(reminds_at + 1):
        assert "renotify" not in reasons(opened)
        pass_to(minute)
    assert reasons(opened)[-1] == "renotify"


LATER = "Fallback to {}, if no destination accepted the alert."


@pytest.mark.parametrize(
    ("unfit", "reported"),
    [({}, "Last"), ({"enabled": False}, None), ({"stopped_at": NOW, "stopped_reason": "http_410"}, None)],
)
def test_the_forecast_names_only_destinations_that_can_be_notified(
    cast: Cast, unfit: dict[str, Any], reported: str | None
) -> None:
    listen(cast.workspace)
    last = listen(cast.workspace, "Last", routed=False, **unfit)
    settle(cast.workspace, fallbackDestinationId=str(last.id))
    first = routed(cast.source, NOW, severity="CRITICAL")

    assert to_come(first.incident_id).get("fallback") == (reported and LATER.format(reported))


def test_a_destination_of_the_alarm_is_not_forecast_as_its_fallback(cast: Cast) -> None:
    pager = listen(cast.workspace)
    settle(cast.workspace, fallbackDestinationId=str(pager.id))
    first = routed(cast.source, NOW, severity="CRITICAL")

    assert "fallback" not in to_come(first.incident_id)


def test_an_incident_that_fell_back_is_not_forecast_to_fall_back_again(cast: Cast) -> None:
    pager = listen(cast.workspace, enabled=False)
    last = listen(cast.workspace, "Last", routed=False)
    settle(cast.workspace, fallbackDestinationId=str(last.id))
    first = routed(cast.source, NOW, severity="ERROR")
    pass_to(0)
    Destination.update(enabled=True).where(Destination.id == pager.id).execute()
    routed(cast.source, NOW + MINUTE, severity="CRITICAL")

    assert "fallback" not in to_come(first.incident_id, 1)


def test_alerts_that_joined_are_forecast_at_the_end_of_their_quiet_time(cast: Cast) -> None:
    listen(cast.workspace)
    for number in (1, 2, 3):
        last = routed(cast.source, NOW + number * MINUTE, key=f"n{number}", by="nodes", title=f"Node {number}")

    assert to_come(last.incident_id, 3)["joined"] == (
        "A notification names the alerts that joined, if the incident is not resolved."
    )


def test_each_timer_of_a_plan_has_a_sentence() -> None:
    assert set(KINDS) == TIMERS
