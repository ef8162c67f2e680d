"""An incident has alerts: each key of the sender is one, a recovery ends its own, and new ones are news."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from inbox.domain.incidents.alerts import ResolveWhen
from inbox.domain.incidents.incident import Act, Actor
from inbox.flow.people import incidents as people
from inbox.flow.people.incidents import ActRequest
from inbox.flow.routing.route import route
from inbox.flow.timers.run import run_due
from inbox.flow.unit_of_work import work
from inbox.models.events.tables import Event
from inbox.models.incidents.alerts import IncidentAlert, present_state
from inbox.models.incidents.tables import Incident
from inbox.models.senders.sources import Source
from tests.cast import NOW, Cast
from tests.flow.routing.route_steps import MINUTE
from tests.flow.routing_fixtures import accept, bodies, incident, listen, reasons, routed, settle, timeline
from tests.flow.rulemaking import clause, rule

SECOND = timedelta(seconds=1)
MIA = Actor("user", "usr_mia", "Mia")


@pytest.fixture
def group(cast: Cast) -> Source:
    """A source whose nodes are one incident by a rule, with a listener."""
    listen(cast.workspace)
    rule(cast.workspace, clause("type", "eq", "NodeDown"), disposition="incident", group_by=("type",))
    return cast.source


def node(source: Source, name: str, at: Any = NOW, **fields: Any) -> Event:
    return routed(source, at, key=name, title=f"Node {name} is down", type="NodeDown", **fields)


def together(source: Source, *names: str, at: Any = NOW, **fields: Any) -> Incident:
    events = [accept(source, at, key=name, title=f"Node {name} is down", type="NodeDown", **fields) for name in names]
    route(lambda: at)
    return incident(events[0])


def ends(source: Source, name: str, at: Any, **fields: Any) -> Event:
    return node(source, name, at, action="resolve", severity="SUCCESS", **fields)


def states(of: Incident) -> dict[str, str]:
    found = IncidentAlert.select().where(IncidentAlert.incident_id == of.id).order_by(IncidentAlert.id)
    present = Incident.get_by_id(of.id)
    return {each.key: present_state(each, present) for each in found}


def numbers(of: Incident) -> tuple[str, int, int]:
    present = Incident.get_by_id(of.id)
    return present.state, present.firing_count, present.alert_count


def act(of: Incident, what: Act, at: Any = NOW, **more: Any) -> None:
    with work() as done:
        people.act(of.id, ActRequest(what, MIA, **more), at, done)


def run_timers(at: Any) -> None:
    run_due(lambda: at)


def joined(of: Incident) -> list[Any]:
    return [body["data"].get("joined") for body in bodies(of.id) if body["data"]["reason"] == "reoccurred"]


def test_a_recovery_ends_its_alert_and_the_incident_resolves_with_the_last_one(group: Source) -> None:
    nodes = together(group, "n1", "n2", "n3")

    first = ends(group, "n1", NOW + MINUTE)

    assert (first.disposition, first.incident_id) == ("updated", nodes.id)
    assert first.routing["trace"][-1] == "2 of 3 alerts of the incident still fire"
    assert numbers(nodes) == ("open", 2, 3)
    assert states(nodes) == {"n1": "ended", "n2": "firing", "n3": "firing"}
    assert timeline(nodes.id)[-1] == "alert_ended"
    assert "resolved" not in reasons(nodes.id)
    ends(group, "n2", NOW + 2 * MINUTE)
    assert ends(group, "n3", NOW + 3 * MINUTE).disposition == "resolved"
    assert numbers(nodes) == ("resolved", 0, 3)
    assert reasons(nodes.id)[-1] == "resolved"


def test_resolve_when_any_of_a_rule_resolves_with_the_first_recovery(cast: Cast) -> None:
    rule(
        cast.workspace,
        clause("type", "eq", "NodeDown"),
        disposition="incident",
        group_by=("type",),
        resolve_when=ResolveWhen.ANY,
    )
    nodes = together(cast.source, "n1", "n2")

    assert ends(cast.source, "n1", NOW + MINUTE).disposition == "resolved"
    assert states(nodes) == {"n1": "ended", "n2": "ended"}


def test_resolve_when_any_of_a_source_resolves_with_the_first_recovery(cast: Cast) -> None:
    Source.update(group_by=["type"], resolve_when="any").execute()
    together(cast.source, "n1", "n2", by="NodeDown")

    assert ends(cast.source, "n1", NOW + MINUTE, by="NodeDown").disposition == "resolved"


@pytest.mark.parametrize("name", ["n9", "n1"])
def test_a_recovery_that_names_no_firing_alert_changes_nothing_and_says_so(group: Source, name: str) -> None:
    nodes = together(group, "n1", "n2")
    ends(group, "n1", NOW + MINUTE)
    before = Incident.get_by_id(nodes.id)

    event = ends(group, name, NOW + 2 * MINUTE)

    assert event.disposition == "unmatched"
    assert event.routing["trace"][-1] == "the recovery names no alert of the incident that fires: nothing changes"
    assert Incident.get_by_id(nodes.id).rev == before.rev
    assert numbers(nodes) == ("open", 1, 2)


def test_a_recovery_that_the_rule_does_not_match_finds_its_alert_by_its_key(cast: Cast) -> None:
    match = {"all": [clause("type", "eq", "NodeDown"), clause("severity", "gte", "ERROR")]}
    rule(cast.workspace, match, disposition="incident", group_by=("type",))
    nodes = together(cast.source, "n1", "n2")

    assert ends(cast.source, "n2", NOW + MINUTE).incident_id == nodes.id
    assert states(nodes) == {"n1": "firing", "n2": "ended"}
    assert ends(cast.source, "n1", NOW + MINUTE).disposition == "resolved"


def test_alarm_and_end_of_one_batch_are_counted_in_order(group: Source) -> None:
    fields = {"type": "NodeDown", "title": "Node"}
    first = accept(group, key="n1", **fields)
    accept(group, key="n2", **fields)
    accept(group, key="n2", action="resolve", **fields)
    accept(group, key="n3", **fields)
    route(lambda: NOW)

    assert states(incident(first)) == {"n1": "firing", "n2": "ended", "n3": "firing"}


def test_without_a_key_each_title_is_an_alert_and_a_measure_is_not(cast: Cast) -> None:
    listen(cast.workspace)
    cpu = routed(cast.source, key=None, by="host", title="CPU 97 %")
    routed(cast.source, NOW + SECOND, key=None, by="host", title="CPU 99 %")
    routed(cast.source, NOW + 2 * SECOND, key=None, by="host", title="Disk full")

    found = incident(cpu.id)
    assert states(found) == {"cpu #": "firing", "disk full": "firing"}
    assert joined(found) == [{"count": 1, "titles": ["Disk full"]}]


def test_a_recovery_without_a_key_ends_the_alert_of_its_title_else_all_of_its_fingerprint(cast: Cast) -> None:
    Source.update(resolve_by="fingerprint").execute()
    fields: dict[str, Any] = {"key": None, "by": "host"}
    cpu = incident(routed(cast.source, title="CPU 97 %", **fields).id)
    routed(cast.source, title="Disk full", **fields)

    routed(cast.source, NOW + MINUTE, title="CPU 3 %", action="resolve", **fields)
    assert numbers(cpu) == ("open", 1, 2)
    routed(cast.source, NOW + 2 * MINUTE, title="Host is well", action="resolve", **fields)
    assert numbers(cpu)[0] == "resolved"


def test_a_recovery_without_a_key_that_names_nothing_of_a_group_changes_nothing(cast: Cast) -> None:
    Source.update(resolve_by="fingerprint", group_by=["type"]).execute()
    fields: dict[str, Any] = {"key": None, "by": "NodeDown", "type": "NodeDown"}
    nodes = incident(routed(cast.source, title="Node n1 is down", **fields).id)
    routed(cast.source, title="Node n2 is down", **fields)

    event = routed(cast.source, NOW + MINUTE, title="Node n1 is up", action="resolve", **fields)

    assert (event.disposition, numbers(nodes)) == ("unmatched", ("open", 2, 2))


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


def test_a_person_who_resolves_ends_all_alerts_and_an_undo_brings_them_back(group: Source) -> None:
    nodes = together(group, "n1", "n2")
    act(nodes, Act.RESOLVE, NOW + MINUTE)
    assert set(states(nodes).values()) == {"ended"}

    act(nodes, Act.REOPEN, NOW + 2 * MINUTE)

    assert states(nodes) == {"n1": "firing", "n2": "firing"} and numbers(nodes) == ("open", 2, 2)


def test_an_event_that_reopens_brings_only_its_own_alert_back(group: Source) -> None:
    nodes = together(group, "n1", "n2")
    act(nodes, Act.RESOLVE, NOW + MINUTE)

    assert node(group, "n2", NOW + 2 * MINUTE).incident_id == nodes.id

    assert states(nodes) == {"n1": "ended", "n2": "firing"} and numbers(nodes) == ("open", 1, 2)
    assert ends(group, "n2", NOW + 3 * MINUTE).disposition == "resolved"


def test_the_title_is_that_of_the_event_that_last_opened_reopened_or_escalated(cast: Cast) -> None:
    load = routed(cast.source, severity="WARNING", title="load is high")
    routed(cast.source, NOW + SECOND, severity="WARNING", title="load is still high")
    assert incident(load.id).title == "load is high"
    routed(cast.source, NOW + 2 * SECOND, severity="CRITICAL", title="load is very high")
    assert incident(load.id).title == "load is very high"
    routed(cast.source, NOW + 3 * SECOND, action="resolve", title="load is fine")
    assert incident(load.id).title == "load is very high"
    routed(cast.source, NOW + 4 * SECOND, severity="WARNING", title="load is back")
    assert incident(load.id).title == "load is back"


def test_a_title_that_a_person_edited_stays(cast: Cast) -> None:
    found = incident(routed(cast.source, severity="WARNING", title="load is high").id)
    with work() as done:
        people.edit(found.id, people.Edit(title="db1 is slow"), NOW, done, by=MIA, expected_rev=None)

    routed(cast.source, NOW + SECOND, severity="CRITICAL", title="load is very high")

    assert Incident.get_by_id(found.id).title == "db1 is slow"


def test_alerts_that_join_under_a_silence_are_told_when_it_ends(cast: Cast, group: Source) -> None:
    nodes = together(group, "n1")
    act(nodes, Act.ACKNOWLEDGE)
    Incident.update(state="silenced", state_before_silence="acknowledged").execute()
    node(group, "n2", NOW + MINUTE)
    assert joined(nodes) == []
    Incident.update(state="acknowledged", state_before_silence=None).execute()

    node(group, "n3", NOW + 2 * MINUTE)

    assert joined(nodes) == [{"count": 2, "titles": ["Node n2 is down", "Node n3 is down"]}]
