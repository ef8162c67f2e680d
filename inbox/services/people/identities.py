"""Identity providers: sign-in, step-up and linking through them (specification 11.7).

An identity is a provider with the provider's subject for a person. An email address alone never grants access.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from inbox.config.settings import Settings, current
from inbox.database.base import db, new_id
from inbox.destinations import outbound_policy
from inbox.domain.values.refusals import NotFound, Unauthenticated, Unavailable
from inbox.domain.values.text import one_line
from inbox.flow import mail_outbox
from inbox.flow.unit_of_work import AfterCommit, work
from inbox.identity import oidc, tickets
from inbox.identity.faults import Fault, OidcRefused
from inbox.identity.oidc import Provider, ProviderIdentity, Started
from inbox.identity.safe_redirect import safe_return
from inbox.identity.tickets import Ticket, TicketRefused
from inbox.mail import templates
from inbox.models.people.accounts import User
from inbox.models.people.factors import Identity, UsedTicket
from inbox.services.people import factors, sessions, signin, trusted_browsers
from inbox.services.people.accounts import as_read
from inbox.services.people.sessions import Client
from inbox.services.people.signin import Challenge, SignInResult, email_key
from inbox.services.records import audit

PENDING = "oidc-link"
"""The purpose of the ticket that links an identity with the account of the next sign-in."""

_making = threading.Lock()
_cached_providers: tuple[Settings, dict[str, Provider]] | None = None


class Purpose(StrEnum):
    """The purpose of a flow through a provider."""

    SIGN_IN = "sign-in"
    STEP_UP = "step-up"
    LINK = "link"


@dataclass(frozen=True, slots=True)
class Intent:
    """The act after the return of the browser, its next page, and the session if the act needs one."""

    purpose: Purpose
    return_to: str = "/"
    session_id: UUID | None = None

    def serialized(self) -> dict[str, str]:
        """Serialize the intent for the ticket that the browser keeps."""
        return {"p": self.purpose, "r": self.return_to, "s": self.session_id.hex if self.session_id else ""}

    @classmethod
    def read(cls, stored: Mapping[str, Any]) -> Intent:
        """Read the result of `serialized`."""
        return cls(Purpose(stored["p"]), safe_return(stored["r"]), UUID(stored["s"]) if stored["s"] else None)


@dataclass(frozen=True, slots=True)
class _NewLink:
    """The identity that is linked with an account."""

    provider: str
    subject: str
    email: str | None

    @classmethod
    def of(cls, identified: ProviderIdentity) -> _NewLink:
        return cls(identified.provider, identified.subject, identified.email)


class LinkRequired(OidcRefused):
    """The identity's address has an account.

    `ticket` links the two after a sign-in to that account by another method.
    """

    def __init__(self, ticket: str) -> None:
        super().__init__(Fault.LINK_FIRST)
        self.ticket = ticket


def start(provider_id: str, intent: Intent, now: datetime) -> Started:
    """Return the URL for the browser, and the cookie that binds the return to it. Holds no database connection.

    Raises `NotFound` for an unknown provider, and `Unavailable` when the provider does not respond correctly.
    """
    provider = _provider(provider_id)
    if provider is None:
        raise NotFound()
    back = f"{current().base_url}{callback_path(provider_id)}"
    try:
        return provider.start(back, now=now, intent=intent.serialized(), fresh=intent.purpose is Purpose.STEP_UP)
    except OidcRefused as refused:
        raise Unavailable(f"The identity provider cannot be used at the moment ({refused.fault}).") from refused


def callback_path(provider_id: str) -> str:
    """Return the callback path of a provider, below the base URL."""
    return f"/v1/auth/oidc/{provider_id}/callback"


def identify(provider_id: str, response: Mapping[str, str], cookie: str | None, now: datetime) -> ProviderIdentity:
    """Return the identity that the provider confirms. Raises `OidcRefused`.

    The call contacts the provider, so hold no database connection.
    """
    provider = _provider(provider_id)
    if provider is None:
        raise OidcRefused(Fault.NO_PROVIDER)
    return provider.finish(response, cookie, now=now)


def sign_in(identified: ProviderIdentity, now: datetime, *, visitor: Client) -> SignInResult | Challenge:
    """Sign in the owner of the identity. A second factor is still required. An unknown person may get an account.

    Raises `OidcRefused`, and `LinkRequired` when the address has an account that is not linked.
    """
    with work() as done:
        _spend(identified.ticket)
        _serialized(identified.provider, identified.subject)
        identity = _find(identified.provider, identified.subject)
        user = identity.user if identity is not None else _new_account(identified, now, done)
        if identity is not None:
            Identity.update(last_used_at=now, email=identified.email).where(Identity.id == identity.id).execute()
        try:
            return signin.admit(
                user, now=now, by=f"oidc:{identified.provider}", factor_done=False, client=visitor, done=done
            )
        except Unauthenticated:
            raise OidcRefused(Fault.DISABLED) from None


def step_up(identified: ProviderIdentity, session_id: UUID, user_id: UUID, now: datetime) -> None:
    """Record the step-up of the session, if the identity is its person's. Raises `OidcRefused`."""
    with work():
        _spend(identified.ticket)
        identity = _find(identified.provider, identified.subject)
        if identity is None or identity.user_id != user_id:
            raise OidcRefused(Fault.OTHER)
        Identity.update(last_used_at=now).where(Identity.id == identity.id).execute()
        sessions.prove(session_id, now, by=f"oidc:{identified.provider}")


def link(identified: ProviderIdentity, user_id: UUID, now: datetime) -> None:
    """Link the identity with the person. Raises `OidcRefused` when it belongs to another person."""
    with work() as done:
        _spend(identified.ticket)
        _serialized(identified.provider, identified.subject)
        identity = _find(identified.provider, identified.subject)
        if identity is not None and identity.user_id != user_id:
            raise OidcRefused(Fault.TAKEN)
        if identity is None:
            _link_and_notify(_NewLink.of(identified), User.get_by_id(user_id), now, done)


def link_pending(user: User, text: str, now: datetime) -> bool:
    """Link the identity of a `LinkRequired` ticket with the person who just signed in, if the ticket names them.

    Return False without a link: the ticket names another person, has expired or was used, or the identity is linked.
    """
    try:
        ticket = tickets.verify(current().signing_key, PENDING, text, now=now)
    except TicketRefused:
        return False
    if (values := ticket.values)["user"] != user.id.hex:
        return False
    with work() as done:
        _serialized(values["provider"], values["subject"])
        is_taken = _find(values["provider"], values["subject"]) is not None
        if not UsedTicket.consume(ticket.digest, ticket.expires_at) or is_taken:
            return False
        _link_and_notify(_NewLink(values["provider"], values["subject"], values["email"]), user, now, done)
    return True


def unlink(user_id: UUID, provider_id: str, now: datetime) -> None:
    """Unlink a provider from the person. Raises `NotFound`, and `Conflict` when no way to sign in remains."""
    with work() as done:
        user = factors.locked(user_id)
        own_identity = (Identity.user == user_id) & (Identity.provider == provider_id)
        identity = Identity.get_or_none(own_identity)
        if identity is None or not Identity.delete().where(own_identity).execute():
            raise NotFound()
        factors.check_sign_in_remains(user)
        trusted_browsers.end_all(user_id, now)
        record = audit.columns(identity, "provider", "email", "created_at", "last_used_at")
        about, details = audit.target("user", user.id, user.name), {"provider": provider_id, **audit.removed(record)}
        audit.record("identity.unlinked", target=about, now=now, details=details)
        mail = templates.fill("factor_removed", name=user.name, factor="oidc", at=as_read(now, user.timezone))
        mail_outbox.enqueue(done, mail, user.email, now)
        done.publish_change("me", user.id, None, rev=user.rev)


def _provider(provider_id: str) -> Provider | None:
    """Return the provider. One object exists per settings object, because it caches the provider's keys."""
    global _cached_providers
    chosen = current()
    with _making:
        if _cached_providers is None or _cached_providers[0] is not chosen:
            client = outbound_policy.operators_client()
            providers = {each.id: Provider(each, chosen.signing_key, client) for each in chosen.oidc_providers}
            _cached_providers = (chosen, providers)
        return _cached_providers[1].get(provider_id)


def _spend(ticket: Ticket) -> None:
    if not UsedTicket.consume(ticket.digest, ticket.expires_at):
        raise OidcRefused(Fault.EXPIRED, "spent")


def _serialized(provider: str, subject: str) -> None:
    """Serialize concurrent requests with this identity, so that it is linked once."""
    db.execute_sql("SELECT pg_advisory_xact_lock(hashtextextended(%s, 3))", (f"{provider}\n{subject}",))


def _find(provider: str, subject: str) -> Identity | None:
    whose = (Identity.provider == provider) & (Identity.subject == subject)
    found: Identity | None = Identity.select(Identity, User).join(User).where(whose).first()
    return found


def _new_account(identified: ProviderIdentity, now: datetime, done: AfterCommit) -> User:
    """Create an account for an unknown identity, where the settings allow it."""
    if identified.email is None or not identified.email_verified:
        raise OidcRefused(Fault.UNVERIFIED, "no verified address")
    existing = User.get_or_none(User.email_key == email_key(identified.email))
    if existing is not None:
        if existing.disabled_at is None and existing.deleted_at is None:
            raise LinkRequired(_pending(identified, existing, now))
        raise OidcRefused(Fault.UNKNOWN, "disabled")
    allowed = any(each.allow_signup for each in current().oidc_providers if each.id == identified.provider)
    if not allowed or not User.select().exists():  # the first account is the administrator's, through the set-up link
        raise OidcRefused(Fault.UNKNOWN, "no sign-up")
    made = User.insert(
        id=new_id(now),
        email=identified.email,
        email_key=email_key(identified.email),
        email_verified_at=now,
        name=one_line(identified.name)[:100] or identified.email.partition("@")[0],
        created_at=now,
    )
    if not made.on_conflict_ignore().returning(User.id).execute():
        raise OidcRefused(Fault.UNKNOWN, "address taken meanwhile")
    user: User = User.get(User.email_key == email_key(identified.email))
    about = audit.target("user", user.id, user.name)
    audit.record("account.created", target=about, now=now, actor=audit.person(user))
    _link(_NewLink.of(identified), user, now)
    done.publish_change("me", user.id, None, rev=user.rev)
    return user


def _pending(identified: ProviderIdentity, user: User, now: datetime) -> str:
    values = {
        "provider": identified.provider,
        "subject": identified.subject,
        "email": identified.email,
        "user": user.id.hex,
    }
    return tickets.issue(current().signing_key, PENDING, values, now=now, lifetime=oidc.LIFETIME)


def _link(link: _NewLink, user: User, now: datetime) -> None:
    Identity.create(
        id=new_id(now),
        user=user,
        provider=link.provider,
        subject=link.subject,
        email=link.email,
        created_at=now,
        last_used_at=now,
    )
    audit.record(
        "identity.linked",
        target=audit.target("user", user.id, user.name),
        now=now,
        actor=audit.person(user),
        details={"provider": link.provider},
    )


def _link_and_notify(link: _NewLink, user: User, now: datetime, done: AfterCommit) -> None:
    """Link the identity with an existing account, and mail the account's address. The trust in all browsers ends."""
    _link(link, user, now)
    trusted_browsers.end_all(user.id, now)
    done.publish_change("me", user.id, None, rev=user.rev)
    mail = templates.fill("factor_added", name=user.name, factor="oidc", at=as_read(now, user.timezone))
    mail_outbox.enqueue(done, mail, user.email, now)
