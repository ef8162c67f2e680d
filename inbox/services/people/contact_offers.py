"""Contact methods and notification rules that an import offers to a member, who decides about them (specification 22.12)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from inbox.database.base import new_id
from inbox.destinations import KINDS, personal
from inbox.domain.deliveries.paid_messages import Channel
from inbox.flow.unit_of_work import work
from inbox.models.deliveries.destinations import Destination
from inbox.models.people.contact_methods import ContactMethod
from inbox.services.people import contact_methods, contact_providers, notification_rules
from inbox.services.people.factors import locked
from inbox.services.people.signin import email_key
from inbox.services.records import audit

MAX_UNCONFIRMED = 5
"""The maximum number of unconfirmed contact methods with those that are offered. It leaves room for the person's own."""

Rules = Mapping[str, Sequence[Mapping[str, Any]]]
"""Both lists of rules of another tool, by name."""

_CHANNELS = {"sms": Channel.SMS, "voice": Channel.CALL}


def offer(user_id: UUID, workspace_id: UUID, contacts: Sequence[Mapping[str, str]], rules: Rules, now: datetime) -> int:
    """Add these contact methods, each `{kind, address}`, unless they are known; return how many. Offer the rules.

    A rule names `push`, `email`, or the place of a contact method. Rules are offered to a person who has none.

    A number needs a provider of the workspace. Nothing is sent: the person requests the code, and until then no page uses
    the address.
    """
    usable = providers(workspace_id)
    with work() as done:
        person = locked(user_id)
        existing = list(contact_methods.of_person(user_id))
        known = {person.email_key, *(email_key(each.address) for each in existing)}
        room = min(
            contact_methods.MAX_METHODS - len(existing),
            MAX_UNCONFIRMED - sum(each.confirmed_at is None for each in existing),
        )
        added = 0
        for contact in contacts:
            provider, address = usable.get(contact["kind"]), contact["address"]
            if added < room and email_key(address) not in known and is_usable(contact, provider):
                known.add(email_key(address))
                _store(user_id, contact, provider, now)
                added += 1
        if notification_rules.offer(user_id, _named(user_id, contacts, rules)) or added:
            done.publish_change("me", user_id, None, rev=person.rev)
    return added


def _named(user_id: UUID, contacts: Sequence[Mapping[str, str]], rules: Rules) -> dict[str, list[dict[str, Any]]]:
    """Return the rules with the ids of contact methods. Rules of a method that was not offered are left out."""
    ids = {email_key(each.address): contact_methods.type_id(each) for each in contact_methods.of_person(user_id)}
    methods = {str(place): ids.get(email_key(each["address"])) for place, each in enumerate(contacts)}
    return {
        name: [
            {"afterMinutes": rule["afterMinutes"], "method": method}
            for rule in rules.get(name, ())
            if (method := methods.get(rule["method"], rule["method"])) and not str(method).isdecimal()
        ]
        for name in notification_rules.LISTS
    }


def providers(workspace_id: UUID) -> dict[str, Destination]:
    """Return the first provider of the workspace for each kind of number."""
    found: dict[str, Destination] = {}
    for provider in contact_providers.usable([workspace_id]):
        described = KINDS[provider.kind].description.personal
        for kind, channel in _CHANNELS.items():
            if described is not None and described.channel is channel:
                found.setdefault(kind, provider)
    return found


def is_usable(contact: Mapping[str, str], provider: Destination | None) -> bool:
    """Return whether a contact method can be offered: a mail address, or a number in the form of its provider."""
    if contact["kind"] == contact_methods.EMAIL:
        return "@" in contact["address"]
    return provider is not None and personal.address_fault(KINDS[provider.kind], contact["address"]) is None


def _store(user_id: UUID, contact: Mapping[str, str], provider: Destination | None, now: datetime) -> None:
    """Store an unconfirmed contact method. The audit entry does not have the address."""
    kind = contact_methods.EMAIL if provider is None else provider.kind
    made = ContactMethod.create(
        id=new_id(now),
        user=user_id,
        kind=kind,
        address=contact["address"],
        provider_id=None if provider is None else provider.id,
        created_at=now,
    )
    about = audit.target("contactMethod", made.id, user_id=user_id)
    audit.record("contact_method.added", target=about, now=now, details={"kind": kind, "by": "import"})
