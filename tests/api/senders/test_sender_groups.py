"""The group of a tool is the incident: one for each group key, with its alerts inside (specification 4.6)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from flask import Flask

from inbox.flow.timers.run import run_due
from inbox.models.incidents.tables import Incident
from inbox.models.senders.sources import Source
from tests.api.senders.group_steps import BEGAN, Groups, alert, incidents
from tests.cast import Cast, present
from tests.flow.routing_fixtures import bodies, listen, reasons
from tests.flow.rulemaking import clause, rule, silence
from tests.silences import make_silence

MINUTE = timedelta(minutes=1)


@pytest.fixture
def sender(app: Flask, cast: Cast) -> Groups:
    listen(cast.workspace)
    return Groups(app, cast)


def test_three_hosts_of_a_group_are_one_incident_that_ends_with_the_third(sender: Groups) -> None:
    sender.send(alert(1), alert(2), alert(3))
    assert incidents() == [("open", "web-1 is down", 3, 3)]

    [end] = sender.send(alert(2, ended=True))
    assert end.routing["trace"][-1] == "2 of 3 alerts of the incident still fire"
    assert incidents() == [("open", "web-1 is down", 2, 3)]

    sender.send(alert(1, ended=True), alert(3, ended=True))
    found = Incident.get()
    assert incidents() == [("resolved", "web-1 is down", 0, 3)]
    assert reasons(found.id) == ["opened", "resolved"]
    assert bodies(found.id)[0]["data"]["joined"]["count"] == 2


def test_the_labels_of_the_group_stand_for_a_missing_group_key(sender: Groups) -> None:
    sender.send(alert(1), alert(2), groupKey=None)
    sender.send(alert(3), groupKey=None, groupLabels={"alertname": "Other"})
    sender.send(alert(4), alert(5), groupKey=None, groupLabels={})

    assert [(firing, total) for _, _, firing, total in incidents()] == [(2, 2), (1, 1), (1, 1), (1, 1)]


def test_two_groups_are_two_incidents_even_with_alerts_of_one_moment(sender: Groups) -> None:
    sender.send(alert(1), alert(2))
    sender.send(alert(3), groupKey='{}:{alertname="DiskFull"}')

    assert [each[1:] for each in incidents()] == [("web-1 is down", 2, 2), ("web-3 is down", 1, 1)]


def test_grafana_groups_by_organization_and_group_key(app: Flask, cast: Cast) -> None:
    sender = Groups(app, cast, "grafana")
    sender.send(alert(1), alert(2), orgId=1)
    sender.send(alert(1), alert(3), orgId=2)
    sender.send(alert(1, ended=True), alert(2, ended=True), orgId=1)

    assert [(state, total) for state, _, _, total in incidents()] == [("resolved", 2), ("open", 2)]


def test_a_source_can_choose_an_incident_for_each_alert(sender: Groups) -> None:
    Source.update(incident_for="alert").execute()

    sender.send(alert(1), alert(2))
    sender.send(alert(2, ended=True))

    assert [(state, total) for state, _, _, total in incidents()] == [("open", 1), ("resolved", 1)]


def test_group_by_of_the_source_goes_before_the_group_of_the_sender(sender: Groups) -> None:
    Source.update(group_by=["metadata.labels.cluster"]).execute()

    sender.send(alert(1), alert(2, cluster="dc3"))
    sender.send(alert(3), groupKey="other")

    assert [(title, total) for _, title, _, total in incidents()] == [("web-1 is down", 2), ("web-2 is down", 1)]


def test_group_by_of_a_rule_goes_before_the_group_of_the_sender(cast: Cast, sender: Groups) -> None:
    rule(cast.workspace, disposition="incident", group_by=("metadata.labels.cluster",))

    sender.send(alert(1), alert(2, cluster="dc3"))
    sender.send(alert(3), groupKey="other")

    assert [(title, total) for _, title, _, total in incidents()] == [("web-1 is down", 2), ("web-2 is down", 1)]


def test_resolve_when_any_of_the_source_resolves_the_group_with_its_first_end(sender: Groups) -> None:
    Source.update(resolve_when="any").execute()

    sender.send(alert(1), alert(2))
    sender.send(alert(1, ended=True))

    assert [state for state, *_ in incidents()] == ["resolved"]


def test_an_alert_that_changes_its_group_stays_in_its_incident_until_it_ends(sender: Groups) -> None:
    sender.send(alert(1), alert(2))
    worse = {**alert(1), "annotations": {"summary": "web-1 is still down"}}
    [event] = sender.send(worse, groupKey="after an edit of the configuration")

    assert incidents() == [("open", "web-1 is down", 2, 2)]
    assert event.routing["trace"][-1] == "the alert already fires in this incident"
    sender.send(alert(1, ended=True), alert(2, ended=True), groupKey="after an edit of the configuration")
    assert incidents() == [("resolved", "web-1 is down", 0, 2)]
    sender.send({**alert(1), "startsAt": present().isoformat()}, groupKey="after an edit of the configuration")
    assert [state for state, *_ in incidents()] == ["resolved", "open"]


def test_an_alert_of_two_groups_is_in_the_incident_of_the_first(sender: Groups) -> None:
    sender.send(alert(1), alert(2))
    sender.send(alert(1), alert(3), groupKey='{}/{team="web"}:{}')

    assert [(title, total) for _, title, _, total in incidents()] == [("web-1 is down", 2), ("web-3 is down", 1)]
    sender.send(alert(1, ended=True), alert(2, ended=True), alert(3, ended=True))
    assert {state for state, *_ in incidents()} == {"resolved"}


def test_an_open_incident_of_one_alert_keeps_it_when_the_source_changes_to_groups(sender: Groups) -> None:
    Source.update(incident_for="alert").execute()
    sender.send(alert(1))
    Source.update(incident_for="group").execute()

    sender.send({**alert(1), "annotations": {"summary": "web-1 burns"}}, alert(2))

    assert [(title, total) for _, title, _, total in incidents()] == [("web-1 is down", 1), ("web-2 is down", 1)]


def test_a_group_that_was_cut_ends_with_the_alerts_that_were_sent(sender: Groups) -> None:
    sender.send(alert(1), alert(2), truncatedAlerts=3)
    sender.send(alert(1, ended=True), alert(2, ended=True), truncatedAlerts=3)

    assert incidents() == [("resolved", "web-1 is down", 0, 2)]


def test_a_repeat_of_the_group_is_no_news_and_a_new_alert_is(sender: Groups) -> None:
    sender.send(alert(1), alert(2))
    sender.send(alert(1), alert(2), at=present() + 10 * MINUTE)
    found = Incident.get()
    assert reasons(found.id) == ["opened"]

    sender.send(alert(1), alert(2), alert(3), at=present() + 11 * MINUTE)

    assert reasons(found.id) == ["opened", "reoccurred"]
    assert bodies(found.id)[-1]["data"]["joined"] == {"count": 1, "titles": ["web-3 is down"]}


def test_a_higher_severity_of_one_alert_is_that_of_the_incident(sender: Groups) -> None:
    sender.send(alert(1, severity="warning"), alert(2, severity="warning"))
    sender.send(alert(2))

    found = Incident.get()
    assert (found.severity, reasons(found.id)) == ("CRITICAL", ["opened", "escalated"])
    assert incidents() == [("open", "web-2 is down", 2, 2)]


def test_alerts_that_a_rule_logs_are_not_in_the_incident(cast: Cast, sender: Groups) -> None:
    rule(cast.workspace, clause("metadata.labels.instance", "startsWith", "web-2"), disposition="log")

    sender.send(alert(1), alert(2))
    sender.send(alert(1, ended=True))
    [end] = sender.send(alert(2, ended=True))

    assert incidents() == [("resolved", "web-1 is down", 0, 1)]
    assert end.disposition != "resolved"


def test_alerts_that_rules_send_to_other_people_are_another_incident(cast: Cast, sender: Groups) -> None:
    other = listen(cast.workspace, "Database team", routed=False)
    rule(cast.workspace, clause("metadata.labels.team", "eq", "db"), destination_ids=(other.id,))

    sender.send(alert(1), alert(2, team="db"), alert(3), alert(4, team="db"))

    assert [(title, total) for _, title, _, total in incidents()] == [("web-1 is down", 2), ("web-2 is down", 2)]
    sender.send(*(alert(number, ended=True) for number in range(1, 5)))
    assert {state for state, *_ in incidents()} == {"resolved"}


def test_a_rule_that_waits_counts_the_events_of_each_alert(cast: Cast, sender: Groups) -> None:
    rule(cast.workspace, disposition="incident", open_after=(2, 60))

    sender.send(alert(1), alert(2))
    assert incidents() == []
    sender.send({**alert(2), "startsAt": (BEGAN + MINUTE).isoformat()})

    assert incidents() == [("open", "web-2 is down", 1, 1)]


@pytest.mark.parametrize("order", [(1, 2, 3), (2, 1, 3), (1, 3, 2)])
def test_a_silence_of_one_alert_hides_no_other_alert_of_its_group(
    cast: Cast, sender: Groups, order: tuple[int, ...]
) -> None:
    silence(cast.workspace, clause("resource", "eq", "host:web-2"), present() - MINUTE)

    events = sender.send(*(alert(number) for number in order))

    assert {(state, total) for state, _, _, total in incidents()} == {("open", 2), ("silenced", 1)}
    [silenced] = [each for each in events if each.resource == "host:web-2"]
    assert "outside the group of the tool" in " ".join(silenced.routing["trace"])
    told = [each.id for each in Incident.select() if each.state == "open"]
    assert reasons(told[0]) == ["opened"]


def test_a_silenced_alert_that_comes_back_reopens_its_own_incident(cast: Cast, sender: Groups) -> None:
    silence(cast.workspace, clause("resource", "eq", "host:web-2"), present() - MINUTE)
    sender.send(alert(1), alert(2))
    sender.send(alert(2, ended=True))

    sender.send({**alert(2), "startsAt": present().isoformat()})

    assert sorted(incidents()) == [("open", "web-1 is down", 1, 1), ("silenced", "web-2 is down", 1, 1)]


def test_a_new_alert_ends_the_silence_of_its_group_that_does_not_cover_it(cast: Cast, sender: Groups) -> None:
    sender.send(alert(1))
    since = present()
    make_silence(cast.workspace, start=since, match=clause("resource", "eq", "host:web-1"))
    run_due(lambda: since + timedelta(seconds=1))
    assert [state for state, *_ in incidents()] == ["silenced"]

    sender.send({**alert(1), "annotations": {"summary": "web-1 is still down"}})
    assert [state for state, *_ in incidents()] == ["silenced"]
    sender.send(alert(2))

    found = Incident.get()
    assert incidents() == [("open", "web-1 is down", 2, 2)]
    assert bodies(found.id)[-1]["data"]["joined"] == {"count": 1, "titles": ["web-2 is down"]}


def test_a_silenced_alert_covers_its_incident_only_while_no_other_fires(cast: Cast, sender: Groups) -> None:
    sender.send(alert(1), alert(2))
    silence(cast.workspace, clause("title", "contains", "burns"), present() - MINUTE)

    sender.send({**alert(1), "annotations": {"summary": "web-1 burns"}})
    assert [state for state, *_ in incidents()] == ["open"]
    sender.send(alert(2, ended=True))
    sender.send({**alert(1), "annotations": {"summary": "web-1 burns well"}})

    assert [state for state, *_ in incidents()] == ["silenced"]


@pytest.mark.parametrize(("key", "count"), [("x" * 100_000, 1), (7, 1), ({"a": 1}, 1), ("é\u0000", 1)])
def test_any_group_key_of_any_length_is_taken(sender: Groups, key: Any, count: int) -> None:
    sender.send(alert(1), alert(2), groupKey=key)

    assert len(incidents()) == count
