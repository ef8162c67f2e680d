"""What a person does in the tool that sends stands on the incident of the alert (specification 19.8)."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask

from inbox.flow.routing.route import route
from inbox.models.incidents.tables import Incident, TimelineEntry
from inbox.models.senders.sources import Source
from tests.api.senders.test_hooks import bearer, hook
from tests.cast import Cast, present
from tests.intake.payloads import payload

ZABBIX = payload("zabbix", "alarm")
ACKNOWLEDGED = {
    **ZABBIX,
    "update": "1",
    "ack": "Yes",
    "action": "acknowledged and commented",
    "user": "olga",
    "message": "I look",
}
OPSGENIE, PAGERDUTY = "/v1/compat/opsgenie/v2/alerts", "/v1/compat/pagerduty/v2/enqueue"


def send(app: Flask, cast: Cast, tool: str, document: Any) -> None:
    assert hook(app, bearer(cast.key), tool, json=document).status_code == 202
    route(present)


def entries() -> list[tuple[str, str, str]]:
    """The kind, the actor and the text of the entries after the first, in their order."""
    found = TimelineEntry.select().order_by(TimelineEntry.id)
    return [(each.kind, each.actor["name"], each.details.get("text", "")) for each in found][1:]


def test_an_acknowledgement_in_zabbix_is_a_note_with_the_words_of_the_person(app: Flask, cast: Cast) -> None:
    send(app, cast, "zabbix", ZABBIX)

    send(app, cast, "zabbix", ACKNOWLEDGED)

    text = "High CPU on db2 was acknowledged in Zabbix\nolga: I look"
    assert entries() == [("note", f"olga in {cast.source.name}", text)]
    assert Incident.get().state == "open"


def test_a_source_lets_its_sender_acknowledge_and_take_it_back(app: Flask, cast: Cast) -> None:
    Source.update(allow_sender_acknowledge=True).where(Source.id == cast.source.id).execute()
    send(app, cast, "zabbix", ZABBIX)

    send(app, cast, "zabbix", ACKNOWLEDGED)
    acknowledged = Incident.get().state
    send(app, cast, "zabbix", {**ACKNOWLEDGED, "ack": "No", "action": "unacknowledged"})

    assert (acknowledged, Incident.get().state) == ("acknowledged", "open")
    assert [kind for kind, _, _ in entries()] == ["note", "acknowledged", "note", "unacknowledged"]


def test_an_act_on_an_unknown_or_resolved_alert_changes_nothing(app: Flask, cast: Cast) -> None:
    send(app, cast, "zabbix", ZABBIX)
    send(app, cast, "zabbix", payload("zabbix", "end"))
    before = entries()

    send(app, cast, "zabbix", ACKNOWLEDGED)
    send(app, cast, "zabbix", {**ACKNOWLEDGED, "eventId": "9"})

    assert entries() == before
    assert Incident.get().state == "resolved"


@pytest.mark.parametrize("kind", ["ACKNOWLEDGEMENT", "DOWNTIMESTART", "CUSTOM"])
def test_what_a_person_does_in_icinga_stands_on_the_incident(app: Flask, cast: Cast, kind: str) -> None:
    alarm = payload("icinga", "alarm")
    send(app, cast, "icinga", alarm)

    send(app, cast, "icinga", {**alarm, "type": kind, "author": "olga", "comment": "new disk"})

    [(entry, actor, text)] = entries()
    assert (entry, actor) == ("note", f"olga in {cast.source.name}")
    assert text.startswith("disk on db2: ") and "\nolga: new disk" in text


def test_acts_in_the_formats_of_pagerduty_and_opsgenie_stand_on_the_incident(app: Flask, cast: Cast) -> None:
    client, headers = app.test_client(), bearer(cast.key)
    event = {
        "routing_key": cast.key,
        "dedup_key": "d",
        "payload": {"summary": "Disk", "source": "db2", "severity": "error"},
    }
    client.post(PAGERDUTY, json={**event, "event_action": "trigger"})
    client.post(OPSGENIE, json={"message": "Queue", "alias": "q"}, headers=headers)
    route(present)

    client.post(PAGERDUTY, json={**event, "event_action": "acknowledge"})
    client.post(f"{OPSGENIE}/q/notes?identifierType=alias", json={"note": "I look", "user": "mia"}, headers=headers)

    kinds = [
        (each.kind, each.actor["name"], each.details["text"]) for each in TimelineEntry.select() if each.kind == "note"
    ]
    assert sorted(kinds, key=lambda each: each[2]) == [
        ("note", cast.source.name, "Disk was acknowledged by the sender"),
        ("note", f"mia in {cast.source.name}", "The alert was given a note by the sender\nmia: I look"),
    ]


def test_an_end_for_want_of_data_says_why_and_may_leave_the_incident_open(app: Flask, cast: Cast) -> None:
    alarm, end = payload("grafana", "alarm"), payload("grafana", "end")
    end["alerts"][0]["annotations"] = {"grafana_state_reason": "MissingSeries"}
    Source.update(keep_open_on_missing_data=True).where(Source.id == cast.source.id).execute()
    send(app, cast, "grafana", alarm)

    send(app, cast, "grafana", end)
    kept = Incident.get().state, entries()
    Source.update(keep_open_on_missing_data=False).where(Source.id == cast.source.id).execute()
    send(app, cast, "grafana", end)

    note = "CPU on web1: the sender has no data any more\nGrafana: MissingSeries"
    assert kept == ("open", [("note", cast.source.name, note)])
    assert Incident.get().state == "resolved"
    assert entries()[1:] == [
        ("note", cast.source.name, "CPU on web1\nGrafana: MissingSeries"), ("resolved", cast.source.name, "")
    ]  # fmt: skip
