"""The change of a signing secret: the former one signs too, for a day."""

from __future__ import annotations

import base64
from datetime import timedelta

import pytest
from standardwebhooks.webhooks import Webhook as Verifier
from standardwebhooks.webhooks import WebhookVerificationError

from inbox.destinations import Config, Message
from inbox.destinations.http import Client
from inbox.destinations.webhook import Webhook
from inbox.domain.values.addresses import OutboundPolicy
from inbox.domain.values.times import rfc3339
from tests.cast import present
from tests.destinations.receivers import Receiver, answer

CLIENT = Client(OutboundPolicy(allow_private=True, allow_loopback=True), deadline=60.0)
WEBHOOK = Webhook()
A, B, C, D, E = ("whsec_" + base64.b64encode(letter * 32).decode() for letter in (b"a", b"b", b"c", b"d", b"e"))
NOW = present()
DAY = timedelta(days=1)


def changed(stored: Config, secret: str, after: timedelta = timedelta()) -> Config:
    found = WEBHOOK.validate({"secret": secret}, lambda _: None, stored)
    return WEBHOOK.renewed(found, stored, NOW + after)


def signers(config: Config, after: timedelta) -> set[str]:
    """The secrets that verify a request that is sent at this time."""
    with Receiver(answer()) as receiver:
        placed = Config({**config.public, "url": receiver.url}, config.secrets)
        WEBHOOK.send(Message("dlv_1", b"{}", NOW + after), placed, CLIENT)
    headers = {**receiver.hits[0].headers}
    found = {secret for secret in (A, B, C, D, E) if _verifies(secret, headers, after)}
    assert len(headers["webhook-signature"].split(" ")) == len(found)
    return found


def _verifies(secret: str, headers: dict[str, str], after: timedelta) -> bool:
    verifier = Verifier(secret)
    signature = verifier.sign("dlv_1", NOW + after, "{}")
    return signature in headers["webhook-signature"].split(" ")


def first() -> Config:
    return WEBHOOK.validate({"url": "https://example.org/", "secret": A}, lambda _: None)


def test_both_secrets_sign_for_a_day_after_a_change() -> None:
    config = changed(first(), B)

    assert signers(config, timedelta()) == signers(config, DAY - timedelta(seconds=1)) == {A, B}
    assert signers(config, DAY) == {B}
    assert config.public == {
        "url": "https://example.org/", "secretHint": config.public["secretHint"], "formerSecretUntil": rfc3339(NOW + DAY)
    }  # fmt: skip
    assert A not in repr(config)


def test_a_verifier_of_standard_webhooks_accepts_a_request_by_either_secret() -> None:
    config = changed(first(), B)
    with Receiver(answer()) as receiver:
        placed = Config({**config.public, "url": receiver.url}, config.secrets)
        WEBHOOK.send(Message("dlv_1", b"{}", present()), placed, CLIENT)

    for secret in (A, B):
        Verifier(secret).verify(receiver.hits[0].body, receiver.hits[0].headers)
    with pytest.raises(WebhookVerificationError):
        Verifier(C).verify(receiver.hits[0].body, receiver.hits[0].headers)


def test_the_last_three_secrets_of_a_day_sign_beside_the_new_one() -> None:
    config = first()
    for hours, secret in enumerate((B, C, D, E)):
        config = changed(config, secret, timedelta(hours=hours))

    assert signers(config, timedelta(hours=4)) == {B, C, D, E}
    assert signers(config, DAY + timedelta(hours=3)) == {E}


def test_a_secret_that_returns_signs_once() -> None:
    config = changed(changed(first(), B), A)

    assert signers(config, timedelta()) == {A, B}


def test_other_edits_neither_prolong_nor_end_the_use_of_a_former_secret() -> None:
    rotated = changed(first(), B)

    for after, secrets in ((timedelta(hours=1), {A, B}), (DAY, {B})):
        found = WEBHOOK.validate({"url": "https://example.org/other"}, lambda _: None, rotated)
        config = WEBHOOK.renewed(found, rotated, NOW + after)
        assert signers(config, after) == secrets
        assert ("formerSecretUntil" in config.public) is (after < DAY)
    assert changed(first(), A) == first()
