"""Factors of test people: codes of an app, a passkey in software, recovery codes."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from inbox.database.base import new_id
from inbox.identity import passkeys, recovery, totp
from inbox.models.people.accounts import User
from inbox.models.people.factors import Passkey, RecoveryCode, TotpFactor
from inbox.runtime import sealing
from inbox.services.people import authentication_factors
from tests.browser import Browser
from tests.cast import present
from tests.identity.authenticators import Authenticator

HOME = "http://localhost:8080"
"""An address at which browsers make passkeys, without https."""


class App:
    """A person's authenticator app. Each code is good once: `code(0)` is the present one, `code(1)` the next."""

    def __init__(self, secret: bytes) -> None:
        self.secret = secret
        self.start = int(present().timestamp()) // totp.PERIOD

    @classmethod
    def of(cls, user: User) -> App:
        """An app that counts from now on; no code of it was taken."""
        app, now = cls(totp.new_secret()), present()
        sealed = sealing.current().seal(app.secret, authentication_factors.associated_data(user.id))
        TotpFactor.create(user=user, sealed=sealed, created_at=now, confirmed_at=now)
        return app

    def code(self, ahead: int = 0) -> str:
        return totp.code_of(self.secret, self.start + ahead)

    def wrong(self, number: int = 0) -> str:
        """A code that is none of those which would be taken, now or soon."""
        good = {self.code(ahead) for ahead in range(-2, 4)}
        return next(text for text in (f"{n:06}" for n in range(number * 10, 10**6)) if text not in good)


def recovery_codes(user: User) -> list[str]:
    """Ten fresh ones of this person."""
    codes = recovery.new_codes()
    RecoveryCode.replace_all(user.id, [recovery.digest(user.id, code) for code in codes])
    return codes


def authenticator(user: User, **more: Any) -> Authenticator:
    """A passkey of this person for our site, kept in the database."""
    made = Authenticator(origin=HOME, rp_id="localhost", user_handle=user.id.bytes, **more)
    add_passkey(user, made, present())
    return made


def add_passkey(user: User, made: Authenticator, now: datetime) -> Passkey:
    options = passkeys.registration_options(
        authentication_factors.site(), b"c" * 32, user_id=user.id, email=user.email, name=user.name, has=()
    )
    key = passkeys.verify_registration(authentication_factors.site(), b"c" * 32, made.make(options))
    return Passkey.create(
        id=new_id(now),
        user=user,
        credential_id=key.credential_id,
        public_key=key.public_key,
        sign_count=key.sign_count,
        transports=list(key.transports),
        name="Laptop",
        created_at=now,
    )


def assertion_of(browser: Browser, path: str, key: Authenticator, body: dict[str, Any] | None = None) -> dict[str, Any]:
    """The proof by a passkey: the options of `path`, answered by the authenticator."""
    requested = browser.post(path, body or {})
    assert requested.status_code == 200, requested.json
    return {"challenge": requested.json["challenge"], "credential": key.show(requested.json["options"])}
