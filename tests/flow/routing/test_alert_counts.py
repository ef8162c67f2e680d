"""The counts of alerts: those of a single alert are its incident's, so that its events write only the incident."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from inbox.database.base import db
from inbox.domain.incidents.alerts import MAX_ALERTS
from inbox.flow.routing.route import route
from inbox.models.incidents.alerts import IncidentAlert, present
from inbox.models.incidents.tables import Incident
from tests.cast import NOW, Cast
from tests.flow.routing_fixtures import accept, incident, routed

MINUTE = timedelta(minutes=1)


def shown(of: Incident) -> dict[str, IncidentAlert]:
    now, found = Incident.get_by_id(of.id), IncidentAlert.select().where(IncidentAlert.incident_id == of.id)
    return {each.key: present(each, now) for each in found}


def counts(of: Incident) -> dict[str, tuple[int, datetime]]:
    return {key: (each.event_count, each.last_seen_at) for key, each in shown(of).items()}


def test_each_event_of_a_single_alert_is_counted(cast: Cast) -> None:
    one = incident(routed(cast.source, key="a").id)
    for minutes in (1, 2):
        routed(cast.source, NOW + minutes * MINUTE, key="a")

    assert counts(one) == {"a": (3, NOW + 2 * MINUTE)}


def test_a_joining_alert_leaves_the_counts_of_the_first_one(cast: Cast) -> None:
    one = incident(routed(cast.source, key="a", by="group").id)
    routed(cast.source, NOW + MINUTE, key="a", by="group")
    first = accept(cast.source, NOW + 2 * MINUTE, key="a", by="group")
    accept(cast.source, NOW + 3 * MINUTE, key="b", by="group")
    accept(cast.source, NOW + 4 * MINUTE, key="b", by="group")
    route(lambda: NOW + 4 * MINUTE)

    assert incident(first).id == one.id
    assert counts(one) == {"a": (3, NOW + 2 * MINUTE), "b": (2, NOW + 4 * MINUTE)}
    routed(cast.source, NOW + 5 * MINUTE, key="a", by="group")
    assert counts(one) == {"a": (4, NOW + 5 * MINUTE), "b": (2, NOW + 4 * MINUTE)}


def test_one_batch_opens_the_incident_counts_on_its_alert_and_joins_another(cast: Cast) -> None:
    first = accept(cast.source, NOW, key="a", by="group", title="high", severity="WARNING")
    for minutes, title in ((1, "very high"), (2, "very high")):
        accept(cast.source, NOW + minutes * MINUTE, key="a", by="group", title=title, severity="CRITICAL")
    accept(cast.source, NOW + 3 * MINUTE, key="b", by="group", title="other")
    route(lambda: NOW + 4 * MINUTE)

    one = incident(first)
    assert counts(one) == {"a": (3, NOW + 2 * MINUTE), "b": (1, NOW + 3 * MINUTE)}
    assert (shown(one)["a"].title, shown(one)["a"].severity) == ("very high", "CRITICAL")


def test_a_joining_alert_leaves_title_and_severity_of_the_first_one(cast: Cast) -> None:
    one = incident(routed(cast.source, key="a", by="group", title="high", severity="WARNING").id)
    routed(cast.source, NOW + MINUTE, key="a", by="group", title="very high", severity="CRITICAL")
    routed(cast.source, NOW + 2 * MINUTE, key="a", by="group", title="less high", severity="ERROR")
    routed(cast.source, NOW + 3 * MINUTE, key="b", by="group", title="other")

    first = shown(one)["a"]
    assert (first.title, first.severity, first.event_count) == ("very high", "ERROR", 3)


def test_an_end_in_two_incidents_is_counted_on_the_alert_of_the_first(cast: Cast) -> None:
    one = incident(routed(cast.source, key="a", by="one").id)
    routed(cast.source, NOW + MINUTE, key="b", by="one")
    two = incident(routed(cast.source, NOW + MINUTE, key="a", by="two").id)
    routed(cast.source, NOW + 2 * MINUTE, key="a", by="two", action="resolve")

    assert (counts(two)["a"][0], counts(one)["a"][0]) == (2, 1)
    assert [shown(each)["a"].state for each in (one, two)] == ["ended", "ended"]


def test_an_event_that_is_only_counted_on_a_single_alert_leaves_the_row_of_the_alert(cast: Cast) -> None:
    routed(cast.source, key="a", title="high")
    before = IncidentAlert.select().dicts().get()
    for minutes, title in ((1, "high"), (2, "still high")):
        routed(cast.source, NOW + minutes * MINUTE, key="a", title=title)

    assert (IncidentAlert.select().dicts().get(), Incident.get().event_count) == (before, 3)


def test_a_single_alert_without_a_key_has_the_title_of_its_incident_and_another_title_joins(cast: Cast) -> None:
    one = incident(routed(cast.source, key=None, by="host", title="CPU 97 %").id)
    routed(cast.source, NOW + MINUTE, key=None, by="host", title="CPU 97 %")
    routed(cast.source, NOW + 2 * MINUTE, key=None, by="host", title="CPU 99 %")
    routed(cast.source, NOW + 3 * MINUTE, key=None, by="host", title="Disk full")

    assert counts(one) == {"cpu #": (3, NOW + 2 * MINUTE), "disk full": (1, NOW + 3 * MINUTE)}


def test_the_end_of_a_single_alert_keeps_its_values(cast: Cast) -> None:
    one = incident(routed(cast.source, key="a", title="high", severity="WARNING").id)
    routed(cast.source, NOW + MINUTE, key="a", title="very high", severity="CRITICAL")
    routed(cast.source, NOW + 2 * MINUTE, key="a", title="fine", action="resolve", severity="SUCCESS")

    ended = shown(one)["a"]
    assert (ended.title, ended.severity, ended.state, ended.event_count) == ("very high", "CRITICAL", "ended", 3)


def fill(one: Incident, alerts: int) -> None:
    """Gives the incident this many firing alerts."""
    db.execute_sql(
        "INSERT INTO alerts (id, workspace_id, source_id, incident_id, key, title, severity, state, round, first_seen_at,"
        " last_seen_at, event_count) SELECT gen_random_uuid(), workspace_id, source_id, id, 'k' || n, 'Node ' || n, 'ERROR',"
        " 'firing', alert_round, now(), now(), 1 FROM incidents, generate_series(alert_count + 1, %s) n WHERE id = %s",
        [alerts, one.id],
    )
    Incident.update(alert_count=alerts, firing_count=alerts).where(Incident.id == one.id).execute()


def numbers(one: Incident) -> tuple[int, int, int, int]:
    now = Incident.get_by_id(one.id)
    stored = IncidentAlert.select().where(IncidentAlert.incident_id == one.id).count()
    return now.alert_count, now.firing_count, now.alerts_left_out, stored


def test_below_at_and_above_the_limit_alerts_are_kept_then_counted(cast: Cast) -> None:
    one = incident(routed(cast.source, key="a", by="group").id)
    fill(one, MAX_ALERTS - 1)

    sent: list[Any] = [routed(cast.source, NOW + n * MINUTE, key=f"new-{n}", by="group") for n in (1, 2, 3)]
    routed(cast.source, NOW + 4 * MINUTE, key="new-3", by="group")

    assert numbers(one) == (MAX_ALERTS, MAX_ALERTS, 3, MAX_ALERTS)
    assert sent[1].routing["trace"][-1] == "the incident has 10,000 alerts: further ones are only counted"
    assert Incident.get_by_id(one.id).event_count == 5


def test_above_the_limit_the_end_of_an_alert_that_is_not_kept_changes_nothing(cast: Cast) -> None:
    one = incident(routed(cast.source, key="a", by="group").id)
    fill(one, MAX_ALERTS)
    routed(cast.source, NOW + MINUTE, key="unkept", by="group")

    end = routed(cast.source, NOW + 2 * MINUTE, key="unkept", by="group", action="resolve")
    routed(cast.source, NOW + 3 * MINUTE, key="a", by="group", action="resolve")

    assert end.disposition == "unmatched"
    assert numbers(one) == (MAX_ALERTS, MAX_ALERTS - 1, 1, MAX_ALERTS)
