"""Password reset of an invited account whose address was never confirmed (specification 11.8)."""

from __future__ import annotations

import pytest

from inbox.database.base import new_id
from inbox.models.deliveries.mail_outbox import Mail
from inbox.models.people.accounts import User
from inbox.models.people.chat_accounts import ChatAccount
from inbox.models.people.factors import Identity, Passkey, RecoveryCode, TotpFactor
from inbox.models.records.audit import AuditEntry
from inbox.services.instance import administration
from tests.api.people.links_steps import (
    NEW,
    ask_for_reset,
    log_in,
    old_hash,  # noqa: F401
    post,  # noqa: F401
    reset,
)
from tests.browser import Browser
from tests.cast import Cast, present
from tests.proving import App, recovery_codes
from tests.stand_ins.post_office import PostOffice


@pytest.fixture
def mia(cast: Cast) -> User:
    """Mia with a passkey, recovery codes, an identity and a chat account. Her address is not confirmed."""
    user = cast.users["mia"]
    _passkey(user)
    recovery_codes(user)
    Identity.create(id=new_id(), user=user, provider="acme", subject="attacker", created_at=present())
    ChatAccount.create(
        id=new_id(), user=user, workspace=cast.workspace, service="slack", account_id="U1", name="mia",
        created_at=present(),
    )  # fmt: skip
    return user


def _passkey(user: User) -> None:
    key = {"credential_id": b"c", "public_key": b"k", "sign_count": 0, "name": "Laptop"}
    Passkey.create(id=new_id(), user=user, created_at=present(), **key)


def left(user: User) -> set[str]:
    """What the account still has."""
    tables = (Passkey, Identity, ChatAccount, TotpFactor, RecoveryCode)
    return {table.__name__ for table in tables if table.select().where(table.user == user.id).exists()}


def _reset(post: PostOffice, browser: Browser) -> bool:
    """Reset the password; whether the audit log says that factors were removed."""
    ask_for_reset(browser)
    assert reset(browser, post.token()).status_code == 204
    [entry] = AuditEntry.select().where(AuditEntry.action == "password.reset")
    return bool(entry.details["factorsRemoved"])


def test_a_reset_of_an_unconfirmed_account_removes_every_other_factor(
    post: PostOffice, anonymous: Browser, mia: User
) -> None:
    assert _reset(post, anonymous) is True

    assert left(mia) == set()
    answer = log_in(anonymous, NEW)
    assert (answer.status_code, "mfaRequired" in answer.json) == (200, False)


@pytest.mark.parametrize(("confirmed", "notice"), [(False, "password_reset_unconfirmed"), (True, "password_changed")])
def test_the_reset_notice_names_the_removed_factors(
    post: PostOffice, anonymous: Browser, mia: User, confirmed: bool, notice: str
) -> None:
    User.update(email_verified_at=present() if confirmed else None).where(User.id == mia.id).execute()

    _reset(post, anonymous)

    assert {mail.template for mail in Mail.select()} == {"password_reset", notice}
    [mail] = post.delivered()
    assert ("linked chat accounts were removed" in " ".join(mail.text.split())) is not confirmed


def test_an_app_stays_because_it_needs_the_password(post: PostOffice, anonymous: Browser, mia: User) -> None:
    App.of(mia)

    assert _reset(post, anonymous) is True

    assert left(mia) == {"TotpFactor", "RecoveryCode"}
    assert log_in(anonymous, NEW).json["factors"] == ["totp", "recovery_code"]


def test_a_confirmed_address_keeps_everything(post: PostOffice, anonymous: Browser, mia: User) -> None:
    User.update(email_verified_at=present()).where(User.id == mia.id).execute()

    assert _reset(post, anonymous) is False

    assert left(mia) == {"Passkey", "Identity", "ChatAccount", "RecoveryCode"}


def test_an_account_that_an_operator_made_keeps_everything(post: PostOffice, anonymous: Browser, mia: User) -> None:
    mia.delete_instance(recursive=True)
    made = {"is_instance_admin": False, "workspace_name": None, "now": present()}
    user = administration.create(mia.email, "Mia", "a phrase that nobody guesses", **made)
    _passkey(user)

    assert _reset(post, anonymous) is False

    assert left(user) == {"Passkey"}


def test_a_second_reset_keeps_factors_added_after_the_first(post: PostOffice, anonymous: Browser, mia: User) -> None:
    _reset(post, anonymous)
    _passkey(mia)
    ask_for_reset(anonymous)
    reset(anonymous, post.token(), "a third phrase that is long")

    assert left(mia) == {"Passkey"}
