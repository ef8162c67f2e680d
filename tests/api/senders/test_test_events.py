"""Test events of sources over HTTP: the whole path of an event without a source key (specification 5.6)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from inbox.config import settings as settings_module
from inbox.config.settings import Settings
from inbox.database.base import new_id
from inbox.domain.events.validation import EventFlag
from inbox.domain.values import ids
from inbox.flow.routing.route import route
from inbox.models.deliveries.tables import Delivery
from inbox.models.events.tables import EventQueueRow, ReceivedEvent
from inbox.models.incidents.tables import Incident
from inbox.models.records.audit import AuditEntry
from inbox.models.senders.sources import Source
from tests.browser import Browser
from tests.cast import Cast, present, typeid
from tests.flow.routing_fixtures import listen

Browsers = Callable[[str], Browser]


@pytest.fixture
def path(cast: Cast) -> str:
    return f"/v1/sources/{typeid('src', cast.source.id)}/test-event"


def test_a_test_event_opens_an_incident_and_notifies_as_every_event(browser: Browsers, cast: Cast, path: str) -> None:
    destination = listen(cast.workspace)

    sent = browser("mia").post(path, {"severity": "CRITICAL", "title": "Try the rules"})
    route(present)

    assert sent.status_code == 202
    event = browser("mia").get(f"/v1/events/{sent.json['id']}").json
    assert sent.json == {"id": event["id"], "fingerprint": event["fingerprint"], "warnings": []}
    assert (event["flags"], event["disposition"], event["severity"]) == (["test"], "opened", "CRITICAL")
    assert event["sourceId"] == typeid("src", cast.source.id)
    assert Incident.get().title == "Try the rules"
    assert [delivery.destination_id for delivery in Delivery.select()] == [destination.id]


def test_an_event_without_fields_has_the_defaults_of_its_source(browser: Browsers, cast: Cast, path: str) -> None:
    Source.update(default_severity="WARNING").where(Source.id == cast.source.id).execute()

    browser("mia").post(path, {})

    event = ReceivedEvent.get()
    assert (event.title, event.severity, event.type) == ("Test event", "WARNING", "test")
    assert event.body == "Mia sent this event to test the source."


def test_test_events_of_one_source_belong_to_one_incident(browser: Browsers, path: str) -> None:
    for _ in range(2):
        browser("mia").post(path, {"severity": "ERROR"})
    route(present)

    assert [(incident.event_count, incident.state) for incident in Incident.select()] == [(2, "open")]


def test_a_list_of_events_shows_test_events_alone(browser: Browsers, path: str) -> None:
    sent = browser("mia").post(path, {}).json["id"]
    route(present)

    assert [row["id"] for row in browser("vic").get(f"/v1/events?flag={EventFlag.TEST}").json["items"]] == [sent]
    assert browser("vic").get(f"/v1/events?flag={EventFlag.CLOCK_SKEW}").json["items"] == []


def test_the_audit_log_names_the_person_and_the_event(browser: Browsers, cast: Cast, path: str) -> None:
    sent = browser("mia").post(path, {}).json["id"]

    entry = AuditEntry.get(AuditEntry.action == "source.tested")

    assert entry.actor["id"] == typeid("usr", cast.users["mia"].id)
    assert (entry.target["name"], entry.details) == ("Prometheus", {"eventId": sent})


def test_the_event_of_a_disabled_source_is_refused_and_not_stored(browser: Browsers, cast: Cast, path: str) -> None:
    Source.update(enabled=False).where(Source.id == cast.source.id).execute()

    refused = browser("mia").post(path, {})

    assert (refused.status_code, refused.json["code"]) == (409, "conflict")
    assert (ReceivedEvent.select().count(), EventQueueRow.select().count()) == (0, 0)


def test_test_events_count_for_the_rate_limit_of_their_source(
    browser: Browsers, cast: Cast, path: str, settings: Settings
) -> None:
    mia = browser("mia")
    settings_module.use(replace(settings, rate_limits=True, events_per_minute_source=1))

    answers = [mia.post(path, {}) for _ in range(3)]

    assert [answer.status_code for answer in answers] == [202, 202, 429]
    assert int(answers[2].headers["Retry-After"]) > 0
    assert ReceivedEvent.select().count() == 2


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"severity": "loud"}, "/severity"),
        ({"title": " "}, "/title"),
        ({"title": "x" * 257}, "/title"),
        ({"dedupKey": "x"}, "/dedupKey"),
    ],
)
def test_test_events_accept_only_severity_and_title(
    browser: Browsers, path: str, body: dict[str, Any], pointer: str
) -> None:
    refused = browser("mia").post(path, body)

    assert refused.status_code == 422
    assert [error["pointer"] for error in refused.json["errors"]] == [pointer]


def test_a_viewer_sends_no_test_event(browser: Browsers, path: str) -> None:
    refused = browser("vic").post(path, {})

    assert (refused.status_code, refused.json["requiredRole"]) == (403, "member")


def test_eve_cannot_send_a_test_event_of_a_foreign_source(browser: Browsers, path: str) -> None:
    eve, nowhere = browser("eve"), f"/v1/sources/{ids.encode('src', new_id())}/test-event"

    answers = [eve.post(path, {}), eve.post(nowhere, {})]

    assert [answer.status_code for answer in answers] == [404, 404]
    assert answers[0].json["detail"] == answers[1].json["detail"]
    assert ReceivedEvent.select().count() == 0
