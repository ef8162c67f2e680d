"""A report with another severity, title or body is an event; at `/v1/events` a higher severity is (specification 4.8)."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from typing import Any

import orjson
import pytest
from flask import Flask

from inbox.domain.values import times
from inbox.flow.ingest.group_commit import GroupCommitter
from inbox.flow.ingest.ingest import store_group
from inbox.flow.routing.route import route
from inbox.limits.ingest import IngestRateLimiter
from inbox.models.events.ingest_store import IngestConnection
from inbox.models.events.tables import Event, EventDedup
from inbox.models.incidents.tables import Incident
from inbox.models.senders.sources import Source
from tests.api.events.senders import Sender, event
from tests.api.senders.test_beginnings import FORMS
from tests.api.senders.test_hooks import bearer
from tests.cast import Cast, present
from tests.flow.concurrent_connections import offer, together, tried

NOW = times.rfc3339(datetime.now(UTC))


def disk(severity: str, **more: Any) -> dict[str, Any]:
    return event(dedupKey="disk", occurredAt=NOW, severity=severity, **more)


def statuses(receipts: list[dict[str, Any]]) -> list[str]:
    return [receipt["status"] for receipt in receipts]


def test_a_higher_severity_at_the_same_time_is_an_event_and_a_lower_one_is_a_duplicate(sender: Sender) -> None:
    [warning] = sender.stored(disk("WARNING"))
    [critical] = sender.stored(disk("CRITICAL", title="Disk full"))
    again = [sender.stored(disk(severity))[0] for severity in ("WARNING", "ERROR", "CRITICAL", "INFO")]

    assert (warning["status"], critical["status"]) == ("accepted", "accepted")
    assert {(each["status"], each["id"]) for each in again} == {("duplicate", critical["id"])}
    assert (Event.select().count(), EventDedup.select().count()) == (2, 1)


def test_a_severity_that_rises_within_a_batch_is_two_events(sender: Sender) -> None:
    found = sender.stored({"events": [disk("ERROR"), disk("ERROR"), disk("CRITICAL"), disk("ERROR")]})

    assert statuses(found) == ["accepted", "duplicate", "accepted", "duplicate"]
    assert statuses(sender.stored(disk("CRITICAL"))) == ["duplicate"]
    assert Event.select().count() == 2


def test_a_severity_that_rises_within_a_group_is_two_events(cast: Cast) -> None:
    offers = [offer(cast.key, disk(severity)) for severity in ("WARNING", "CRITICAL", "WARNING", "CRITICAL")]

    result = store_group(offers, IngestConnection().store(), IngestRateLimiter())

    bodies = [orjson.loads(outcome.body)["events"] for outcome in result.outcomes if not isinstance(outcome, Exception)]
    assert [status for receipts in bodies for status in statuses(receipts)] == ["accepted", "accepted"] + [
        "duplicate"
    ] * 2
    assert (Event.select().count(), EventDedup.select().count()) == (2, 1)


def test_a_severity_that_rises_at_two_processes_at_once_is_stored_once(cast: Cast) -> None:
    processes = [GroupCommitter(), GroupCommitter()]
    for number in range(10):
        key = f"disk {number}"
        tried(processes[0], offer(cast.key, {**disk("WARNING"), "dedupKey": key}))
        risen = {**disk("CRITICAL"), "dedupKey": key}
        answers = together([partial(tried, processes[at % 2], offer(cast.key, risen)) for at in range(6)])
        assert all(isinstance(answer, bytes) for answer in answers)
    assert Event.select().count() == 20


def test_the_end_of_an_alarm_is_no_repeat_of_it_whatever_its_severity(sender: Sender) -> None:
    found = [sender.stored(disk(severity))[0]["status"] for severity in ("CRITICAL", "SUCCESS", "CRITICAL", "SUCCESS")]

    assert found == ["accepted", "accepted", "duplicate", "duplicate"]


@pytest.mark.parametrize("form", sorted(set(FORMS) - {"prometheus"}))  # its severity is a label, which names the alert
def test_another_severity_title_or_text_with_the_same_beginning_is_an_event(app: Flask, cast: Cast, form: str) -> None:
    texts = {"title": {"template": "{name}"}, "occurred_at": {"template": "{began}"}, "dedup_key": {"template": "k"}}
    Source.update(mapping={**texts, "severity": {"template": "{level}"}}).where(Source.id == cast.source.id).execute()
    sent = [
        ("warning", "Disk fills"),
        ("warning", "Disk fills"),
        ("critical", "Disk fills"),
        ("critical", "Disk is full"),
    ]

    for level, title in [*sent, ("warning", "Disk is full")]:
        path, body = FORMS[form](cast.key)
        answer = app.test_client().post(path, json=changed(form, body, level, title), headers=bearer(cast.key))
        assert answer.status_code in (200, 202), answer.text
        route(present)

    [incident] = Incident.select()
    assert Event.select().count() == 4
    assert (incident.severity, incident.event_count) == ("CRITICAL", 4)


def changed(form: str, body: Any, level: str, title: str) -> Any:
    """The report with this severity and title."""
    match form:
        case "mapping":
            return {**body, "name": title, "level": level}
        case "pagerduty":
            return {**body, "payload": {**body["payload"], "severity": level, "summary": title}}
    return {**body, "alerts": [changed_alert(alert, level, title) for alert in body["alerts"]]}


def changed_alert(alert: dict[str, Any], level: str, title: str) -> dict[str, Any]:
    return {**alert, "labels": {**alert["labels"], "severity": level}, "annotations": {"summary": title}}
