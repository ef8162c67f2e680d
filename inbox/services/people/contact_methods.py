"""Use cases of contact methods: add, confirm by a code, remove (specification 23.11)."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import peewee

from inbox.config import settings
from inbox.database.base import new_id
from inbox.domain.people.notification_rules import NotificationRules
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.domain.values.refusals import Conflict, Fault, NotFound, RateLimited, ValidationFailed
from inbox.domain.workspaces.audit_actions import AuditAction
from inbox.flow import mail_outbox
from inbox.flow.unit_of_work import AfterCommit, work
from inbox.limits import rates
from inbox.mail import templates
from inbox.models.people.accounts import User
from inbox.models.people.contact_methods import ContactMethod, stored_rules
from inbox.services.people import push_destinations
from inbox.services.people.factors import locked
from inbox.services.people.signin import email_key
from inbox.services.records import audit
from inbox.services.records.record_limits import check_room

MAX_METHODS = 10
"""The maximum number of contact methods of a person."""

CODES_PER_HOUR = 10
"""The most codes that a person requests in an hour."""

CODE_LIFETIME = timedelta(minutes=15)
MAX_WRONG_TRIES = 5
"""The number of wrong codes after which the person must request a new one."""

EMAIL = "email"

NO_MAIL = "The operator has set no mail server (INBOX_SMTP_URL), so no address can be confirmed."
WRONG_CODE = "The code is wrong, was used, or is older than 15 minutes. Request a new one."


def of_person(user_id: UUID) -> peewee.ModelSelect[ContactMethod]:
    """Select the contact methods of a person."""
    return ContactMethod.select().where(ContactMethod.user == user_id)


def add(user_id: UUID, kind: str, address: str, now: datetime) -> ContactMethod:
    """Add a contact method and send its code. Raises `Conflict` at the maximum, for a known address and without mail."""
    _admit(user_id, now)
    with work() as done:
        person = locked(user_id)
        known = {email_key(each.address) for each in of_person(user_id)} | {person.email_key}
        if email_key(address) in known:
            raise Conflict("This address is a contact method of yours already.")
        check_room(of_person(user_id), MAX_METHODS, "A person has at most {} contact methods.")
        made = ContactMethod(id=new_id(now), user=user_id, kind=kind, address=address, created_at=now)
        _renew_code(made, person, done, now)
        made.save(force_insert=True)
        _note("contact_method.added", made, now)
        done.publish_change("me", user_id, None, rev=person.rev)
    return made


def send_code(user_id: UUID, method_id: UUID, now: datetime) -> None:
    """Send a new code, which ends the one before. Raises `NotFound`, and `Conflict` for a confirmed method."""
    _admit(user_id, now)
    with work() as done:
        person = locked(user_id)
        method = _own(user_id, method_id)
        if method.confirmed_at is not None:
            raise Conflict("The contact method is confirmed already.")
        _renew_code(method, person, done, now)
        method.save()


def confirm(user_id: UUID, method_id: UUID, code: str, now: datetime) -> ContactMethod:
    """Confirm a contact method by its code. Raises `NotFound`, and `ValidationFailed` for a wrong code, which counts."""
    with work() as done:
        person = locked(user_id)
        method = _own(user_id, method_id)
        if method.confirmed_at is not None:
            return method
        is_right = _is_right(method, code, now)
        if is_right:
            method.confirmed_at, method.code_hash, method.code_expires_at = now, None, None
            _note("contact_method.confirmed", method, now)
            done.publish_change("me", user_id, None, rev=person.rev)
        else:
            method.wrong_tries += 1
        method.save()
    if not is_right:  # after the commit, which keeps the count of wrong codes
        raise ValidationFailed(errors=[Fault("/code", WRONG_CODE)])
    return method


def remove(user_id: UUID, method_id: UUID, now: datetime) -> None:
    """Remove a contact method. Raises `NotFound`, and `Conflict` while a notification rule uses it."""
    with work() as done:
        person = locked(user_id)
        method = _own(user_id, method_id)
        rules = stored_rules(user_id)
        if rules is not None and NotificationRules.of(rules.rules).names(type_id(method)):
            raise Conflict(
                "A notification rule uses this contact method. Remove it from your notification rules first."
            )
        push_destinations.remove(push_destinations.of_method(user_id, type_id(method)), now, done)
        ContactMethod.delete().where(ContactMethod.id == method.id).execute()
        _note("contact_method.removed", method, now)
        done.publish_change("me", user_id, None, rev=person.rev)


def type_id(method: ContactMethod) -> str:
    """Return the id by which a notification rule names the contact method."""
    return ids.encode(Prefix.CONTACT_METHOD, method.id)


def _own(user_id: UUID, method_id: UUID) -> ContactMethod:
    found: ContactMethod | None = of_person(user_id).where(ContactMethod.id == method_id).first()
    if found is None:
        raise NotFound
    return found


def _admit(user_id: UUID, now: datetime) -> None:
    """Count a requested code. Raises `RateLimited`, and `Conflict` without a mail server."""
    if not settings.current().can_send_mail:
        raise Conflict(NO_MAIL)
    wait = rates.take(f"contact:code:{user_id}", CODES_PER_HOUR, CODES_PER_HOUR / 3_600, now)
    if wait:
        raise RateLimited("Too many codes were requested.", retry_after=wait)


def _renew_code(method: ContactMethod, person: User, done: AfterCommit, now: datetime) -> None:
    code = f"{secrets.randbelow(1_000_000):06}"
    method.code_hash, method.code_expires_at, method.wrong_tries = hash_of(method, code), now + CODE_LIFETIME, 0
    mail_outbox.enqueue(done, templates.fill("contact_code", name=person.name, code=code), method.address, now)


def _is_right(method: ContactMethod, code: str, now: datetime) -> bool:
    if method.code_hash is None or method.code_expires_at is None or method.code_expires_at <= now:
        return False
    return method.wrong_tries < MAX_WRONG_TRIES and hmac.compare_digest(bytes(method.code_hash), hash_of(method, code))


def hash_of(method: ContactMethod, code: str) -> bytes:
    """Hash a code with the key of the instance, because a code alone has too few digits."""
    about = f"contact|{method.id}|{method.address}|{code}"
    return hmac.new(settings.current().signing_key.encode(), about.encode(), hashlib.sha256).digest()


def _note(action: AuditAction, method: ContactMethod, now: datetime) -> None:
    """Record the act without the address."""
    details: dict[str, Any] = {"kind": method.kind}
    about = audit.target("contactMethod", method.id, user_id=method.user_id)
    audit.record(action, target=about, now=now, details=details)
