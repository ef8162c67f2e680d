"""Adding and removing authenticator app, recovery codes and passkeys, without locking the account.

Specification 11.4.
"""

from __future__ import annotations

from base64 import b32decode
from urllib.parse import parse_qs, unquote, urlsplit

from flask import Flask

from inbox.domain.values import ids
from inbox.identity import totp
from inbox.models.people.accounts import User
from inbox.models.people.factors import Passkey, RecoveryCode, TotpFactor
from inbox.models.records.audit import AuditEntry
from tests.api.people.factors_steps import (
    hers,  # noqa: F401
    mia,  # noqa: F401
    password_hash,  # noqa: F401
    reported,
    written,
)
from tests.browser import Browser
from tests.proving import App, authenticator, recovery_codes


def begun(browser: Browser) -> App:
    """An app that has scanned the code."""
    answer = browser.post("/v1/me/totp", {})
    assert answer.status_code == 200, answer.json
    return App(b32decode(answer.json["secret"]))


def test_an_app_is_added_by_a_code_of_it(hers: Browser, mia: User) -> None:
    app = begun(hers)
    assert hers.get("/v1/me/factors").json["totp"] is None
    answer = hers.post("/v1/me/totp/confirm", {"code": app.code()})

    assert answer.status_code == 200
    codes = answer.json["recoveryCodes"]
    assert len(set(codes)) == 10
    seen = hers.get("/v1/me/factors").json
    assert seen["totp"]["confirmedAt"] and seen["secondFactor"] is True and seen["recoveryCodesLeft"] == 10
    assert reported() == [("factor_added", "mia@example.org")]
    assert written() == [("factor.added", "totp")]
    assert RecoveryCode.select().where(RecoveryCode.user == mia.id).count() == 10


def test_the_qr_code_of_an_authenticator_holds_the_secret_that_is_shown(hers: Browser) -> None:
    answer = hers.post("/v1/me/totp", {}).json
    address = urlsplit(answer["otpauthUrl"])
    query = parse_qs(address.query)

    assert address.scheme == "otpauth" and unquote(address.path).endswith("mia@example.org")
    assert query["secret"] == [answer["secret"]] and query["issuer"] == ["Incident Inbox"]
    assert answer["qrSvg"].startswith("<svg")


def test_the_secret_is_sealed_and_never_answered_again(hers: Browser) -> None:
    app = begun(hers)
    hers.post("/v1/me/totp/confirm", {"code": app.code()})
    row = TotpFactor.get()

    assert app.secret not in bytes(row.sealed)
    assert totp.to_base32(app.secret) not in hers.get("/v1/me/factors").get_data(as_text=True)
    assert not any(totp.to_base32(app.secret) in str(entry.__data__) for entry in AuditEntry.select())


def test_the_confirming_code_cannot_be_used_again(hers: Browser, app: Flask) -> None:
    phone = begun(hers)
    hers.post("/v1/me/totp/confirm", {"code": phone.code()})

    assert hers.post("/v1/auth/step-up", {"factor": "totp", "code": phone.code()}).status_code == 403
    assert hers.post("/v1/auth/step-up", {"factor": "totp", "code": phone.code(1)}).status_code == 204


def test_a_wrong_code_adds_nothing(hers: Browser) -> None:
    app = begun(hers)
    answer = hers.post("/v1/me/totp/confirm", {"code": app.wrong()})

    assert (answer.status_code, answer.json["errors"][0]["pointer"]) == (422, "/code")
    assert hers.get("/v1/me/factors").json["totp"] is None and reported() == []
    assert hers.post("/v1/me/totp/confirm", {"code": app.code()}).status_code == 200


def test_a_second_app_setup_replaces_the_first(hers: Browser) -> None:
    first, second = begun(hers), begun(hers)

    assert hers.post("/v1/me/totp/confirm", {"code": first.code()}).status_code == 422
    assert hers.post("/v1/me/totp/confirm", {"code": second.code()}).status_code == 200


def test_an_account_has_at_most_one_authenticator_app(hers: Browser, mia: User) -> None:
    App.of(mia)

    assert hers.post("/v1/me/totp", {}).status_code == 409
    assert hers.post("/v1/me/totp/confirm", {"code": "492039"}).status_code == 409


def test_an_app_cannot_be_confirmed_before_it_is_set_up(hers: Browser) -> None:
    assert hers.post("/v1/me/totp/confirm", {"code": "492039"}).status_code == 409


def test_removing_the_app_removes_its_recovery_codes(hers: Browser, mia: User) -> None:
    App.of(mia)
    recovery_codes(mia)
    answer = hers.delete("/v1/me/totp")

    assert answer.status_code == 204
    assert TotpFactor.select().count() == RecoveryCode.select().count() == 0
    assert reported() == [("factor_removed", "mia@example.org")] and written() == [("factor.removed", "totp")]
    assert hers.delete("/v1/me/totp").status_code == 404


def test_recovery_codes_stay_for_a_passkey(hers: Browser, mia: User) -> None:
    App.of(mia)
    key = authenticator(mia)
    recovery_codes(mia)
    hers.delete("/v1/me/totp")

    assert hers.get("/v1/me/factors").json["recoveryCodesLeft"] == 10
    [passkey] = Passkey.select()
    assert key.credential_id == bytes(passkey.credential_id)
    assert hers.delete(f"/v1/me/passkeys/{ids.encode('psk', passkey.id)}").status_code == 204
    assert RecoveryCode.select().count() == 0
