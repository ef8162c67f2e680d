"""Signing in with a second factor, or with a passkey alone (specification 11.3)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from flask import Flask

from inbox.models.people.accounts import Session, User
from inbox.models.people.factors import Passkey, RecoveryCode, TotpFactor
from inbox.models.records.audit import AuditEntry
from inbox.services.people import challenges
from inbox.services.people.challenges import Purpose
from tests.api.sign_in.second_factor_steps import (
    LOGIN,
    by_code,
    challenged,
    guest,  # noqa: F401
    mia,  # noqa: F401
    password_hash,  # noqa: F401
    refused,
    visit,  # noqa: F401
)
from tests.browser import Browser
from tests.cast import Cast, present, sign_in
from tests.identity.authenticators import PRESENT
from tests.proving import HOME, App, assertion_of, authenticator, recovery_codes


def test_the_password_alone_does_not_sign_in_an_account_with_an_app(mia: User, guest: Browser) -> None:
    App.of(mia)
    answer = guest.post("/v1/auth/login", LOGIN)

    assert answer.status_code == 200
    assert set(answer.json) == {"mfaRequired", "challenge", "factors"}
    assert answer.json["mfaRequired"] is True and answer.json["factors"] == ["totp"]
    assert "Set-Cookie" not in answer.headers and Session.select().count() == 0
    assert guest.get("/v1/me").status_code == 401


@pytest.mark.parametrize(
    ("has_app", "has_passkey", "has_codes", "requested"),
    [
        (False, False, False, None),
        (False, False, True, None),
        (True, False, False, ["totp"]),
        (True, False, True, ["totp", "recovery_code"]),
        (False, True, False, ["passkey"]),
        (False, True, True, ["passkey", "recovery_code"]),
        (True, True, True, ["totp", "passkey", "recovery_code"]),
    ],
)
def test_the_login_asks_for_the_factors_that_the_account_has(
    has_app: bool, has_passkey: bool, has_codes: bool, requested: list[str] | None, mia: User, guest: Browser
) -> None:
    if has_app:
        App.of(mia)
    if has_passkey:
        authenticator(mia)
    if has_codes:
        recovery_codes(mia)
    answer = guest.post("/v1/auth/login", LOGIN)

    assert answer.json.get("factors") == requested
    assert ("user" in answer.json) is (requested is None) is ("Set-Cookie" in answer.headers)


def test_an_app_that_was_never_confirmed_is_not_asked_for(mia: User, guest: Browser) -> None:
    App.of(mia)
    TotpFactor.update(confirmed_at=None).execute()

    assert "user" in guest.post("/v1/auth/login", LOGIN).json


def test_a_code_of_the_app_signs_in(mia: User, guest: Browser) -> None:
    app = App.of(mia)
    answer = by_code(guest, challenged(guest), app.code())

    assert answer.status_code == 200 and answer.json["user"]["email"] == "mia@example.org"
    assert answer.json["user"].items() <= guest.get("/v1/me").json.items()
    entry = AuditEntry.get(AuditEntry.action == "session.started")
    assert entry.details == {"by": "password+totp"} and entry.actor["name"] == "Mia"


def test_the_session_that_the_browser_had_ends_with_the_new_one(
    mia: User, app: Flask, cast: Cast, guest: Browser
) -> None:
    before = sign_in(cast.users["eve"])
    apps = App.of(mia)
    browser = Browser(app, HOME, cookie=before)
    by_code(browser, challenged(browser), apps.code())

    assert browser.get("/v1/me").json["name"] == "Mia"
    assert Browser(app, HOME, cookie=before).get("/v1/me").status_code == 401


def test_a_code_is_good_once(mia: User, visit: Callable[[], Browser]) -> None:
    app = App.of(mia)
    first, second = visit(), visit()
    one, other = challenged(first), challenged(second)

    assert by_code(first, one, app.code()).status_code == 200
    refused(by_code(second, other, app.code()))
    assert by_code(second, other, app.code(1)).status_code == 200


def test_a_code_older_than_the_last_accepted_one_is_refused(mia: User, visit: Callable[[], Browser]) -> None:
    app = App.of(mia)
    first, second = visit(), visit()
    one, other = challenged(first), challenged(second)

    assert by_code(first, one, app.code(1)).status_code == 200
    refused(by_code(second, other, app.code()))


def test_a_challenge_is_good_once(mia: User, visit: Callable[[], Browser]) -> None:
    app = App.of(mia)
    first, second = visit(), visit()
    challenge = challenged(first)

    assert by_code(first, challenge, app.code()).status_code == 200
    refused(by_code(second, challenge, app.code(1)))


def test_a_wrong_code_leaves_the_challenge_for_the_right_one(mia: User, guest: Browser) -> None:
    app = App.of(mia)
    challenge = challenged(guest)

    refused(by_code(guest, challenge, app.wrong()))
    assert by_code(guest, challenge, app.code()).status_code == 200


def test_a_recovery_code_replaces_the_app_once(mia: User, visit: Callable[[], Browser]) -> None:
    App.of(mia)
    codes = recovery_codes(mia)
    first, second = visit(), visit()

    typed = codes[0].upper().replace("-", " ")
    assert by_code(first, challenged(first), typed, "recovery_code").status_code == 200
    refused(by_code(second, challenged(second), codes[0], "recovery_code"))
    assert by_code(second, challenged(second), codes[1], "recovery_code").status_code == 200
    assert RecoveryCode.select().where(RecoveryCode.used_at.is_null()).count() == 8


def test_a_recovery_code_is_no_code_of_the_app_and_the_other_way_round(mia: User, guest: Browser) -> None:
    app, codes = App.of(mia), recovery_codes(mia)
    challenge = challenged(guest)

    refused(by_code(guest, challenge, codes[0], "totp"))
    refused(by_code(guest, challenge, app.code(), "recovery_code"))


def test_a_passkey_signs_in_beside_the_password_without_being_unlocked(mia: User, guest: Browser) -> None:
    key = authenticator(mia, flags=PRESENT)
    proof = assertion_of(guest, "/v1/auth/login/options", key, {"challenge": challenged(guest)})
    answer = guest.post("/v1/auth/login/factor", proof | {"factor": "passkey"})

    assert answer.status_code == 200
    assert guest.get("/v1/me").json["name"] == "Mia"
    assert Passkey.get().last_used_at is not None and Passkey.get().sign_count == 1


def test_passkey_options_list_only_passkeys_of_the_person(mia: User, cast: Cast, guest: Browser) -> None:
    key = authenticator(mia)
    authenticator(cast.users["eve"])
    options = guest.post("/v1/auth/login/options", {"challenge": challenged(guest)}).json["options"]

    assert [each["id"] for each in options["allowCredentials"]] == [key.make(OPTIONS)["rawId"]]
    assert options["rpId"] == "localhost"


OPTIONS = {"challenge": ""}


def test_a_passkey_assertion_cannot_be_replayed(mia: User, visit: Callable[[], Browser]) -> None:
    key = authenticator(mia, counts=False)
    first, second = visit(), visit()
    proof = assertion_of(first, "/v1/auth/login/options", key, {"challenge": challenged(first)}) | {"factor": "passkey"}

    assert first.post("/v1/auth/login/factor", proof).status_code == 200
    refused(second.post("/v1/auth/login/factor", proof))
    refused(second.post("/v1/auth/login/factor", proof | {"challenge": challenged(second)}))


def test_a_copied_passkey_is_seen_by_its_count(mia: User, guest: Browser) -> None:
    key = authenticator(mia)
    Passkey.update(sign_count=5).execute()
    proof = assertion_of(guest, "/v1/auth/login/options", key, {"challenge": challenged(guest)})

    refused(guest.post("/v1/auth/login/factor", proof | {"factor": "passkey"}))


def test_every_wrong_second_factor_gets_the_same_answer(mia: User, cast: Cast, visit: Callable[[], Browser]) -> None:
    app, others = App.of(mia), App.of(cast.users["adam"])
    codes, foreign = recovery_codes(mia), authenticator(cast.users["eve"])
    guest, now = visit(), present()
    challenge = challenged(guest)
    values = {"user": mia.id.hex, "state": "0" * 32, "by": "password"}
    late = challenges.issue(Purpose.SIGN_IN, values, now - timedelta(minutes=6))
    answers = [
        by_code(guest, challenge, app.wrong()),
        by_code(guest, challenge, "not a code"),
        by_code(guest, challenge, "٠٠٠٠٠٠"),
        by_code(guest, challenge, others.code()),
        by_code(guest, challenge, codes[0][:-1], "recovery_code"),
        by_code(guest, late, app.code()),
        by_code(guest, challenges.issue(Purpose.SIGN_IN, values, now), app.code()),
        by_code(guest, challenges.issue(Purpose.PASSKEY, values, now), app.code()),
        by_code(guest, challenge + "x", app.code()),
        by_code(guest, "x", app.code()),
        by_code(guest, "ü", app.code()),
        guest.post(
            "/v1/auth/login/factor",
            assertion_of(guest, "/v1/auth/login/options", foreign, {"challenge": challenge}) | {"factor": "passkey"},
        ),
        guest.post("/v1/auth/login/factor", {"challenge": challenge, "factor": "passkey", "credential": {}}),
        guest.post("/v1/auth/login", LOGIN | {"password": "not her phrase"}),
        guest.post("/v1/auth/login", LOGIN | {"email": "nobody@example.org"}),
        guest.post("/v1/auth/login/options", {"challenge": "x"}),
    ]

    assert len({str(refused(answer)) for answer in answers}) == 1
    assert Session.select().count() == 0
    assert by_code(guest, challenge, app.code()).status_code == 200
