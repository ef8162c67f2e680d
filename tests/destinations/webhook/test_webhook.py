"""The signed webhook: valid settings, visible fields and the received request."""

from __future__ import annotations

import base64
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from standardwebhooks.webhooks import Webhook as Verifier

from inbox.destinations import KINDS, Config, Message, kind
from inbox.destinations.http import Client
from inbox.destinations.webhook import Webhook
from inbox.domain.deliveries.delivery import FailureReason
from inbox.domain.values.addresses import OutboundPolicy
from inbox.domain.values.refusals import ValidationFailed
from tests.destinations.receivers import Receiver, answer

SECRET = "whsec_" + base64.b64encode(bytes(range(32))).decode()
CLIENT = Client(OutboundPolicy(allow_private=True, allow_loopback=True), deadline=60.0)
WEBHOOK = Webhook()


def faults(config: dict[str, Any], retained: Config | None = None) -> dict[str, str]:
    with pytest.raises(ValidationFailed) as refused:
        WEBHOOK.validate(config, CLIENT.vet, retained)
    return {fault.pointer: fault.detail for fault in refused.value.errors}


def test_the_shown_settings_of_a_webhook_hold_no_secret() -> None:
    config = WEBHOOK.validate({"url": "http://127.0.0.1:9/hook", "secret": SECRET}, CLIENT.vet)

    assert config.public == {"url": "http://127.0.0.1:9/hook", "secretHint": "…" + SECRET.rstrip("=")[-4:]}
    assert SECRET not in repr(config)
    assert Config.unsealed_from(config.public, config.to_seal()) == config


@pytest.mark.parametrize(
    ("config", "pointers"),
    [
        ({}, {"/config/url", "/config/secret"}),
        ({"url": None, "secret": None}, {"/config/url", "/config/secret"}),
        ({"url": 1, "secret": []}, {"/config/url", "/config/secret"}),
        ({"url": "http://169.254.169.254/", "secret": SECRET}, {"/config/url"}),
        ({"url": "http://1.1.1.1/", "secret": SECRET}, {"/config/url"}),
        ({"url": "https://user:secret@1.1.1.1/", "secret": SECRET}, {"/config/url"}),
        ({"url": "https://1.1.1.1/", "secret": "whsec_c2hvcnQ="}, {"/config/secret"}),
        ({"url": "https://1.1.1.1/", "secret": SECRET, "header": {}}, {"/config/header"}),
    ],
)
def test_settings_that_cannot_be_used_are_refused_field_by_field(config: dict[str, Any], pointers: set[str]) -> None:
    found = faults(config)
    assert set(found) == pointers
    assert not any("secret@" in detail or "c2hvcnQ" in detail for detail in found.values())


def test_an_edit_of_a_webhook_keeps_omitted_fields() -> None:
    retained = WEBHOOK.validate({"url": "https://1.1.1.1/a", "secret": SECRET}, CLIENT.vet)

    moved = WEBHOOK.validate({"url": "https://1.1.1.1/b"}, CLIENT.vet, retained)
    assert (moved.public["url"], moved.secrets) == ("https://1.1.1.1/b", retained.secrets)

    rotated = WEBHOOK.validate({"secret": SECRET.replace("AAEC", "BBEC")}, CLIENT.vet, retained)
    assert (rotated.public["url"], rotated.secrets["secret"][6:10]) == ("https://1.1.1.1/a", "BBEC")
    assert set(faults({"secret": "x"}, retained)) == {"/config/secret"}


def test_each_attempt_is_signed_again_under_the_same_id() -> None:
    body = '{"type":"test","title":"Größe"}'.encode()
    config = Config({"url": ""}, {"secret": SECRET})
    now = datetime.now(UTC)
    with Receiver(answer(200, b"ok")) as receiver:
        config = Config({"url": receiver.url}, {"secret": SECRET})
        for at in (now - timedelta(seconds=100), now):
            receipt = WEBHOOK.send(Message("dlv_01h455vb4pex5vsknk084sn02q", body, at), config, CLIENT)
            assert receipt.status_code == 200

    for hit in receiver.hits:
        assert (hit.method, hit.body, hit.headers["content-type"]) == ("POST", body, "application/json")
        Verifier(SECRET).verify(hit.body, hit.headers)
    first, second = (hit.headers for hit in receiver.hits)
    assert first["webhook-id"] == second["webhook-id"] == "dlv_01h455vb4pex5vsknk084sn02q"
    assert int(second["webhook-timestamp"]) - int(first["webhook-timestamp"]) == 100
    assert first["webhook-signature"] != second["webhook-signature"]


@pytest.mark.parametrize("secrets", [{}, {"secret": "whsec_"}])
def test_settings_that_were_spoilt_in_store_send_nothing(secrets: dict[str, str]) -> None:
    with Receiver(answer()) as receiver:
        message = Message("dlv_1", b"{}", datetime.now(UTC))
        receipt = WEBHOOK.send(message, Config({"url": receiver.url}, secrets), CLIENT)

    assert (receipt.failure, receiver.connections) == (FailureReason.UNSENDABLE, 0)


def test_a_kind_is_found_by_its_name_and_others_are_refused() -> None:
    assert kind("webhook") is KINDS["webhook"]
    with pytest.raises(ValidationFailed) as refused:
        kind("Webhook")
    assert refused.value.errors[0].pointer == "/kind"
