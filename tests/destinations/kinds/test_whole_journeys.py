"""An incident at each kind, through the whole service: an event comes in, a message appears, somebody acts, it ends.

The event comes over HTTP. It is routed, and its deliveries are claimed, sent and recorded as workers do. The service that is called is a
stand-in. Where messages have links, one of them acknowledges.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import pytest
from flask import Flask

from app import create_app
from inbox.config import settings as in_force
from inbox.config.settings import Settings
from inbox.destinations import KINDS, outbound_policy
from inbox.destinations.http import Client
from inbox.flow.delivery.deliver import claim_due
from inbox.flow.delivery.results import record_results
from inbox.flow.delivery.senders import send_one
from inbox.flow.routing.route import route
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.tables import Delivery, DeliveryAttempt
from inbox.models.incidents.tables import Incident
from tests.browser import Browser
from tests.cast import Cast, present, typeid
from tests.destinations.kinds.cases import CASES, CONVERGING
from tests.destinations.kinds.stand_in import OWN_ADDRESS, Stage
from tests.flow.routing_fixtures import route_to
from tests.mail.servers import MailServer, mail_server_in_force

TOKEN = re.compile(r"/act/([A-Za-z0-9._-]+)")
ASKING_FOR_LINKS = {"ntfy": {"actionLinks": True}}


@dataclass
class Journey:
    """The workspace of the cast, with one destination on its default route. `client` calls its service."""

    cast: Cast
    anonymous: Browser
    adam: Browser
    client: Client
    passed: timedelta = field(default_factory=timedelta)

    def now(self) -> datetime:
        """The time of the workers."""
        return present() + self.passed

    def listen(self, kind: str, config: Mapping[str, Any]) -> None:
        """Create the destination, and route all to it."""
        fields = {"workspaceId": typeid("wsp", self.cast.workspace.id), "name": "On call", "kind": kind}
        chosen = {**config, **ASKING_FOR_LINKS.get(kind, {})}
        made = self.adam.post("/v1/destinations", {**fields, "config": chosen})
        assert made.status_code == 201, made.get_json()
        route_to(self.cast.workspace, [Destination.get()])

    def event(self, **fields: Any) -> None:
        """Send an event, and let the workers do all that follows."""
        body = {"title": "Disk full", "severity": "ERROR", "dedupKey": "disk", **fields}
        headers = {"Authorization": f"Bearer {self.cast.key}", "Origin": ""}
        assert self.anonymous.post("/v1/events", body, headers=headers).status_code < 300
        route(self.now)
        self.work()

    def work(self) -> None:
        """Send all that is due. Between two messages the pace of the service passes."""
        while calls := claim_due(self.now(), 10).calls:
            record_results([send_one(*each, self.client, self.now) for each in calls], self.now())
            self.passed += timedelta(seconds=5)

    def acknowledge(self, message: str) -> str:
        """Acknowledge by the link of the message, else in the dashboard. It returns which."""
        tokens = TOKEN.findall(message)
        if tokens:
            sent = {"Origin": "", "Content-Type": "application/x-www-form-urlencoded", "Accept": "text/html"}
            assert self.anonymous.get(f"/act/{tokens[0]}").status_code == 200
            assert self.state == "open"
            assert self.anonymous.post(f"/act/{tokens[0]}", headers=sent).status_code == 200
        else:
            path = f"/v1/incidents/{typeid('inc', Incident.get().id)}/acknowledge"
            assert self.adam.post(path, {}).status_code == 200
        self.work()
        return "link" if tokens else "dashboard"

    @property
    def state(self) -> str:
        """The state of the incident."""
        return str(Incident.get().state)


def journey_in(app: Flask, cast: Cast, client: Client) -> Journey:
    return Journey(cast, Browser(app, OWN_ADDRESS), Browser(app, OWN_ADDRESS, cookie=cast.cookie("adam")), client)


def test_an_incident_at_a_service_from_its_event_to_its_end(stage: Stage, app: Flask, cast: Cast) -> None:
    can, shown = KINDS[stage.case.kind].description.can, stage.service.messages
    journey = journey_in(app, cast, stage.client)
    journey.listen(stage.case.kind, stage.case.settings)

    journey.event()
    assert len(shown) == 1
    (first,) = shown
    assert "Disk full" in shown[first]

    by = journey.acknowledge(stage.calls()[-1][2].body.decode())
    assert journey.state == "acknowledged"
    assert by == ("link" if can.action_links else "dashboard")
    assert "ACKNOWLEDGED" in [*shown.values()][-1].upper()

    journey.event(severity="SUCCESS", action="resolve")
    assert journey.state == "resolved"
    assert "RESOLVED" in [*shown.values()][-1].upper()
    assert len(shown) == (1 if stage.case.name in CONVERGING else 3)
    assert {each.status for each in Delivery.select()} == {"sent"}
    assert all(each.requests for each in DeliveryAttempt.select())


@pytest.fixture
def server(settings: Settings, ground: Any) -> Iterator[MailServer]:
    with mail_server_in_force(settings) as running:
        yield running


def test_an_incident_in_mails_from_its_event_to_its_end(server: MailServer, cast: Cast) -> None:
    journey = journey_in(create_app(in_force.current()), cast, outbound_policy.client())
    journey.listen("email", {"to": "on-call@example.org"})

    journey.event()
    assert journey.acknowledge(server.mails[0].text) == "link"
    assert journey.state == "acknowledged"
    journey.event(severity="SUCCESS", action="resolve")

    opened, acknowledged, resolved = server.mails
    assert [each.message["In-Reply-To"] for each in (acknowledged, resolved)] == [opened.message["Message-ID"]] * 2
    assert ["ACKNOWLEDGED" in acknowledged.text, "RESOLVED" in resolved.text] == [True, True]
    assert {each.status for each in Delivery.select()} == {"sent"}
    assert all(TOKEN.findall(each.requests) == [] for each in DeliveryAttempt.select())
    assert all('"url":"mailto:on-call@example.org"' in each.requests for each in DeliveryAttempt.select())


def test_every_kind_of_a_service_has_its_journey() -> None:
    # The journeys of these kinds are in `test_journeys_of_own_kinds`.
    assert {each.kind for each in CASES.values()} | {"email", "webhook", "web_push", "apprise"} == set(KINDS)
