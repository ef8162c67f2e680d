"""Rules and the default route page people at once, without a routing profile (specification 6.2, 6.6)."""

from __future__ import annotations

from typing import Any

import pytest

from inbox.domain.routing.people import PageTarget
from inbox.domain.values import ids
from inbox.models.oncall.schedules import OnCallSchedule
from inbox.models.routing import routing_config
from inbox.models.routing.rules import Rule
from inbox.models.workspaces.tables import Workspace
from tests.cast import NOW, Cast
from tests.flow.notices.paging_steps import mailing, paging, schedule, sent_to  # noqa: F401
from tests.flow.notices.test_pages import gap, override
from tests.flow.plans import MINUTE, follow, pass_to
from tests.flow.routing_fixtures import decisions, incident, listen, notices, reported, routed
from tests.flow.rulemaking import rule
from tests.oncall import make_schedule

pytestmark = pytest.mark.usefixtures("mailing")


def on_call(schedule: OnCallSchedule) -> dict[str, str]:
    return {"scheduleId": ids.encode("sch", schedule.id)}


def route(cast: Cast, *people: dict[str, str], **more: Any) -> None:
    """The default route pages these people."""
    Workspace.update(default_route={"people": list(people), **more}).where(Workspace.id == cast.workspace.id).execute()
    routing_config.bump_revision(cast.workspace.id)


def paging_rule(cast: Cast, schedule: OnCallSchedule, **more: Any) -> None:
    """A rule for every event that pages whoever is on call."""
    rule(cast.workspace, **{"people": (PageTarget(schedule.id),), **more})
    routing_config.bump_revision(cast.workspace.id)


ADDS = {"disposition": None, "continue_matching": True}
"""The rule adds its recipients to those of the default route."""


def test_the_default_route_pages_whoever_is_on_call(cast: Cast, schedule: OnCallSchedule) -> None:
    route(cast, on_call(schedule))
    opened = incident(routed(cast.source).id)

    assert sent_to(cast.users["mia"]) == [("opened", "pending", None)]
    assert decisions(notices(opened.id)[0]) == {"Mia (mail)": "notify"}


def test_a_rule_pages_its_people_and_the_incident_keeps_them(cast: Cast, schedule: OnCallSchedule) -> None:
    pager = listen(cast.workspace)
    paging_rule(cast, schedule)
    override(schedule, cast.users["adam"], 5)
    routed(cast.source)
    Rule.delete().execute()
    routing_config.bump_revision(cast.workspace.id)

    routed(cast.source, NOW + 6 * MINUTE, action="resolve")

    assert reported(pager) == []
    assert [each[0] for each in sent_to(cast.users["mia"])] == ["opened", "resolved"]
    assert sent_to(cast.users["adam"]) == []


def test_a_rule_that_continues_adds_people_to_the_default_route(cast: Cast, schedule: OnCallSchedule) -> None:
    other = make_schedule(cast.workspace, cast.users["adam"], name="Managers")
    route(cast, on_call(schedule))
    paging_rule(cast, other, **ADDS)
    routed(cast.source)

    assert [len(sent_to(cast.users[name])) for name in ("mia", "adam")] == [1, 1]


def test_a_rule_without_anybody_on_call_leaves_the_fallback(cast: Cast, schedule: OnCallSchedule) -> None:
    paging_rule(cast, schedule)
    gap(schedule, 0)
    opened = incident(routed(cast.source).id)

    pass_to(0)

    assert decisions(notices(opened.id)[0]) == {"Backend": "nobody_on_call"}
    assert notices(opened.id)[-1].decisions[0]["fallbackReason"] == "nobody_on_call"


def test_a_profile_that_a_rule_names_follows_its_people(cast: Cast, schedule: OnCallSchedule) -> None:
    follow(cast.workspace, paging(5, cast.users["adam"]))
    paging_rule(cast, schedule, **ADDS)
    routed(cast.source)
    assert sent_to(cast.users["adam"]) == []

    pass_to(5)

    assert [len(sent_to(cast.users[name])) for name in ("mia", "adam")] == [1, 1]
