"""Reports of an alarm that a person resolved: none is swallowed, whatever the format (specification 3.3, 4.8)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from flask import Flask

from inbox.database.base import db
from inbox.domain.values import times
from inbox.flow.routing.route import route
from inbox.intake.registry import TOOLS
from inbox.models.events.tables import Event, EventQueueRow
from inbox.models.incidents.tables import Incident
from inbox.models.senders.sources import Source
from tests.api.senders.test_beginnings import FORMS
from tests.api.senders.test_hooks import bearer
from tests.browser import Browser
from tests.cast import Cast, present, typeid
from tests.intake.payloads import payload

NOW = times.rfc3339(datetime.now(UTC) - timedelta(minutes=1))
OWN = {"title": "Disk full", "severity": "ERROR", "dedupKey": "disk", "occurredAt": NOW}
ALL: dict[str, Callable[[str], tuple[str, Any]]] = {
    **FORMS,
    **{
        name: lambda key, name=name: (f"/v1/hooks/{name}", payload(name, "alarm"))
        for name in sorted({*TOOLS} - {"sns"})
    },
    "events": lambda key: ("/v1/events", OWN),
}
"""Without SNS, whose messages have ids: a message with the id of an earlier one is a retry."""


def report(app: Flask, cast: Cast, form: str) -> None:
    """Send the alarm in this form, and route it."""
    path, body = ALL[form](cast.key)
    if path == "/v1/hooks/prtg":
        sent: dict[str, Any] = {"data": body}
    else:
        sent = {"json": body}
    answer = app.test_client().post(path, headers=bearer(cast.key), **sent)
    assert answer.status_code in (200, 202), answer.text
    route(present)


@pytest.fixture(autouse=True)
def errors(cast: Cast) -> None:
    texts = {"title": {"template": "{name}"}, "occurred_at": {"template": "{began}"}}
    Source.update(mapping=texts, default_severity="ERROR").where(Source.id == cast.source.id).execute()


@pytest.mark.parametrize("form", sorted(ALL))
def test_an_alarm_that_its_sender_still_reports_is_open_again(
    app: Flask, cast: Cast, browser: Callable[[str], Browser], form: str
) -> None:
    report(app, cast, form)
    [existing] = Incident.select()
    browser("olga").post(f"/v1/incidents/{typeid('inc', existing.id)}/resolve", {})
    db.execute_sql("UPDATE incidents SET resolved_at = resolved_at - interval '6 minutes', last_seen_at = opened_at")

    report(app, cast, form)

    [existing] = Incident.select()
    assert (existing.state, existing.reopen_count) == ("open", 1)


@pytest.mark.parametrize("form", [*FORMS, "events"])
def test_a_report_with_the_same_time_is_no_event_and_moves_the_time_of_the_incident(
    app: Flask, cast: Cast, form: str
) -> None:
    report(app, cast, form)
    db.execute_sql("UPDATE incidents SET last_seen_at = last_seen_at - interval '4 hours'")

    report(app, cast, form)

    [existing] = Incident.select()
    assert (Event.select().count(), existing.event_count, EventQueueRow.select().count()) == (1, 1, 0)
    assert present() - existing.last_seen_at < timedelta(minutes=5)
