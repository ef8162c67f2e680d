"""The fallback: notified when no destination of an alarm can be, once per opening."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from inbox.domain.incidents.incident import Act
from inbox.flow.people import incidents, undo
from inbox.flow.timers.run import run_due
from inbox.flow.unit_of_work import work
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.fallback_checks import CHECK
from inbox.models.incidents import lock as incident_lock
from inbox.models.incidents.tables import Incident, Timer
from tests.cast import NOW, Cast
from tests.flow.fallback_steps import (
    MIA,
    because,
    last,  # noqa: F401
    opened,
)
from tests.flow.plans import MINUTE, follow, pass_to, step
from tests.flow.routing_fixtures import (
    bodies,
    listen,
    reasons,
    reported,
    routed,
    timeline,
)

SECOND = timedelta(seconds=1)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"enabled": False}, "no_destination"),
        ({"stopped_at": NOW, "stopped_reason": "http_401"}, "all_stopped"),
    ],
)
def test_the_fallback_is_notified_when_no_destination_can_be(
    cast: Cast, last: Destination, fields: dict[str, Any], reason: str
) -> None:
    listen(cast.workspace, **fields)
    existing = opened(cast)
    pass_to(0.1)

    assert reported(last) == [("fallback", "pending", None)]
    assert because(existing) == [reason]
    assert bodies(existing.id)[-1]["type"] == "incident.fallback"
    assert timeline(existing.id) == ["opened", "fallback"]
    assert Incident.get_by_id(existing.id).state == "open"


@pytest.mark.parametrize("undone", [True, False])
def test_an_act_that_is_undone_over_the_moment_of_the_check_loses_no_fallback(
    cast: Cast, last: Destination, *, undone: bool
) -> None:
    existing = opened(cast)
    before = incident_lock.read(existing.id)
    with work() as done:
        incidents.act(existing.id, incidents.ActRequest(Act.ACKNOWLEDGE, by=MIA), NOW + SECOND, done)
    after = incident_lock.read(existing.id)
    assert before is not None and after is not None
    run_due(lambda: NOW + 2 * SECOND)
    if undone:
        with work() as done:
            change = undo.change(before, after)
            undo.undo_act(existing.id, "acknowledge", change, NOW + 5 * SECOND, done, by=MIA)
    run_due(lambda: NOW + 12 * SECOND)

    assert reported(last) == ([("fallback", "pending", None)] if undone else [])
    assert Timer.select().where(Timer.kind == CHECK).count() == 0


def test_a_workspace_without_any_destination_falls_back(cast: Cast, last: Destination) -> None:
    existing = opened(cast)
    pass_to(0)
    assert (reported(last), because(existing)) == ([("fallback", "pending", None)], ["no_destination"])


def test_a_destination_excluded_by_its_own_settings_prevents_the_fallback(cast: Cast, last: Destination) -> None:
    listen(cast.workspace, min_severity="CRITICAL")
    listen(cast.workspace, "Off", enabled=False)
    existing = opened(cast)
    pass_to(0)
    assert (reasons(existing.id), reported(last)) == (["opened"], [])


def test_a_later_step_with_recipients_prevents_the_fallback(cast: Cast, last: Destination) -> None:
    boss = listen(cast.workspace, "Boss", routed=False)
    follow(cast.workspace, step(0), step(10, boss))
    existing = opened(cast)
    pass_to(0)
    assert (reasons(existing.id), reported(last)) == (["opened"], [])


def test_the_profiles_own_fallback_comes_before_the_workspaces(cast: Cast, last: Destination) -> None:
    pager, own = listen(cast.workspace, routed=False, enabled=False), listen(cast.workspace, "Own", routed=False)
    follow(cast.workspace, step(0, pager), fallback_destination_id=own.id)
    opened(cast)
    pass_to(0)
    assert ([reason for reason, _, _ in reported(own)], reported(last)) == (["fallback"], [])


def test_a_disabled_fallback_passes_to_the_fallback_of_the_workspace(cast: Cast, last: Destination) -> None:
    pager = listen(cast.workspace, routed=False, enabled=False)
    own = listen(cast.workspace, "Own", routed=False, enabled=False)
    follow(cast.workspace, step(0, pager), fallback_destination_id=own.id)
    opened(cast)
    pass_to(0)
    assert (reported(own), [reason for reason, _, _ in reported(last)]) == ([], ["fallback"])


def test_the_fallback_is_notified_once_for_each_opening(cast: Cast, last: Destination) -> None:
    listen(cast.workspace, enabled=False)
    existing = opened(cast, severity="WARNING")
    pass_to(0)
    routed(cast.source, NOW + MINUTE, severity="CRITICAL")
    pass_to(5)
    assert reasons(existing.id) == ["opened", "fallback", "escalated"]

    routed(cast.source, NOW + 6 * MINUTE, action="resolve")
    routed(cast.source, NOW + 7 * MINUTE)
    pass_to(8)
    assert [reason for reason, _, _ in reported(last)] == ["fallback", "resolved", "fallback"]


def test_the_fallback_gets_later_notices_and_the_resolution(cast: Cast, last: Destination) -> None:
    listen(cast.workspace, enabled=False)
    existing = opened(cast)
    pass_to(0)
    with work() as done:
        incidents.act(existing.id, incidents.ActRequest(Act.ACKNOWLEDGE, by=MIA), NOW + MINUTE, done)
        incidents.act(existing.id, incidents.ActRequest(Act.RESOLVE, by=MIA), NOW + 2 * MINUTE, done)
    assert [reason for reason, _, _ in reported(last)] == ["fallback", "acknowledged", "resolved"]
