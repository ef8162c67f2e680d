"""An accepted message that is not delivered: the delivery fails and the fallback is notified (specification 9.21)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import pytest

from inbox.config import settings as in_force
from inbox.config.settings import Settings, current
from inbox.flow.delivery.deliver import claim_due, deliver
from inbox.flow.delivery.results import record_results
from inbox.flow.delivery.senders import send_one
from inbox.flow.timers.run import run_due
from inbox.identity import status_tokens
from inbox.identity.status_tokens import SentAttempt
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.tables import Delivery
from inbox.models.incidents.tables import Incident
from inbox.services.deliveries import status_callbacks
from tests.cast import Cast, present
from tests.destinations.kinds.notice_bodies import body
from tests.destinations.kinds.stand_in import Stage
from tests.destinations.twilio_sms import Twilio
from tests.flow.routing_fixtures import settle
from tests.stand_ins.outgoing_posts import attempts_of, fresh, make_destination, make_incident, owe, store_destination
from tests.stand_ins.receivers import Receiver

PUBLIC = "https://inbox.example.org"
UNKNOWN_NUMBER = {"MessageSid": "SM1", "MessageStatus": "undelivered", "ErrorCode": "30005"}

pytestmark = pytest.mark.parametrize("stage", ["twilio_sms"], indirect=True)


@dataclass
class Texting:
    """A destination for text messages. `service` receives its messages."""

    cast: Cast
    stage: Stage
    destination: Destination

    @property
    def service(self) -> Twilio:
        assert isinstance(self.stage.service, Twilio)
        return self.stage.service

    def send(self, **more: Any) -> Delivery:
        """A delivery after its attempt."""
        delivery = owe(self.destination, make_incident(self.cast), 1, body=body().decode(), **more)
        calls = claim_due(present(), 10).calls
        record_results([send_one(*each, self.stage.client, present) for each in calls], present())
        found: Delivery = fresh(delivery)
        return found

    def report(self, form: dict[str, str], number: int = -1) -> None:
        """Send a report to the address that came with a message."""
        token = urlsplit(self.service.reports_to[number]).path.rpartition("/")[2]
        status_callbacks.receive(token, form, present(), signing_key=current().signing_key)


@pytest.fixture
def at(settings: Settings, ground: Any, cast: Cast, stage: Stage) -> Iterator[Callable[[str], Texting]]:
    """`at(address)` is the destination of an instance with this address."""

    def use(base_url: str) -> Texting:
        in_force.use(replace(settings, base_url=base_url))
        return Texting(cast, stage, store_destination(cast.workspace, "twilio_sms", stage.config, name="On call"))

    yield use
    in_force.use(settings)


def test_a_message_has_an_address_for_reports_which_is_kept_nowhere(at: Callable[[str], Texting]) -> None:
    texting = at(PUBLIC)
    delivery = texting.send()

    (address,) = texting.service.reports_to
    assert address.startswith(f"{PUBLIC}/v1/status-callbacks/")
    token = address.rpartition("/")[2]
    assert status_tokens.verify(current().signing_key, token, present()) == SentAttempt(delivery.id, 1)
    (attempt,) = attempts_of(delivery)
    assert ("StatusCallback" in attempt.requests, token in attempt.requests) == (True, False)


def test_an_instance_without_https_gives_no_address(at: Callable[[str], Texting]) -> None:
    texting = at("http://inbox.example.org")
    assert (texting.send().status, texting.service.reports_to) == ("sent", [])


def test_an_address_that_the_service_cannot_reach_is_left_out(at: Callable[[str], Texting]) -> None:
    texting = at("https://inbox.internal")

    assert texting.send().status == "sent"
    assert texting.service.reports_to == []
    assert len(texting.service.messages) == 1
    assert len(texting.stage.calls()) == 2


def test_a_message_that_did_not_arrive_fails_its_delivery(at: Callable[[str], Texting]) -> None:
    texting = at(PUBLIC)
    delivery = texting.send()
    texting.report(UNKNOWN_NUMBER)

    failed = fresh(delivery)
    assert (failed.status, failed.cause, failed.attempt) == ("failed", "undelivered", 1)
    assert failed.settled_at >= delivery.settled_at
    (attempt,) = attempts_of(delivery)
    assert (attempt.status_code, attempt.error) == (201, "undelivered")
    assert attempt.note == "Twilio reported the message as undelivered, error 30005: the number does not exist."
    assert fresh(texting.destination).stopped_at is None


@pytest.mark.parametrize(
    ("form", "note"),
    [
        ({"MessageStatus": "failed"}, "Twilio reported the message as failed."),
        ({"MessageStatus": "failed", "ErrorCode": "30099"}, "Twilio reported the message as failed, error 30099."),
        ({"MessageStatus": "failed", "ErrorCode": "<b>1"}, "Twilio reported the message as failed."),
        ({"MessageStatus": "failed", "ErrorCode": "30005\n"}, "Twilio reported the message as failed."),
    ],
)
def test_a_report_without_a_known_error_states_the_known_fields(
    at: Callable[[str], Texting], form: dict[str, str], note: str
) -> None:
    texting = at(PUBLIC)
    delivery = texting.send()
    texting.report(form)
    assert [each.note for each in attempts_of(delivery)] == [note]


@pytest.mark.parametrize(
    "form", [{"MessageStatus": status} for status in ("queued", "sent", "delivered", "read", "FAILED", "")] + [{}]
)
def test_any_other_report_changes_nothing(at: Callable[[str], Texting], form: dict[str, str]) -> None:
    texting = at(PUBLIC)
    delivery = texting.send()
    texting.report({**form, "ErrorCode": "30005"})

    assert (fresh(delivery).status, fresh(delivery).settled_at) == ("sent", delivery.settled_at)
    assert [(each.error, each.note) for each in attempts_of(delivery)] == [(None, None)]


def test_a_second_report_changes_nothing(at: Callable[[str], Texting]) -> None:
    texting = at(PUBLIC)
    delivery = texting.send()
    texting.report(UNKNOWN_NUMBER)
    first = fresh(delivery)
    texting.report({"MessageStatus": "failed", "ErrorCode": "30007"})
    texting.report({"MessageStatus": "delivered"})

    assert (fresh(delivery).status, fresh(delivery).settled_at) == ("failed", first.settled_at)
    assert [each.note for each in attempts_of(delivery)] == [
        "Twilio reported the message as undelivered, error 30005: the number does not exist."
    ]


def test_a_report_on_an_earlier_attempt_changes_nothing(at: Callable[[str], Texting]) -> None:
    texting = at(PUBLIC)
    delivery = texting.send()
    Delivery.update(attempt=2).where(Delivery.id == delivery.id).execute()
    texting.report(UNKNOWN_NUMBER)
    assert fresh(delivery).status == "sent"


def test_a_test_notice_that_did_not_arrive_has_failed(at: Callable[[str], Texting]) -> None:
    texting = at(PUBLIC)
    delivery = texting.send(reason="test")
    texting.report(UNKNOWN_NUMBER)
    assert (fresh(delivery).status, fresh(delivery).cause) == ("failed", "undelivered")


def test_the_fallback_is_notified_of_an_alert_that_did_not_arrive(
    at: Callable[[str], Texting], receiver: Receiver
) -> None:
    texting = at(PUBLIC)
    last = make_destination(texting.cast.workspace, receiver, name="Last")
    settle(texting.cast.workspace, fallbackDestinationId=str(last.id))
    alert = texting.send(reason="opened")
    Incident.update(opened_at=alert.created_at, notice_count=1).where(Incident.id == alert.incident_id).execute()
    assert run_due(present) == 0

    texting.report(UNKNOWN_NUMBER)
    run_due(lambda: present() + timedelta(seconds=1))
    deliver(lambda: present() + timedelta(seconds=2))

    (notice,) = [request.verified() for request in receiver.requests]
    assert notice["type"] == "incident.fallback"
    assert notice["data"]["title"] == "Disk full"
