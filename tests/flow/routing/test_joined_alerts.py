"""New alerts in an unresolved incident are news: one notice names all that joined (specification 3.3)."""

from __future__ import annotations

import pytest

from inbox.domain.incidents.incident import Act
from inbox.models.incidents.tables import Incident
from inbox.models.senders.sources import Source
from tests.cast import NOW, Cast
from tests.flow.routing.alert_steps import SECOND, act, ends, joined, node, numbers, run_timers, together
from tests.flow.routing.route_steps import MINUTE
from tests.flow.routing_fixtures import bodies, listen, reasons, settle, timeline
from tests.flow.rulemaking import clause, rule
from tests.silences import make_silence


@pytest.fixture
def group(cast: Cast) -> Source:
    """A source whose nodes are one incident by a rule, with a listener."""
    listen(cast.workspace)
    rule(cast.workspace, clause("type", "eq", "NodeDown"), disposition="incident", group_by=("type",))
    return cast.source


@pytest.mark.parametrize("how", [None, Act.ACKNOWLEDGE, Act.SNOOZE])
def test_new_alerts_in_an_unresolved_incident_are_told_together(group: Source, how: Act | None) -> None:
    nodes = together(group, "n1")
    if how is not None:
        act(nodes, how, **({"until": NOW + 60 * MINUTE} if how is Act.SNOOZE else {}))
    before = Incident.get_by_id(nodes.id).state

    together(group, "n2", "n3", at=NOW + MINUTE)

    assert joined(nodes) == [{"count": 2, "titles": ["Node n2 is down", "Node n3 is down"]}]
    assert numbers(nodes) == (before, 3, 3)
    assert timeline(nodes.id)[-1] == "joined"


def test_alerts_that_join_within_the_quiet_time_are_told_when_it_ends(group: Source) -> None:
    nodes = together(group, "n1")
    node(group, "n2", NOW + MINUTE)
    for second, name in enumerate(("n3", "n4", "n3")):
        node(group, name, NOW + 2 * MINUTE + second * SECOND)
    assert [each["count"] for each in joined(nodes)] == [1]

    run_timers(NOW + 6 * MINUTE - SECOND)
    assert len(joined(nodes)) == 1
    run_timers(NOW + 6 * MINUTE)
    assert joined(nodes)[1:] == [{"count": 2, "titles": ["Node n3 is down", "Node n4 is down"]}]
    run_timers(NOW + 15 * MINUTE)
    assert len(joined(nodes)) == 2


def test_the_quiet_time_of_joined_alerts_is_a_setting(cast: Cast, group: Source) -> None:
    settle(cast.workspace, joinedQuietMinutes=0)
    nodes = together(group, "n1")
    for second in range(1, 4):
        node(group, f"m{second}", NOW + second * SECOND)

    assert [each["count"] for each in joined(nodes)] == [1, 1, 1]


def test_alerts_that_open_an_incident_together_are_one_notice(group: Source) -> None:
    nodes = together(group, "n1", "n2", "n3")

    [opened] = bodies(nodes.id)
    assert (opened["type"], opened["data"]["joined"]["count"]) == ("incident.opened", 2)
    assert opened["data"]["alerts"] == {"total": 3, "firing": 3}


def test_a_repeat_of_a_known_alert_is_no_news(group: Source) -> None:
    nodes = together(group, "n1", "n2")
    act(nodes, Act.ACKNOWLEDGE)

    node(group, "n2", NOW + MINUTE)

    assert joined(nodes) == []


def test_an_alert_that_fires_again_is_news_only_after_a_quiet_period(group: Source) -> None:
    nodes = together(group, "n1", "n2")
    ends(group, "n2", NOW + MINUTE)
    node(group, "n2", NOW + 2 * MINUTE)
    assert joined(nodes) == [] and numbers(nodes) == ("open", 2, 2)
    ends(group, "n2", NOW + 3 * MINUTE)
    node(group, "n2", NOW + 18 * MINUTE)

    assert [each["count"] for each in joined(nodes) if each] == [1]


@pytest.mark.parametrize("is_known", [True, False])
def test_alerts_that_join_under_a_silence_are_told_when_it_ends(cast: Cast, group: Source, is_known: bool) -> None:
    nodes = together(group, "n1") if is_known else None
    make_silence(cast.workspace, start=NOW, ends_at=NOW + 60 * MINUTE)
    run_timers(NOW)
    nodes = nodes or together(group, "n1", at=NOW + SECOND)
    node(group, "n2", NOW + MINUTE)
    assert (Incident.get_by_id(nodes.id).state, joined(nodes)) == ("silenced", [])

    run_timers(NOW + 60 * MINUTE)

    told = bodies(nodes.id)[-1]["data"]
    assert (told["reason"], told["joined"]["titles"]) == (
        "reoccurred" if is_known else "silence_expired",
        ["Node n2 is down"],
    )
    assert reasons(nodes.id) == ["opened", told["reason"]]


def test_alerts_that_waited_when_an_event_reopens_the_incident_are_not_told(group: Source) -> None:
    nodes = together(group, "n1")
    node(group, "n2", NOW + MINUTE)
    node(group, "n3", NOW + 2 * MINUTE)
    act(nodes, Act.RESOLVE, NOW + 3 * MINUTE)

    node(group, "n1", NOW + 4 * MINUTE)

    assert "joined" not in bodies(nodes.id)[-1]["data"]
    run_timers(NOW + 20 * MINUTE)
    assert reasons(nodes.id)[-1] == "reopened"


def test_alerts_that_join_a_flapping_incident_are_told_when_it_is_stable(group: Source) -> None:
    nodes = together(group, "n1")
    for minute in range(1, 7):
        (node if minute % 2 == 0 else ends)(group, "n1", NOW + minute * MINUTE)
    assert Incident.get_by_id(nodes.id).flapping
    node(group, "n2", NOW + 7 * MINUTE)
    assert joined(nodes) == []

    run_timers(NOW + 40 * MINUTE)

    told = bodies(nodes.id)[-1]["data"]
    assert (told["reason"], told["joined"]["count"]) == ("renotify", 1)
