"""The events that a rule counts before it opens (`openAfter`) report alerts of the incident that they open."""

from __future__ import annotations

import pytest

from inbox.models.incidents.alerts import IncidentAlert
from inbox.models.senders.sources import Source
from tests.cast import NOW, Cast
from tests.flow.routing.alert_steps import ends, node, numbers, states, together
from tests.flow.routing.route_steps import MINUTE
from tests.flow.routing_fixtures import bodies, incident, listen, routed
from tests.flow.rulemaking import clause, rule

ALL_FIRE = {"n1": "firing", "n2": "firing", "n3": "firing"}


@pytest.fixture
def third(cast: Cast) -> Source:
    """A source whose nodes are one incident from the third event on."""
    listen(cast.workspace)
    rule(cast.workspace, clause("type", "eq", "NodeDown"), open_after=(3, 10), group_by=("type",))
    return cast.source


def test_each_key_that_was_counted_before_the_opening_is_an_alert(third: Source) -> None:
    for minute, name in enumerate(("n1", "n2")):
        node(third, name, NOW + minute * MINUTE)
    nodes = incident(node(third, "n3", NOW + 2 * MINUTE).id)

    assert (states(nodes), numbers(nodes)) == (ALL_FIRE, ("open", 3, 3))
    [opened] = bodies(nodes.id)
    assert opened["data"]["joined"] == {"count": 2, "titles": ["Node n1 is down", "Node n2 is down"]}


def test_the_incident_resolves_with_the_end_of_the_last_alert_that_was_counted(third: Source) -> None:
    for minute, name in enumerate(("n1", "n2", "n3")):
        opener = node(third, name, NOW + minute * MINUTE)
    nodes = incident(opener.id)

    assert ends(third, "n3", NOW + 3 * MINUTE).disposition == "updated"
    assert ends(third, "n1", NOW + 4 * MINUTE).disposition == "updated"
    assert ends(third, "n2", NOW + 5 * MINUTE).disposition == "resolved"
    assert numbers(nodes) == ("resolved", 0, 3)


def test_the_events_of_one_batch_that_open_together_are_alerts(third: Source) -> None:
    node(third, "n1")
    together(third, "n2", "n3", at=NOW + MINUTE)

    assert states(incident(node(third, "n3", NOW + 2 * MINUTE).id)) == ALL_FIRE


def test_counted_events_of_one_key_are_one_alert(third: Source) -> None:
    node(third, "n1")
    node(third, "n1", NOW + MINUTE)
    nodes = incident(node(third, "n2", NOW + 2 * MINUTE).id)

    found = IncidentAlert.select().where(IncidentAlert.incident_id == nodes.id).order_by(IncidentAlert.key)
    assert [(one.key, one.event_count, one.first_seen_at) for one in found] == [
        ("n1", 2, NOW),
        ("n2", 1, NOW + 2 * MINUTE),
    ]


def test_counted_events_of_a_reopened_incident_are_counted_on_its_alerts(third: Source) -> None:
    for turn in (0, 1):
        for minute, name in enumerate(("n1", "n2", "n3")):
            opener = node(third, name, NOW + (20 * turn + minute) * MINUTE)
        nodes = incident(opener.id)
        assert (states(nodes), numbers(nodes)) == (ALL_FIRE, ("open", 3, 3))
        for name in ("n1", "n2", "n3"):
            ends(third, name, NOW + (20 * turn + 5) * MINUTE)

    found = IncidentAlert.select().where(IncidentAlert.incident_id == nodes.id)
    assert [one.event_count for one in found] == [4, 4, 4]


def test_the_alert_of_a_key_counts_all_events_that_were_counted_before(cast: Cast) -> None:
    rule(cast.workspace, open_after=(3, 10), severity=None)
    for minute in range(3):
        opener = routed(cast.source, NOW + minute * MINUTE)

    [alert] = IncidentAlert.select().where(IncidentAlert.incident_id == opener.incident_id)
    assert (alert.event_count, alert.first_seen_at, alert.last_seen_at) == (3, NOW, NOW + 2 * MINUTE)
