"""A changed profile applies to unresolved incidents: their timers follow."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from inbox.domain.values import ids
from inbox.domain.workspaces.settings import DefaultRoute
from inbox.flow.timers import reschedule
from inbox.flow.timers.reschedule import RESCHEDULE, RESCHEDULE_LATE
from inbox.flow.timers.run import run_due
from inbox.models.incidents.tables import Incident, Timer
from inbox.models.routing.silences import IN_FLIGHT_GRACE
from inbox.models.senders.sources import Source
from inbox.services.deliveries import destinations
from inbox.services.routing import profiles
from inbox.services.workspaces import workspaces
from tests.cast import NOW, Cast
from tests.flow.plans import fire_first, follow, step
from tests.flow.routing_fixtures import listen, reasons, reported, routed, settle
from tests.flow.rulemaking import clause, rule
from tests.stand_ins.outgoing_posts import make_profile


def at(minutes: float) -> datetime:
    return NOW + timedelta(minutes=minutes)


def kinds() -> set[str]:
    return {timer.kind for timer in Timer.select()}


def test_a_new_auto_resolve_setting_resolves_incidents_without_recent_events(cast: Cast) -> None:
    existing = routed(cast.source).incident_id
    workspaces.change(cast.workspace.id, {"settings": {"autoResolveMinutes": 60}}, expected_rev=None, now=at(5))

    run_due(lambda: at(6))
    assert Timer.get(Timer.kind == "incident.auto_resolve").due_at == at(60)
    run_due(lambda: at(60))
    assert Incident.get_by_id(existing).state == "resolved"


def test_a_step_that_a_profile_gets_later_is_notified_at_its_time(cast: Cast) -> None:
    profile = make_profile(cast.workspace, listen(cast.workspace, routed=False))
    Source.update(routing_profile_id=profile.id).where(Source.id == cast.source.id).execute()
    existing = routed(cast.source).incident_id
    to = [ids.decode("dst", profile.steps[0]["destinationIds"][0])]
    steps = [{"after_minutes": after, "min_severity": None, "destination_ids": to} for after in (0, 10)]
    profiles.edit(profile, {"steps": steps, "renotify_max": 0}, expected_rev=None, now=at(5))

    run_due(lambda: at(6))
    run_due(lambda: at(10))
    assert reasons(existing) == ["opened", "escalated"]
    assert "incident.step" not in kinds()


def test_a_new_default_route_applies_to_incidents_that_follow_it(cast: Cast) -> None:
    existing = routed(cast.source).incident_id
    profile = make_profile(cast.workspace, auto_resolve_minutes=30)
    route = DefaultRoute((), profile.id, {})
    workspaces.set_route(cast.workspace.id, route, expected_rev=None, now=at(5))

    run_due(lambda: at(6))
    run_due(lambda: at(30))
    assert Incident.get_by_id(existing).state == "resolved"


def test_an_incident_of_a_deleted_profile_follows_the_timers_of_the_workspace(cast: Cast) -> None:
    pager = listen(cast.workspace)
    profile = make_profile(cast.workspace, pager, renotify_max=0)
    Source.update(routing_profile_id=profile.id).where(Source.id == cast.source.id).execute()
    existing = routed(cast.source).incident_id
    assert kinds() == set()
    Source.update(routing_profile_id=None).where(Source.id == cast.source.id).execute()

    profiles.remove(profile, expected_rev=None, now=at(5))

    run_due(lambda: at(6))
    run_due(lambda: at(120))
    assert reasons(existing) == ["opened", "renotify"]


def test_escalation_of_an_incident_with_a_deleted_destination_takes_the_default_route(cast: Cast) -> None:
    pager, chat, gone = (listen(cast.workspace, name, routed=False) for name in ("Pager", "Chat", "Gone"))
    follow(cast.workspace, step(0, pager), step(10, chat), renotify_max=0)
    rule(cast.workspace, clause("severity", "eq", "ERROR"), destination_ids=(gone.id,))
    existing = routed(cast.source).incident_id
    assert "incident.step" not in kinds()

    destinations.remove(gone, expected_rev=None, now=at(5))

    run_due(lambda: at(6))
    run_due(lambda: at(10))
    assert (reasons(existing), reported(chat)) == (["opened", "escalated"], [("escalated", "pending", None)])


def test_deleting_a_destination_of_a_rule_skips_no_profile_step(cast: Cast) -> None:
    pager, chat, gone = (listen(cast.workspace, name, routed=False) for name in ("Pager", "Chat", "Gone"))
    profile = follow(cast.workspace, step(10, pager), step(20, chat), renotify_max=0)
    rule(
        cast.workspace,
        clause("severity", "eq", "ERROR"),
        destination_ids=(gone.id,),
        routing_profile_id=profile.id,
    )
    existing = routed(cast.source).incident_id
    destinations.remove(gone, expected_rev=None, now=at(5))

    run_due(lambda: at(6))
    assert reasons(existing) == ["opened"]
    run_due(lambda: at(10))
    assert reported(pager) == [("escalated", "pending", None)]
    run_due(lambda: at(20))
    assert (reasons(existing), reported(chat)) == (
        ["opened", "escalated", "escalated"],
        [("escalated", "pending", None)],
    )


def test_an_alert_after_the_steps_taken_have_left_the_plan_pages_no_later_step(cast: Cast) -> None:
    boss, gone = (listen(cast.workspace, name, routed=False) for name in ("Boss", "Gone"))
    profile = follow(cast.workspace, step(30, boss), renotify_max=0)
    erroneous = clause("severity", "in", ["ERROR", "CRITICAL"])
    rule(cast.workspace, erroneous, destination_ids=(gone.id,), routing_profile_id=profile.id)
    existing = routed(cast.source).incident_id
    destinations.remove(gone, expected_rev=None, now=at(1))
    run_due(lambda: at(2))
    routed(cast.source, at(3), severity="CRITICAL")
    run_due(lambda: at(29))

    assert (reasons(existing), reported(boss)) == (["opened", "escalated"], [])
    run_due(lambda: at(30))
    assert reported(boss) == [("escalated", "pending", None)]


def test_a_step_that_is_removed_or_inserted_before_the_last_one_skips_and_repeats_none(cast: Cast) -> None:
    pager, chat = (listen(cast.workspace, name, routed=False) for name in ("Pager", "Chat"))
    profile = follow(cast.workspace, step(0, pager), step(10, pager), step(25, chat), renotify_max=0)
    existing = routed(cast.source).incident_id
    run_due(lambda: at(10))

    def edit(*minutes: int) -> None:
        steps = [{"after_minutes": m, "min_severity": None, "destination_ids": [pager.id]} for m in minutes]
        last = {"after_minutes": 25, "min_severity": None, "destination_ids": [chat.id]}
        current = type(profile).get_by_id(profile.id)
        profiles.edit(current, {"steps": [*steps, last]}, expected_rev=None, now=at(12))
        run_due(lambda: at(13))

    edit(0)
    edit(0, 5, 8, 10)
    assert reasons(existing) == ["opened", "escalated"]
    run_due(lambda: at(25))
    assert (reasons(existing), reported(chat)) == (
        ["opened", "escalated", "escalated"],
        [("escalated", "pending", None)],
    )


def test_resolved_incidents_and_other_workspaces_are_not_rescheduled(cast: Cast) -> None:
    gone = routed(cast.source).incident_id
    routed(cast.foreign_source)
    Incident.update(state="resolved", resolved_at=NOW).where(Incident.id == gone).execute()
    workspaces.change(cast.workspace.id, {"settings": {"autoResolveMinutes": 60}}, expected_rev=None, now=at(5))

    run_due(lambda: at(6))
    assert "incident.auto_resolve" not in kinds()


@pytest.mark.parametrize(
    "changes",
    [
        {"name": "Renamed"},
        {"timezone": "Europe/Berlin"},
        {"settings": {"retention": {"eventDays": 30}}},
        {"settings": {"requireMfa": True}},
        {"settings": {"quietHours": {"enabled": True}}},
        {"settings": {"renotifyMax": 6, "reopenWindowMinutes": 60}},
    ],
)
def test_a_setting_that_no_plan_reads_reschedules_no_timer(cast: Cast, changes: dict[str, Any]) -> None:
    routed(cast.source)
    workspaces.change(cast.workspace.id, changes, expected_rev=None, now=at(5))

    assert not kinds() & {RESCHEDULE, RESCHEDULE_LATE}


def test_renaming_a_profile_or_changing_dispositions_reschedules_no_timer(cast: Cast) -> None:
    pager = listen(cast.workspace)
    profile = make_profile(cast.workspace)
    profiles.edit(profile, {"name": "Renamed", "repeat": 0}, expected_rev=None, now=at(5))
    route = DefaultRoute((pager.id,), None, {"WARNING": "log"})
    workspaces.set_route(cast.workspace.id, route, expected_rev=None, now=at(5))

    assert not kinds() & {RESCHEDULE, RESCHEDULE_LATE}


def test_many_follow_some_at_a_time(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reschedule, "BATCH", 2)
    for key in "abcde":
        routed(cast.source, key=key)
    workspaces.change(cast.workspace.id, {"settings": {"autoResolveMinutes": 60}}, expected_rev=None, now=at(5))

    seen = []
    for _ in range(3):
        assert fire_first(at(5)) == 1
        seen.append(Timer.select().where(Timer.kind == "incident.auto_resolve").count())
    assert seen == [2, 4, 5]
    assert RESCHEDULE not in kinds()


def test_a_change_while_some_follow_begins_with_the_first_again(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reschedule, "BATCH", 2)
    for key in "abc":
        routed(cast.source, key=key)
    for minutes in (60, 90):
        settings = {"autoResolveMinutes": minutes}
        workspaces.change(cast.workspace.id, {"settings": settings}, expected_rev=None, now=at(5))
        fire_first(at(5))
    run_due(lambda: at(5))

    assert {timer.due_at for timer in Timer.select().where(Timer.kind == "incident.auto_resolve")} == {at(90)}


def test_an_alarm_of_another_workspace_does_not_wait_for_rescheduling(cast: Cast) -> None:
    settle(cast.foreign, renotifyMinutes={"ERROR": 6})
    alarm = routed(cast.foreign_source).incident_id
    routed(cast.source)
    workspaces.change(cast.workspace.id, {"settings": {"autoResolveMinutes": 60}}, expected_rev=None, now=at(5))

    fire_first(at(7))
    assert reasons(alarm) == ["opened", "renotify"]
    assert RESCHEDULE in kinds()


def test_an_incident_routed_during_a_change_of_plan_is_rescheduled_half_a_minute_later(cast: Cast) -> None:
    existing = routed(cast.source).incident_id
    workspaces.change(cast.workspace.id, {"settings": {"autoResolveMinutes": 60}}, expected_rev=None, now=at(5))
    run_due(lambda: at(5))
    Timer.delete().where(Timer.subject_id == existing).execute()

    run_due(lambda: at(5) + IN_FLIGHT_GRACE)
    assert Timer.get(Timer.kind == "incident.auto_resolve").due_at == at(60)
    assert not kinds() & {RESCHEDULE, RESCHEDULE_LATE}
