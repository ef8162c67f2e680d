"""Headers that people add to the requests of a webhook: their rules, and that their values stay secret."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from standardwebhooks.webhooks import Webhook as Verifier

from inbox.destinations import Config, Message
from inbox.destinations.extra_headers import OWN
from inbox.destinations.http import Client
from inbox.destinations.webhook import Webhook
from inbox.domain.values.addresses import OutboundPolicy
from inbox.domain.values.refusals import ValidationFailed
from tests.destinations.receivers import Receiver, answer
from tests.stand_ins.receivers import SECRET

CLIENT = Client(OutboundPolicy(allow_private=True, allow_loopback=True), deadline=60.0)
WEBHOOK = Webhook()
BEARER = "Bearer abc-def-ghi"


def settings(headers: Any, url: str = "http://127.0.0.1:9/hook") -> dict[str, Any]:
    return {"url": url, "secret": SECRET, "headers": headers}


def taken(headers: Any, stored: Config | None = None) -> Config:
    return WEBHOOK.validate(settings(headers), CLIENT.vet, stored)


def fault(headers: Any) -> str:
    with pytest.raises(ValidationFailed) as refused:
        taken(headers)
    (found,) = refused.value.errors
    assert found.pointer == "/config/headers"
    return found.detail


def test_a_webhook_sends_its_headers_beside_the_signature() -> None:
    with Receiver(answer(200)) as receiver:
        given = settings({"Authorization": BEARER, "X-Tenant": "shop"}, receiver.url)
        config = WEBHOOK.validate(given, CLIENT.vet)
        assert WEBHOOK.send(Message("dlv_1", b"{}", datetime.now(UTC)), config, CLIENT).is_accepted

    (hit,) = receiver.hits
    assert (hit.headers["authorization"], hit.headers["x-tenant"]) == (BEARER, "shop")
    assert hit.headers["content-type"] == "application/json"
    Verifier(SECRET).verify(hit.body, hit.headers)


def test_the_names_of_headers_are_shown_and_their_values_are_not() -> None:
    config = taken({"Authorization": BEARER, "X-Tenant": "shop"})

    assert config.public["headersHint"] == "Authorization, X-Tenant"
    assert "headers" not in config.public
    assert BEARER not in repr(config)
    assert {BEARER, "abc-def-ghi"} <= set(config.hidden_texts)
    assert Config.unsealed_from(config.public, config.to_seal()) == config


@pytest.mark.parametrize("name", sorted(OWN))
def test_a_header_that_the_service_sets_is_refused(name: str) -> None:
    for spelling in (name, name.title()):
        assert fault({spelling: "x"}) == f"{spelling} cannot be set, because this service sets it for each request"


@pytest.mark.parametrize(
    "headers",
    [
        "Authorization: x", ["x"], 7, {"": "x"}, {"X Y": "x"}, {"X:": "x"}, {"X\r\nHost": "x"}, {"Ü": "x"}, {"x" * 101: "x"},
        {"X": ""}, {"X": " SecretText"}, {"X": "SecretText\r\nHost: evil"}, {"X": "SecretTextü"}, {"X": 7}, {"X": None},
        {"X": ["x"]}, {"X": "SecretText" * 500}, {"X-A": "1", "x-a": "2"}, {f"X-{n}": "x" for n in range(11)},
    ],
)  # fmt: skip
def test_headers_of_another_form_are_refused_without_their_values(headers: Any) -> None:
    assert "SecretText" not in fault(headers)


def test_ten_headers_with_the_longest_value_are_taken() -> None:
    headers = {f"X-{n}": "x" * 4_096 for n in range(10)}

    assert taken(headers).public["headersHint"] == ", ".join(headers)


def test_an_edit_keeps_replaces_and_removes_headers() -> None:
    stored = taken({"X-Key": "a key of theirs"})

    kept = WEBHOOK.validate({"secret": SECRET}, CLIENT.vet, stored)
    assert kept == stored
    assert WEBHOOK.validate({"headers": {"X-Other": "1"}}, CLIENT.vet, stored).public["headersHint"] == "X-Other"
    for none in (None, {}):
        assert set(WEBHOOK.validate({"headers": none}, CLIENT.vet, stored).secrets) == {"secret"}


@pytest.mark.parametrize("url", ["https://127.0.0.1:9/hook", "http://127.0.0.2:9/hook", "http://127.0.0.1:10/hook"])
def test_headers_stay_with_the_address_for_which_they_were_entered(url: str) -> None:
    stored = taken({"X-Key": "a key of theirs"})

    with pytest.raises(ValidationFailed) as refused:
        WEBHOOK.validate({"url": url}, lambda _: None, stored)
    assert [each.pointer for each in refused.value.errors] == ["/config/headers"]
    moved = WEBHOOK.validate({"url": url, "headers": {"X-Key": "another"}}, lambda _: None, stored)
    assert moved.public["url"] == url
    assert WEBHOOK.validate({"url": url, "headers": None}, lambda _: None, stored).public["url"] == url
