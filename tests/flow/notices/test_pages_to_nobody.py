"""Steps that reach nobody: the next one follows at once, and in the end the fallback (specification 23.13)."""

from __future__ import annotations

import pytest

from inbox.domain.incidents.incident import Act
from inbox.models.deliveries.destinations import Destination
from inbox.models.oncall.schedules import OnCallSchedule
from inbox.models.people.accounts import User
from inbox.models.people.members import Member
from inbox.models.workspaces.tables import Workspace
from tests.cast import NOW, Cast
from tests.flow.notices.paging_steps import mailing, paging, rule_by, schedule, sent_to  # noqa: F401
from tests.flow.notices.test_never_notified import act
from tests.flow.notices.test_pages import gap
from tests.flow.plans import be_quiet, follow, pass_to, step
from tests.flow.routing_fixtures import decisions, incident, listen, notices, reasons, reported, routed

pytestmark = pytest.mark.usefixtures("mailing")


def test_while_nobody_is_on_call_the_next_step_follows_at_once(cast: Cast, schedule: OnCallSchedule) -> None:
    follow(cast.workspace, paging(0, schedule), paging(15, cast.users["adam"]), paging(20, cast.users["olga"]))
    gap(schedule, 0)
    opened = incident(routed(cast.source).id)
    assert decisions(notices(opened.id)[0]) == {"Backend": "nobody_on_call"}

    pass_to(0)
    assert sent_to(cast.users["adam"]) == [("escalated", "pending", None)]

    pass_to(4)
    assert sent_to(cast.users["olga"]) == []
    pass_to(5)
    assert sent_to(cast.users["olga"]) == [("escalated", "pending", None)]


def test_a_step_without_anybody_on_call_whose_destination_was_notified_is_not_hastened(
    cast: Cast, schedule: OnCallSchedule
) -> None:
    pager = listen(cast.workspace, routed=False)
    follow(cast.workspace, paging(0, schedule, to=(pager,)), paging(15, cast.users["adam"]))
    gap(schedule, 0)
    routed(cast.source)

    pass_to(0)

    assert reported(pager) == [("opened", "pending", None)]
    assert sent_to(cast.users["adam"]) == []


@pytest.mark.parametrize("change", ["stopped", "disabled", "quiet"])
def test_a_destination_that_gets_nothing_now_does_not_hold_the_next_step(
    cast: Cast, schedule: OnCallSchedule, change: str
) -> None:
    pager = listen(cast.workspace, routed=False, quiet_hours_threshold="CRITICAL")
    if change == "quiet":
        be_quiet(cast.workspace)
    else:
        state = {"stopped_at": NOW, "stopped_reason": "http_550"} if change == "stopped" else {"enabled": False}
        Destination.update(**state).where(Destination.id == pager.id).execute()
    follow(cast.workspace, paging(0, schedule, to=(pager,)), paging(15, cast.users["adam"]))
    gap(schedule, 0)
    routed(cast.source)

    pass_to(0)

    assert sent_to(cast.users["adam"]) == [("escalated", "pending", None)]


def test_a_destination_of_another_step_does_not_hold_the_next_step(cast: Cast, schedule: OnCallSchedule) -> None:
    pager = listen(cast.workspace, routed=False)
    follow(cast.workspace, step(0, pager), paging(5, schedule), paging(15, cast.users["adam"]))
    gap(schedule, 0)
    routed(cast.source)

    pass_to(5)
    pass_to(5)

    assert sent_to(cast.users["adam"]) == [("escalated", "pending", None)]


def test_an_incident_that_was_acknowledged_meanwhile_is_not_hastened(cast: Cast, schedule: OnCallSchedule) -> None:
    follow(cast.workspace, paging(0, schedule), paging(15, cast.users["adam"]))
    gap(schedule, 0)
    opened = incident(routed(cast.source).id)
    act(opened, Act.ACKNOWLEDGE, 0)

    pass_to(0)

    assert sent_to(cast.users["adam"]) == []


def test_when_all_steps_are_empty_the_fallback_says_that_nobody_is_on_call(
    cast: Cast, schedule: OnCallSchedule
) -> None:
    follow(cast.workspace, paging(0, schedule), paging(15, cast.users["mia"]), repeat=3)
    gap(schedule, 0)
    Member.delete().where(Member.user == cast.users["mia"].id).execute()
    opened = incident(routed(cast.source).id)

    pass_to(0)

    assert reasons(opened.id) == ["opened", "escalated", "fallback"]
    assert decisions(notices(opened.id)[1]) == {"Mia": "unreachable"}
    assert notices(opened.id)[-1].decisions[0]["fallbackReason"] == "nobody_on_call"


@pytest.mark.parametrize("change", ["left", "disabled", "no factor", "no methods"])
def test_a_person_whom_nothing_reaches_counts_as_nobody(cast: Cast, schedule: OnCallSchedule, change: str) -> None:
    mia = cast.users["mia"]
    follow(cast.workspace, paging(0, mia), paging(15, cast.users["adam"]))
    if change == "left":
        Member.delete().where(Member.user == mia.id).execute()
    elif change == "disabled":
        User.update(disabled_at=NOW).where(User.id == mia.id).execute()
    elif change == "no factor":
        Workspace.update(settings={"requireMfa": True}).where(Workspace.id == cast.workspace.id).execute()
    else:
        rule_by(mia, (0, "push"))
    opened = incident(routed(cast.source).id)

    pass_to(0)

    assert decisions(notices(opened.id)[0]) == {"Mia": "unreachable"}
    assert sent_to(mia) == []
    assert bool(sent_to(cast.users["adam"])) is (change != "no factor")


def test_several_steps_that_reach_nobody_follow_each_other_at_once(cast: Cast, schedule: OnCallSchedule) -> None:
    pager, boss, siren = (listen(cast.workspace, name, routed=False) for name in ("Pager", "Boss", "Siren"))
    Destination.update(enabled=False).where(Destination.id == boss.id).execute()
    empty = paging(5, schedule), paging(20, schedule, to=(boss,))
    follow(cast.workspace, step(0, pager), *empty, step(30, siren))
    gap(schedule, 0)
    routed(cast.source)

    pass_to(5)

    assert [each[0] for each in reported(siren)] == ["escalated"]
