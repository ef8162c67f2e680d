"""Masking of an answer that repeats the whole request: no secret of the destination, and no action link."""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import quote

import pytest

from inbox.destinations import Config
from inbox.destinations.http import CallResult
from inbox.domain.deliveries import notices
from inbox.domain.deliveries.answer_excerpt import EXCERPT_BYTES
from inbox.domain.deliveries.delivery import Receipt, answer_text
from inbox.domain.deliveries.notices import NoticeFields
from inbox.domain.explaining.notice_content import TEST
from inbox.domain.incidents.state_machine import Reason
from inbox.domain.values import ids
from inbox.domain.values.addresses import AddressClass
from inbox.flow.delivery.deliver import claim_due
from inbox.flow.delivery.results import record_results
from inbox.flow.delivery.senders import send_one
from inbox.models.deliveries.destinations import Destination
from inbox.models.incidents.tables import Incident
from tests.cast import NOW, Cast, present
from tests.destinations.kinds.cases import CASES
from tests.destinations.kinds.stand_in import RedirectedClient
from tests.flow.notices.test_phones import phone_of
from tests.stand_ins.outgoing_posts import attempts_of, make_destination, make_incident, owe, store_destination
from tests.stand_ins.push_service import (
    Subscription,
    service,  # noqa: F401
)
from tests.stand_ins.receivers import SECRET, Answer, Receiver, Request

LINK = re.compile(rb"/act/([A-Za-z0-9._-]+)")


class PublicClient(RedirectedClient):
    """A client whose answers count as those of a public address."""

    def exchange(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None = None) -> CallResult:
        result = super().exchange(method, url, headers, body)
        return replace(result, receipt=replace(result.receipt, answer=answer_text(result.body, AddressClass.PUBLIC)))


def as_json(request: Request) -> str:
    """As a service that answers with what it was sent."""
    body = request.body.decode(errors="replace")
    return json.dumps({"headers": dict(request.headers), "path": request.path, "body": body})


def as_page(request: Request) -> str:
    """As a proxy whose page of an error has the request."""
    body = request.body.decode(errors="replace")
    return html.escape(f"Cannot {request.method} {request.path}\n{dict(request.headers)}\n{body}")


def as_go(request: Request) -> str:
    """As a program that escapes HTML and slashes in JSON."""
    return as_json(request).replace("&", "\\u0026").replace("<", "\\u003c").replace("/", "\\/")


def send(destination: Destination, receiver: Receiver, **more: Any) -> Receipt:
    """Send a delivery as a worker does, and return the receipt with what is stored."""
    delivery = owe(destination, **more)
    ((claimed, state),) = claim_due(present(), 1, [destination.id]).calls
    outcome = send_one(claimed, state, PublicClient(receiver), present)
    record_results([outcome], present())
    (attempt,) = attempts_of(delivery)
    assert (attempt.excerpt, outcome.receipt.answer) == (outcome.receipt.excerpt, "")
    return outcome.receipt


def notify(destination: Destination, incident: Incident, receiver: Receiver) -> str:
    """Send a notice of the incident, and return what is stored of the answer."""
    about = NoticeFields(
        title="Disk full", severity="ERROR", state="open", source_name="Backups", workspace_name="Home",
        incident_id=ids.encode("inc", incident.id), first_seen_at=NOW, url="https://inbox.example.org/w/home",
    )  # fmt: skip
    body = notices.body_text(notices.payload(Reason.OPENED, about, NOW))
    return send(destination, receiver, incident=incident, seq=1, body=body).excerpt


def hidden_in(config: Config, receiver: Receiver) -> list[str]:
    """What must not be visible of the settings and the requests."""
    texts = [each for each in config.secrets.values() if "://" not in each]
    parts = [part for each in config.secrets.values() for part in re.split("[/?&=]", each) if len(part) >= 16]
    links = [token.decode() for each in receiver.requests for token in LINK.findall(each.body)]
    headers = [each.headers.get("authorization", "").rpartition(" ")[2] for each in receiver.requests]
    return [form for each in [*texts, *parts, *links, *headers] if each for form in (each, quote(each, safe=""))]


@pytest.mark.parametrize("echo", [as_json, as_page, as_go])
@pytest.mark.parametrize("status", [200, 400])
@pytest.mark.parametrize("name", CASES)
def test_an_answer_that_repeats_the_request_shows_no_secret(
    cast: Cast, receiver: Receiver, name: str, status: int, echo: Callable[[Request], str]
) -> None:
    receiver.answer = lambda request: Answer(status, echo(request).encode())
    case = CASES[name]
    destination = store_destination(cast.workspace, case.kind, with_links(case.config))

    stored = notify(destination, make_incident(cast), receiver)

    assert "[REDACTED]" in stored
    assert [each for each in hidden_in(case.config, receiver) if each in stored] == []


def with_links(config: Config) -> Config:
    """The settings with action links."""
    return Config({**config.public, "actionLinks": True}, config.secrets)


def test_the_links_of_the_message_are_masked_wherever_the_excerpt_ends(cast: Cast, receiver: Receiver) -> None:
    destination = store_destination(cast.workspace, "discord", CASES["discord"].config)
    for padding in range(EXCERPT_BYTES - 700, EXCERPT_BYTES, 50):
        receiver.forget()
        receiver.answer = lambda request, padding=padding: Answer(400, b"x" * padding + request.body)
        Destination.update(next_call_at=None, rejections_in_a_row=0).execute()
        stored = notify(destination, make_incident(cast), receiver)
        (token, _) = LINK.findall(receiver.requests[-1].body)
        assert token[:12].decode() not in stored
        assert len(stored) > padding - 50


def test_an_address_repeated_by_a_proxy_is_masked(cast: Cast, receiver: Receiver) -> None:
    receiver.answer = lambda request: Answer(400, f"Cannot POST {request.path}".encode())
    destination = store_destination(cast.workspace, "mattermost", CASES["mattermost_webhook"].config)

    assert notify(destination, make_incident(cast), receiver) == "Cannot POST /[REDACTED]"


def test_the_answer_to_a_test_shows_no_secret(cast: Cast, receiver: Receiver) -> None:
    receiver.answer = lambda request: Answer(400, as_json(request).encode())
    case = CASES["twilio_sms"]
    destination = store_destination(cast.workspace, case.kind, case.config)

    shown = send(destination, receiver, reason=TEST, body=body_of_test()).excerpt

    assert "[REDACTED]" in shown
    assert [each for each in hidden_in(case.config, receiver) if each in shown] == []
    pair = f"{case.config.public['keySid']}:{case.config.secrets['keySecret']}"
    assert base64.b64encode(pair.encode()).decode() not in shown


def body_of_test() -> str:
    return notices.body_text(notices.payload_of_test("Home", "https://inbox.example.org/w/home", NOW))


def test_an_answer_to_a_webhook_shows_its_address_and_no_secret(cast: Cast, receiver: Receiver) -> None:
    receiver.answer = lambda request: Answer(400, f"Cannot POST {request.path} with {SECRET}".encode())

    stored = notify(make_destination(cast.workspace, receiver), make_incident(cast), receiver)

    assert stored == "Cannot POST /hook with [REDACTED]"


def test_an_answer_to_a_webhook_shows_no_value_of_its_headers(cast: Cast, receiver: Receiver) -> None:
    receiver.answer = lambda request: Answer(400, f"{request.headers['authorization']} is wrong".encode())
    headers = json.dumps({"Authorization": "Bearer key-of-receiver", "X-Other": "second-key"})
    public = {"url": receiver.url, "headersHint": "Authorization, X-Other"}
    destination = store_destination(cast.workspace, "webhook", Config(public, {"secret": SECRET, "headers": headers}))

    stored = notify(destination, make_incident(cast), receiver)
    receiver.answer = lambda request: Answer(400, b"unknown: key-of-receiver, second-key")
    later = notify(destination, make_incident(cast), receiver)

    assert stored == "[REDACTED] is wrong"
    assert later == "unknown: [REDACTED], [REDACTED]"


def test_an_answer_to_a_phone_shows_no_endpoint(cast: Cast, service: Receiver) -> None:
    endpoint = Subscription(service, "/push/phone-of-mia-0123456789")
    service.answer = lambda request: Answer(400, as_json(request).encode())

    stored = notify(phone_of(cast.users["mia"], cast, endpoint), make_incident(cast), service)

    assert "[REDACTED]" in stored
    assert "phone-of-mia" not in stored


@pytest.mark.parametrize("secret", ["https://[::1", "pass://[word", "a"])
def test_a_secret_of_any_form_ends_no_worker(cast: Cast, receiver: Receiver, secret: str) -> None:
    receiver.answer = Answer(400, b"a plain answer")
    config: dict[str, Any] = {"server": "https://gotify.example.org"}
    destination = store_destination(cast.workspace, "gotify", Config(config, {"token": secret}))

    assert notify(destination, make_incident(cast), receiver).endswith("nswer")
