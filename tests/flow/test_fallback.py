"""When nobody could be told of an alarm, somebody else is, once for each time that it opens."""

from __future__ import annotations

from typing import Any

import pytest

from inbox.domain.incident import Act
from inbox.flow.people import incidents
from inbox.flow.unit_of_work import work
from inbox.models.tables.destinations import Destination
from inbox.models.tables.incidents import Incident
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
    routed,
    timeline,
    told,
)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"enabled": False}, "no_destination"),
        ({"stopped_at": NOW, "stopped_reason": "http_401"}, "all_stopped"),
    ],
)
def test_when_no_destination_can_hear_the_fallback_is_told(
    cast: Cast, last: Destination, fields: dict[str, Any], reason: str
) -> None:
    listen(cast.workspace, **fields)
    known = opened(cast)
    pass_to(0.1)

    assert told(last) == [("fallback", "pending", None)]
    assert because(known) == [reason]
    assert bodies(known.id)[-1]["type"] == "incident.fallback"
    assert timeline(known.id) == ["opened", "fallback"]
    assert Incident.get_by_id(known.id).state == "open"


def test_a_workspace_without_any_destination_falls_back(cast: Cast, last: Destination) -> None:
    known = opened(cast)
    pass_to(0)
    assert (told(last), because(known)) == ([("fallback", "pending", None)], ["no_destination"])


def test_one_that_could_hear_and_does_not_want_to_is_enough(cast: Cast, last: Destination) -> None:
    listen(cast.workspace, min_severity="CRITICAL")
    listen(cast.workspace, "Off", enabled=False)
    known = opened(cast)
    pass_to(0)
    assert (reasons(known.id), told(last)) == (["opened"], [])


def test_a_later_step_is_somebody_to_tell(cast: Cast, last: Destination) -> None:
    boss = listen(cast.workspace, "Boss", routed=False)
    follow(cast.workspace, step(0), step(10, boss))
    known = opened(cast)
    pass_to(0)
    assert (reasons(known.id), told(last)) == (["opened"], [])


def test_the_profiles_own_fallback_comes_before_the_workspaces(cast: Cast, last: Destination) -> None:
    pager, own = listen(cast.workspace, routed=False, enabled=False), listen(cast.workspace, "Own", routed=False)
    follow(cast.workspace, step(0, pager), fallback_destination_id=own.id)
    opened(cast)
    pass_to(0)
    assert ([reason for reason, _, _ in told(own)], told(last)) == (["fallback"], [])


def test_a_fallback_that_cannot_hear_either_leaves_it_to_the_next(cast: Cast, last: Destination) -> None:
    pager = listen(cast.workspace, routed=False, enabled=False)
    own = listen(cast.workspace, "Own", routed=False, enabled=False)
    follow(cast.workspace, step(0, pager), fallback_destination_id=own.id)
    opened(cast)
    pass_to(0)
    assert (told(own), [reason for reason, _, _ in told(last)]) == ([], ["fallback"])


def test_it_is_told_once_for_each_opening(cast: Cast, last: Destination) -> None:
    listen(cast.workspace, enabled=False)
    known = opened(cast, severity="WARNING")
    pass_to(0)
    routed(cast.source, NOW + MINUTE, severity="CRITICAL")
    pass_to(5)
    assert reasons(known.id) == ["opened", "fallback", "escalated"]

    routed(cast.source, NOW + 6 * MINUTE, action="resolve")
    routed(cast.source, NOW + 7 * MINUTE)
    pass_to(8)
    assert [reason for reason, _, _ in told(last)] == ["fallback", "resolved", "fallback"]


def test_the_fallback_hears_what_follows_and_the_end(cast: Cast, last: Destination) -> None:
    listen(cast.workspace, enabled=False)
    known = opened(cast)
    pass_to(0)
    with work() as done:
        incidents.act(known.id, incidents.ActRequest(Act.ACKNOWLEDGE, by=MIA), NOW + MINUTE, done)
        incidents.act(known.id, incidents.ActRequest(Act.RESOLVE, by=MIA), NOW + 2 * MINUTE, done)
    assert [reason for reason, _, _ in told(last)] == ["fallback", "acknowledged", "resolved"]
