"""A plan that changes holds for what is unresolved already: its timers follow."""

from __future__ import annotations

from datetime import datetime, timedelta

from inbox.domain import ids
from inbox.domain.workspace import StandingRoute
from inbox.flow.timers import fire
from inbox.models.incidents import Incident, Timer
from inbox.models.sources import Source
from inbox.services import profiles, workspaces
from tests.cast import NOW, Cast
from tests.flow.stage import listen, reasons, routed
from tests.posts import make_profile


def at(minutes: float) -> datetime:
    return NOW + timedelta(minutes=minutes)


def kinds() -> set[str]:
    return {timer.kind for timer in Timer.select()}


def test_a_setting_that_is_made_later_resolves_what_has_been_quiet_since(cast: Cast) -> None:
    known = routed(cast.source).incident_id
    workspaces.change(cast.workspace.id, {"settings": {"autoResolveMinutes": 60}}, expected_rev=None, now=at(5))

    fire(lambda: at(6))
    assert Timer.get(Timer.kind == "incident.auto_resolve").due_at == at(60)
    fire(lambda: at(60))
    assert Incident.get_by_id(known).state == "resolved"


def test_a_step_that_a_profile_gets_later_is_told_at_its_time(cast: Cast) -> None:
    profile = make_profile(cast.workspace, listen(cast.workspace, routed=False))
    Source.update(routing_profile_id=profile.id).where(Source.id == cast.source.id).execute()
    known = routed(cast.source).incident_id
    to = [ids.decode("dst", profile.steps[0]["destinationIds"][0])]
    steps = [{"after_minutes": after, "min_severity": None, "destination_ids": to} for after in (0, 10)]
    profiles.edit(profile, {"steps": steps, "renotify_max": 0}, expected_rev=None, now=at(5))

    fire(lambda: at(6))
    fire(lambda: at(10))
    assert reasons(known) == ["opened", "escalated"]
    assert "incident.step" not in kinds()


def test_another_default_route_holds_for_what_follows_it(cast: Cast) -> None:
    known = routed(cast.source).incident_id
    profile = make_profile(cast.workspace, auto_resolve_minutes=30)
    route = StandingRoute((), profile.id, {})
    workspaces.set_route(cast.workspace.id, route, expected_rev=None, now=at(5))

    fire(lambda: at(6))
    fire(lambda: at(30))
    assert Incident.get_by_id(known).state == "resolved"


def test_what_is_resolved_or_elsewhere_or_only_renamed_winds_nothing(cast: Cast) -> None:
    gone = routed(cast.source).incident_id
    routed(cast.foreign_source)
    profile = make_profile(cast.workspace)
    Incident.update(state="resolved", resolved_at=NOW).where(Incident.id == gone).execute()
    workspaces.change(cast.workspace.id, {"settings": {"autoResolveMinutes": 60}}, expected_rev=None, now=at(5))
    Incident.update(state="open", resolved_at=None).where(Incident.id == gone).execute()
    workspaces.change(cast.workspace.id, {"name": "Renamed"}, expected_rev=None, now=at(5))
    profiles.edit(profile, {"name": "Renamed"}, expected_rev=None, now=at(5))

    assert "incident.rewind" not in kinds()
