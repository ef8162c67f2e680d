"""Secrets that the key ring cannot open: only requests that depend on one are refused (specification 9.3)."""

from __future__ import annotations

import base64
from collections.abc import Iterator

import pytest
from flask import Flask

from inbox.config.settings import Settings
from inbox.models.deliveries.push_keys import PushKey
from inbox.models.people.accounts import User
from inbox.runtime import sealing
from inbox.services.instance import key_check
from inbox.services.instance.resealing import reseal
from tests.api.people.devices_steps import (
    Phones,
    phone,  # noqa: F401
)
from tests.api.senders.test_hooks_signed import send, signed
from tests.api.sign_in.second_factor_steps import (
    by_code,
    challenged,
    guest,  # noqa: F401
    mia,  # noqa: F401
    password_hash,  # noqa: F401
    refused,
    visit,  # noqa: F401
)
from tests.browser import Browser
from tests.cast import Cast, make_signing_secret, present
from tests.proving import App, recovery_codes
from tests.stand_ins.push_service import (
    Subscription,
    service,  # noqa: F401
)
from tests.stand_ins.receivers import Receiver

NEW = "k1:" + base64.b64encode(b"9" * 32).decode()
"""Another key under the same id, as an operator who follows the example again would name it."""


@pytest.fixture(autouse=True)
def own_ring(settings: Settings) -> Iterator[None]:
    yield
    sealing.bind(sealing.KeyRing.parse(settings.secret_keys))


def lose_the_keys() -> None:
    key_check.check(present())
    sealing.bind(sealing.KeyRing.parse(NEW))
    assert key_check.renew(present())


def test_an_app_code_is_refused_and_a_recovery_code_signs_in(mia: User, guest: Browser) -> None:
    app, codes = App.of(mia), recovery_codes(mia)
    lose_the_keys()

    refused(by_code(guest, challenged(guest), app.code()))
    assert by_code(guest, challenged(guest), codes[0], "recovery_code").status_code == 200


def test_a_new_signing_secret_works_beside_one_that_is_lost(app: Flask, cast: Cast) -> None:
    lost = make_signing_secret(cast.source, "github")
    lose_the_keys()
    assert send(app, cast.source, signed(lost)).status_code == 401

    new = make_signing_secret(cast.source, "github")
    assert send(app, cast.source, signed(new)).status_code == 202
    assert send(app, cast.source, signed(lost)).status_code == 401


def test_phones_get_a_new_key_for_push(phone: Phones, service: Receiver) -> None:
    device = phone("mia")
    lost = device.get("/v1/devices/push-key").json["publicKey"]
    lose_the_keys()

    assert device.get("/v1/devices/push-key").json["publicKey"] != lost
    answer = device.put("/v1/devices/current/push-subscription", Subscription(service).body())
    assert (answer.status_code, answer.json["push"]["state"]) == (200, "active")


def test_another_key_under_the_same_id_is_noticed(cast: Cast) -> None:
    key_check.check(present())
    make_signing_secret(cast.source, "github")
    assert reseal(present(), dry_run=True).is_complete
    sealing.bind(sealing.KeyRing.parse(NEW))

    found = reseal(present(), dry_run=True)
    assert not found.is_complete
    assert (found.unreadable["source_keys"], found.remaining["source_keys"]) == (1, 0)


def test_the_key_of_push_stays_while_the_keys_fit(phone: Phones) -> None:
    lasting = phone("mia").get("/v1/devices/push-key").json["publicKey"]
    key_check.check(present())
    assert not key_check.renew(present())
    assert PushKey.get().public_key == lasting
