"""Challenges that end early, limits of wrong codes, and passkeys without a password."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from inbox.config.settings import Settings
from inbox.domain.values.refusals import Unauthenticated
from inbox.flow.unit_of_work import work
from inbox.models.people.accounts import Session, User
from inbox.models.people.factors import TotpFactor
from inbox.models.records.audit import AuditEntry
from inbox.services.people import passwords, signin
from inbox.services.people.sessions import Client
from tests.api.sign_in.second_factor_steps import (
    LOGIN,
    PASSWORD,
    by_code,
    challenged,
    guest,  # noqa: F401
    mia,  # noqa: F401
    password_hash,  # noqa: F401
    refused,
    visit,  # noqa: F401
)
from tests.browser import Browser
from tests.cast import Cast, present
from tests.identity.authenticators import PRESENT, Authenticator
from tests.proving import HOME, App, assertion_of, authenticator, recovery_codes


def test_a_challenge_ends_with_the_password_that_it_stands_for(mia: User, guest: Browser) -> None:
    app = App.of(mia)
    challenge = challenged(guest)
    User.update(password_hash="another").where(User.id == mia.id).execute()

    refused(by_code(guest, challenge, app.code()))


def test_a_password_changed_during_sign_in_refuses_the_session(mia: User) -> None:
    User.update(password_hash="another").where(User.id == mia.id).execute()

    with pytest.raises(Unauthenticated), work() as done:
        signin.admit(mia, now=present(), by="password", factor_done=True, client=Client(), done=done)
    assert Session.select().count() == 0


def test_an_older_hash_is_renewed_and_the_challenge_stays_good(mia: User, guest: Browser) -> None:
    app = App.of(mia)
    weaker = passwords.PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(PASSWORD)
    User.update(password_hash=weaker).where(User.id == mia.id).execute()

    assert by_code(guest, challenged(guest), app.code()).status_code == 200
    assert not passwords.is_outdated(User.get_by_id(mia.id).password_hash)


@pytest.mark.parametrize("column", ["disabled_at", "deleted_at"])
def test_an_account_that_is_disabled_during_sign_in_is_refused(column: str, mia: User, guest: Browser) -> None:
    app, key = App.of(mia), authenticator(mia)
    challenge = challenged(guest)
    alone = assertion_of(guest, "/v1/auth/passkey/options", key)
    User.update({column: present()}).where(User.id == mia.id).execute()

    refused(by_code(guest, challenge, app.code()))
    refused(guest.post("/v1/auth/passkey", alone))
    refused(guest.post("/v1/auth/login", LOGIN))


def test_a_challenge_ends_when_its_second_factor_is_removed(mia: User, guest: Browser) -> None:
    app = App.of(mia)
    challenge = challenged(guest)
    TotpFactor.delete().execute()

    refused(by_code(guest, challenge, app.code()))
    assert "user" in guest.post("/v1/auth/login", LOGIN).json


@pytest.mark.parametrize(
    ("body", "pointers"),
    [
        ({}, {"/challenge", "/factor"}),
        ({"challenge": "x", "factor": "totp"}, {"/code"}),
        ({"challenge": "x", "factor": "recovery_code"}, {"/code"}),
        ({"challenge": "x", "factor": "passkey"}, {"/credential"}),
        ({"challenge": "x", "factor": "password", "password": "x"}, {"/factor", "/password"}),
        ({"challenge": "x", "factor": "oidc"}, {"/factor"}),
        ({"challenge": "x" * 5000, "factor": "totp", "code": "1"}, {"/challenge"}),
        ({"challenge": "x", "factor": "totp", "code": 492039}, {"/code"}),
        ({"challenge": "x", "factor": "passkey", "credential": "x"}, {"/credential"}),
    ],
    ids=lambda value: str(sorted(value))[:60],
)
def test_bad_fields_are_reported_each(body: dict[str, Any], pointers: set[str], guest: Browser, mia: User) -> None:
    answer = guest.post("/v1/auth/login/factor", body)

    assert answer.status_code == 422
    assert {each["pointer"] for each in answer.json["errors"]} == pointers


def test_ten_wrong_codes_a_day_and_then_a_wait(mia: User, guest: Browser, in_settings: Callable[..., Settings]) -> None:
    app, codes = App.of(mia), recovery_codes(mia)
    in_settings(base_url=HOME, rate_limits=True, sign_ins_per_address_5min=1000, sign_ins_per_account_5min=1000)
    challenge = challenged(guest)
    wrong = [by_code(guest, challenge, app.wrong(n)) for n in range(9)]
    wrong.append(by_code(guest, challenge, "0000-0000", "recovery_code"))

    assert [answer.status_code for answer in wrong] == [401] * 10
    held = [by_code(guest, challenge, app.code()), by_code(guest, challenge, codes[0], "recovery_code")]
    assert [answer.status_code for answer in held] == [429, 429]
    assert 8000 < int(held[0].headers["Retry-After"]) <= 8640


def test_right_codes_are_not_counted(mia: User, visit: Callable[[], Browser], in_settings: Any) -> None:
    App.of(mia)
    codes = recovery_codes(mia)
    in_settings(base_url=HOME, rate_limits=True, sign_ins_per_address_5min=1000, sign_ins_per_account_5min=1000)
    for code in codes:
        browser = visit()
        assert by_code(browser, challenged(browser), code, "recovery_code").status_code == 200
    codes = recovery_codes(mia)
    browser = visit()

    assert by_code(browser, challenged(browser), codes[0], "recovery_code").status_code == 200


def test_wrong_codes_are_counted_by_address_too(
    guest: Browser, mia: User, in_settings: Callable[..., Settings]
) -> None:
    in_settings(base_url=HOME, rate_limits=True, sign_ins_per_address_5min=3)
    factor = [by_code(guest, "x", "492039").status_code for _ in range(4)]
    alone = [guest.post("/v1/auth/passkey", {"challenge": "x", "credential": {}}).status_code for _ in range(4)]

    assert factor == alone == [401] * 3 + [429]


def at_once(count: int, act: Callable[[int], int]) -> list[int]:
    """What `act` answers in so many threads that begin together, each with its own connection."""
    together = threading.Barrier(count)

    def one(number: int) -> int:
        together.wait(timeout=30)
        return act(number)

    with ThreadPoolExecutor(count) as pool:
        return sorted(pool.map(one, range(count)))


def test_twenty_wrong_codes_at_once_are_ten_tries(
    mia: User, guest: Browser, visit: Callable[[], Browser], in_settings: Callable[..., Settings]
) -> None:
    app = App.of(mia)
    in_settings(base_url=HOME, rate_limits=True, sign_ins_per_address_5min=1000, sign_ins_per_account_5min=1000)
    challenge = challenged(guest)

    statuses = at_once(20, lambda number: by_code(visit(), challenge, app.wrong(number)).status_code)

    assert statuses == [401] * 10 + [429] * 10


@pytest.mark.parametrize("what", ["code", "challenge", "recovery code", "passkey"])
def test_twenty_concurrent_uses_of_one_proof_admit_one(
    what: str, mia: User, guest: Browser, visit: Callable[[], Browser]
) -> None:
    app, codes, key = App.of(mia), recovery_codes(mia), authenticator(mia)
    one = challenged(guest)
    many = [challenged(guest) for _ in range(20)] if what in ("code", "recovery code") else [one] * 20
    shown_once = assertion_of(guest, "/v1/auth/login/options", key, {"challenge": one}) | {"factor": "passkey"}

    def attempt(number: int) -> int:
        browser = visit()
        match what:
            case "code":
                return int(by_code(browser, many[number], app.code()).status_code)
            case "challenge":
                return int(by_code(browser, one, codes[number % 10], "recovery_code").status_code)
            case "recovery code":
                return int(by_code(browser, many[number], codes[0], "recovery_code").status_code)
        return int(browser.post("/v1/auth/login/factor", shown_once).status_code)

    statuses = at_once(20, attempt)

    assert statuses == [200] + [401] * 19
    assert Session.select().where(Session.revoked_at.is_null()).count() == 1


def test_a_passkey_alone_signs_in(mia: User, guest: Browser) -> None:
    key = authenticator(mia)
    App.of(mia)
    answer = guest.post("/v1/auth/passkey", assertion_of(guest, "/v1/auth/passkey/options", key))

    assert answer.status_code == 200 and answer.json["user"]["name"] == "Mia"
    assert guest.get("/v1/me").status_code == 200
    assert AuditEntry.get(AuditEntry.action == "session.started").details == {"by": "passkey"}


def test_a_passkey_alone_must_be_unlocked_by_its_person(mia: User, guest: Browser) -> None:
    key = authenticator(mia, flags=PRESENT)

    refused(guest.post("/v1/auth/passkey", assertion_of(guest, "/v1/auth/passkey/options", key)))


def test_a_passkey_alone_is_shown_once_for_this_site_and_by_its_person(
    mia: User, cast: Cast, visit: Callable[[], Browser]
) -> None:
    key = authenticator(mia, counts=False)
    guest = visit()
    good = assertion_of(guest, "/v1/auth/passkey/options", key)
    elsewhere = Authenticator("http://evil.example", "localhost", credential_id=key.credential_id, key=key.key)
    as_eve = Authenticator(HOME, "localhost", credential_id=key.credential_id, key=key.key)
    as_eve.user_handle = cast.users["eve"].id.bytes
    unknown = Authenticator(HOME, "localhost", user_handle=mia.id.bytes)

    for other in (elsewhere, as_eve, unknown):
        refused(guest.post("/v1/auth/passkey", assertion_of(guest, "/v1/auth/passkey/options", other)))
    assert guest.post("/v1/auth/passkey", good).status_code == 200
    refused(visit().post("/v1/auth/passkey", good))


def test_a_passkey_is_not_requested_where_passkeys_are_unavailable(
    mia: User, guest: Browser, in_settings: Callable[..., Settings]
) -> None:
    key = authenticator(mia)
    alone = assertion_of(guest, "/v1/auth/passkey/options", key)
    in_settings(base_url="http://127.0.0.1:8080")
    browser = Browser(guest.client.application, "http://127.0.0.1:8080")

    assert browser.post("/v1/auth/passkey/options", {}).status_code == 404
    refused(browser.post("/v1/auth/passkey", alone))
    assert "user" in browser.post("/v1/auth/login", LOGIN).json


def test_no_proof_is_logged(mia: User, guest: Browser, lines: Any) -> None:
    app, codes = App.of(mia), recovery_codes(mia)
    challenge = challenged(guest)
    by_code(guest, challenge, codes[0], "totp")
    by_code(guest, challenge, app.code())
    written = str(lines())

    assert "login/factor" in written
    assert not any(secret in written for secret in (app.code(), codes[0], challenge, PASSWORD))
