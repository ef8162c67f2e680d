"""Use cases of contact methods: add, confirm by a code, remove (specification 23.11)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import peewee

from inbox.database.base import new_id
from inbox.destinations import KINDS, personal
from inbox.domain.people.notification_rules import NotificationRules
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.domain.values.refusals import Conflict, Fault, NotFound, ValidationFailed
from inbox.domain.workspaces.audit_actions import AuditAction
from inbox.flow.unit_of_work import work
from inbox.models.deliveries.destinations import Destination
from inbox.models.people.contact_methods import ContactMethod, stored_rules
from inbox.services.people import contact_codes, contact_providers, push_destinations
from inbox.services.people.factors import locked
from inbox.services.people.signin import email_key
from inbox.services.records import audit
from inbox.services.records.record_limits import check_room

MAX_METHODS = 10
"""The maximum number of contact methods of a person."""

EMAIL = "email"

WRONG_CODE = "The code is wrong, was used, or is older than 15 minutes. Request a new one."


def of_person(user_id: UUID) -> peewee.ModelSelect[ContactMethod]:
    """Select the contact methods of a person."""
    return ContactMethod.select().where(ContactMethod.user == user_id)


def add(
    user_id: UUID,
    fields: Mapping[str, Any],
    *,
    workspace_ids: Sequence[UUID],
    clock: Callable[[], datetime],
) -> ContactMethod:
    """Add a contact method and send its code. Only providers of these workspaces are named.

    Raises `ValidationFailed` with pointers. Raises `Conflict` at the maximum, for a known address, without mail, and for
    a code that the provider did not accept.
    """
    provider, now, address = _provider_of(fields, workspace_ids), clock(), fields["address"]
    made = ContactMethod(id=new_id(now), user=user_id, kind=fields["kind"], address=address, created_at=now)
    made.provider_id = None if provider is None else provider.id
    contact_codes.admit(made, now)
    with work() as done:
        person = locked(user_id)
        known = {(each.provider_id, email_key(each.address)) for each in of_person(user_id)} | {
            (None, person.email_key)
        }
        if (made.provider_id, email_key(address)) in known:
            raise Conflict("This address is a contact method of yours already.")
        check_room(of_person(user_id), MAX_METHODS, "A person has at most {} contact methods.")
        code = contact_codes.renew(made, person, done, now)
        made.save(force_insert=True)
        _note("contact_method.added", made, now)
        done.publish_change("me", user_id, None, rev=person.rev)
    try:
        contact_codes.send(made, code, clock)
    except Conflict:
        remove(user_id, made.id, clock())
        raise
    return made


def send_code(user_id: UUID, method_id: UUID, clock: Callable[[], datetime]) -> None:
    """Send a new code, which ends the one before. Raises `NotFound`.

    Raises `Conflict` for a confirmed method, and for a code that the provider did not accept.
    """
    now = clock()
    contact_codes.admit(_own(user_id, method_id), now)
    with work() as done:
        person = locked(user_id)
        method = _own(user_id, method_id)
        if method.confirmed_at is not None and method.disabled_at is None:
            raise Conflict("The contact method is confirmed already.")
        code = contact_codes.renew(method, person, done, now)
        method.save()
    contact_codes.send(method, code, clock)


def confirm(user_id: UUID, method_id: UUID, code: str, now: datetime) -> ContactMethod:
    """Confirm a contact method by its code. Raises `NotFound`, and `ValidationFailed` for a wrong code, which counts."""
    with work() as done:
        person = locked(user_id)
        method = _own(user_id, method_id)
        if method.confirmed_at is not None and method.disabled_at is None:
            return method
        is_right = contact_codes.is_right(method, code, now)
        if is_right:
            method.confirmed_at, method.code_hash, method.code_expires_at = now, None, None
            method.disabled_at = None
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


def _provider_of(fields: Mapping[str, Any], workspace_ids: Sequence[UUID]) -> Destination | None:
    """Return the provider of a new contact method; None for mail. Raises `ValidationFailed`."""
    provider_id = fields.get("provider_id")
    provider = None if provider_id is None else contact_providers.find(provider_id, workspace_ids)
    if fault := _fault_of(fields, provider):
        raise ValidationFailed(errors=[fault])
    return provider


def check_new(fields: Mapping[str, Any], workspace_ids: Sequence[UUID]) -> None:
    """Check the provider and the address. Raises `ValidationFailed`."""
    if {"kind", "address"} <= fields.keys():
        _provider_of(fields, workspace_ids)


def _fault_of(fields: Mapping[str, Any], provider: Destination | None) -> Fault | None:
    if fields["kind"] == EMAIL:
        return None if fields.get("provider_id") is None else Fault("/providerId", "Mail has no provider.")
    if provider is None:
        return Fault("/providerId", "No provider of your workspaces that you can use.")
    if provider.kind != fields["kind"]:
        return Fault("/kind", f"The provider is of the kind {provider.kind}.")
    fault = personal.address_fault(KINDS[provider.kind], fields["address"])
    return None if fault is None else Fault("/address", f"It {fault}.")


def _note(action: AuditAction, method: ContactMethod, now: datetime) -> None:
    """Record the act without the address."""
    details: dict[str, Any] = {"kind": method.kind}
    about = audit.target("contactMethod", method.id, user_id=method.user_id)
    audit.record(action, target=about, now=now, details=details)
