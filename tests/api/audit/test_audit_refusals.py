"""Audit entries of refused sign-ins: one per wrong password or passkey, and one per burst beyond the limit.

Specification 12.8.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from flask import Flask

from inbox.config.settings import Settings
from inbox.models.people.accounts import User
from inbox.models.records.audit import AuditEntry
from inbox.services.people import devices
from inbox.services.records import audit
from tests.browser import Browser
from tests.cast import NOW, Cast, typeid
from tests.proving import HOME, App, assertion_of, authenticator
from tests.stand_ins.phone import pair

Browsers = Callable[[str], Browser]
InSettings = Callable[..., Settings]
NOBODY = {"type": "user", "id": "", "name": ""}


@pytest.fixture
def mia(cast: Cast, in_settings: InSettings) -> User:
    in_settings(base_url=HOME)
    return cast.users["mia"]


@pytest.fixture
def guest(app: Flask) -> Browser:
    return Browser(app, HOME)


def entries(action: str) -> list[AuditEntry]:
    return list(AuditEntry.select().where(AuditEntry.action == action).order_by(AuditEntry.id))


def named(user: User) -> dict[str, str]:
    return {"type": "user", "id": typeid("usr", user.id), "name": user.name}


def test_a_passkey_that_is_not_taken_leaves_an_entry_about_its_person(mia: User, guest: Browser) -> None:
    key = authenticator(mia)
    proof = assertion_of(guest, "/v1/auth/passkey/options", key)
    assert guest.post("/v1/auth/passkey", proof).status_code == 200
    assert entries("session.refused") == []

    assert guest.post("/v1/auth/passkey", proof).status_code == 401

    [entry] = entries("session.refused")
    assert entry.target == named(mia) and entry.details == {"by": "passkey"} and entry.ip == "127.0.0.1"
    assert entry.actor["type"] == "anonymous"


@pytest.mark.parametrize("path", ["/v1/auth/passkey", "/v1/auth/login/factor"])
def test_a_passkey_without_a_challenge_leaves_an_audit_entry_without_a_target(
    mia: User, guest: Browser, path: str
) -> None:
    body = {"challenge": "x", "credential": {}} | ({"factor": "passkey"} if path.endswith("factor") else {})

    assert guest.post(path, body).status_code == 401

    [entry] = entries("session.refused")
    assert entry.target == NOBODY and entry.details == {"by": "passkey"}


def test_too_many_sign_ins_for_an_account_write_one_audit_entry(
    mia: User, guest: Browser, in_settings: InSettings
) -> None:
    in_settings(base_url=HOME, rate_limits=True, sign_ins_per_account_5min=2, sign_ins_per_address_5min=100)
    login = {"email": mia.email, "password": "not her phrase"}

    assert [guest.post("/v1/auth/login", login).status_code for _ in range(6)] == [401] * 2 + [429] * 4

    [entry] = entries("session.throttled")
    assert entry.target == named(mia) and entry.details == {"door": "sign-in", "counted": "account"}
    assert len(entries("session.refused")) == 2


def test_too_many_sign_ins_from_an_address_write_one_audit_entry_per_endpoint(
    mia: User, guest: Browser, in_settings: InSettings
) -> None:
    in_settings(base_url=HOME, rate_limits=True, sign_ins_per_account_5min=100, sign_ins_per_address_5min=1)
    for _ in range(3):
        guest.post("/v1/auth/login", {"email": mia.email, "password": "not her phrase"})
        guest.post("/v1/auth/login/factor", {"challenge": "x", "factor": "totp", "code": "492039"})

    found = [(each.target, each.details) for each in entries("session.throttled")]
    assert found == [(NOBODY, {"door": door, "counted": "address"}) for door in ("sign-in", "factor")]


def test_an_entry_about_too_many_step_ups_or_codes_names_the_person(
    mia: User, browser: Browsers, in_settings: InSettings
) -> None:
    app = App.of(mia)
    in_settings(rate_limits=True, sign_ins_per_account_5min=12, sign_ins_per_address_5min=100)
    signed_in = browser("mia")
    for number in range(13):
        signed_in.post("/v1/auth/step-up", {"factor": "totp", "code": app.wrong(number)})

    found = [(each.actor["name"], each.target["name"], each.details["door"]) for each in entries("session.throttled")]
    assert found == [("Mia", "Mia", "codes"), ("Mia", "Mia", "step-up")]


def test_concurrent_refused_sign_ins_write_one_audit_entry(mia: User, app: Flask, in_settings: InSettings) -> None:
    in_settings(base_url=HOME, rate_limits=True, sign_ins_per_account_5min=1, sign_ins_per_address_5min=100)
    login = {"email": mia.email, "password": "not her phrase"}
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: Browser(app, HOME).post("/v1/auth/login", login), range(8)))

    assert len(entries("session.throttled")) == 1


def test_a_burst_ends_after_five_minutes(cast: Cast, in_settings: InSettings) -> None:
    in_settings(rate_limits=True)
    for seconds in (0, 299, 300, 599, 600):
        audit.throttled("sign-in:address:203.0.113.9", NOW + timedelta(seconds=seconds), about=None)

    assert [each.at for each in entries("session.throttled")] == [NOW + timedelta(seconds=s) for s in (0, 300, 600)]


def test_a_wrong_pairing_code_leaves_an_entry_about_the_owner_of_a_similar_code(
    cast: Cast, browser: Browsers, anonymous: Browser
) -> None:
    code = browser("mia").post("/v1/devices/pairings").get_json()["code"]
    other = "0" if code[-1] != "0" else "1"
    for tried in (code[:-1] + other, "0000-0000", "?"):
        assert anonymous.post("/v1/devices/pair", {"code": tried, "name": "Phone"}).status_code == 403

    found = [(each.target, each.details, each.ip) for each in entries("session.refused")]
    assert found == [(about, {"by": "pairing"}, "127.0.0.1") for about in (named(cast.users["mia"]), NOBODY, NOBODY)]
    assert anonymous.post("/v1/devices/pair", {"code": code, "name": "Phone"}).status_code == 201
    assert len(entries("session.refused")) == 3


@pytest.mark.parametrize("counted", ["address", "everywhere"])
def test_too_many_wrong_codes_write_one_audit_entry(
    guest: Browser, mia: User, in_settings: InSettings, counted: str
) -> None:
    few = {"pairing_attempts_per_address" if counted == "address" else "pairing_attempts": 2}
    in_settings(base_url=HOME, rate_limits=True, **few)
    wrong = {"code": "0000-0000", "name": "Phone"}

    assert [guest.post("/v1/devices/pair", wrong).status_code for _ in range(5)] == [403] * 2 + [429] * 3

    [entry] = entries("session.throttled")
    assert (entry.target, entry.details) == (NOBODY, {"door": "pairing", "counted": counted})


def test_tokens_refreshed_too_often_write_one_audit_entry(mia: User, guest: Browser, in_settings: InSettings) -> None:
    in_settings(base_url=HOME, rate_limits=True)
    token = pair(mia).refresh_token
    for _ in range(devices.REFRESHES_PER_HOUR):
        token = guest.post("/v1/devices/token", {"refreshToken": token}).get_json()["refreshToken"]

    for _ in range(2):
        assert guest.post("/v1/devices/token", {"refreshToken": token}).status_code == 429
    [entry] = entries("session.throttled")
    assert (entry.target, entry.details) == (named(mia), {"door": "refresh", "counted": "device"})
