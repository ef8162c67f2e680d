"""An incident has alerts: each key of the sender is one, a recovery ends its own, and new ones are news."""

from __future__ import annotations

from typing import Any

import pytest

from inbox.domain.incidents.alerts import ResolveWhen
from inbox.domain.incidents.incident import Act
from inbox.flow.people import incidents as people
from inbox.flow.routing.route import route
from inbox.flow.unit_of_work import work
from inbox.models.incidents.alerts import IncidentAlert
from inbox.models.incidents.tables import Incident
from inbox.models.senders.sources import Source
from tests.cast import NOW, Cast
from tests.flow.routing.alert_steps import MIA, SECOND, act, ends, joined, node, numbers, states, together
from tests.flow.routing.route_steps import MINUTE
from tests.flow.routing_fixtures import accept, incident, listen, reasons, routed, timeline
from tests.flow.rulemaking import clause, rule


@pytest.fixture
def group(cast: Cast) -> Source:
    """A source whose nodes are one incident by a rule, with a listener."""
    listen(cast.workspace)
    rule(cast.workspace, clause("type", "eq", "NodeDown"), disposition="incident", group_by=("type",))
    return cast.source


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


def test_an_end_that_two_groups_name_is_counted_once_with_its_alert(group: Source) -> None:
    first = node(group, "n1")
    routed(group, NOW, key="n1", type="DiskFull")

    routed(group, NOW + MINUTE, key="n1", type="DiskFull", action="resolve")
    node(group, "n2", NOW + 2 * MINUTE)

    nodes = incident(first.id)
    counts = {one.key: one.event_count for one in IncidentAlert.select() if one.incident_id == nodes.id}
    assert (counts, nodes.event_count) == ({"n1": 1, "n2": 1}, 2)


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
