"""The contacts of people as destinations of a workspace: paired devices, and addresses (specification 23.13)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from psycopg2.extras import Json

from inbox.database.base import db, new_id
from inbox.database.bulk_sql import array_literal
from inbox.domain.people.notification_rules import ACCOUNT_MAIL, NotificationRules
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.models.people.factors import HAS_REQUIRED_FACTOR

PERSONAL = "personal"
"""The member of the settings by which a call finds out that it must not record an address."""

MAIL = "email"

ADDRESS = "address"
"""The member of the settings with the address of a contact method that a provider reaches."""


class Address(NamedTuple):
    """An address of a person, and the destination whose settings reach it; None for mail."""

    kind: str
    address: str
    provider_id: UUID | None = None


class Reachable(NamedTuple):
    """A member who may be paged: the name, the rules, the devices in the workspace, and the addresses by method."""

    name: str
    rules: NotificationRules
    phones: tuple[UUID, ...]
    addresses: Mapping[str, Address]


USABLE_PROVIDER = (
    "p.for_contact_methods AND p.enabled AND p.deleted_at IS NULL AND p.device_id IS NULL AND p.owner_id IS NULL"
)
"""The condition on a destination `p` under which contact methods that name it work."""

_FURTHER = (
    "(SELECT jsonb_object_agg(c.id, jsonb_build_array(c.kind, c.address, c.provider_id)) FROM contact_methods c"
    " LEFT JOIN destinations p ON p.id = c.provider_id"
    " WHERE c.user_id = u.id AND c.confirmed_at IS NOT NULL AND c.disabled_at IS NULL"
    f" AND (c.provider_id IS NULL OR (p.workspace_id = m.workspace_id AND {USABLE_PROVIDER})))"
)


def reachable(workspace_id: UUID, user_ids: Collection[UUID], *, can_send_mail: bool) -> dict[UUID, Reachable]:
    """Returns the active members among these people, who have the second factor that the workspace requires."""
    found = db.execute_sql(
        "SELECT u.id, u.name, u.email, coalesce(r.rules, '{}'::jsonb), (SELECT array_agg(t.id ORDER BY t.id)"
        "  FROM destinations t JOIN devices d ON d.id = t.device_id AND d.revoked_at IS NULL"
        "  WHERE d.user_id = u.id AND t.workspace_id = m.workspace_id AND t.deleted_at IS NULL),"
        f" {_FURTHER}"
        " FROM members m JOIN users u ON u.id = m.user_id AND u.disabled_at IS NULL AND u.deleted_at IS NULL"
        " JOIN workspaces w ON w.id = m.workspace_id LEFT JOIN notification_rules r ON r.user_id = u.id"
        f" WHERE m.workspace_id = %s AND m.user_id = ANY(%s::uuid[]) AND {HAS_REQUIRED_FACTOR}",
        (workspace_id, array_literal(user_ids, unquoted=True)),
    )
    return {
        user_id: Reachable(
            name,
            NotificationRules.of(rules),
            tuple(phones or ()),
            _addresses(email, further or {}, can_send_mail=can_send_mail),
        )
        for user_id, name, email, rules, phones, further in found.fetchall()
    }


def _addresses(email: str, further: Mapping[str, Sequence[str]], *, can_send_mail: bool) -> dict[str, Address]:
    """Returns the addresses by method. Without a mail server there are those of providers alone."""
    found = {ACCOUNT_MAIL: Address(MAIL, email)}
    for id, (kind, address, provider) in further.items():
        named = Address(kind, address, UUID(provider) if provider else None)
        found[ids.encode(Prefix.CONTACT_METHOD, UUID(id))] = named
    return {method: each for method, each in found.items() if can_send_mail or each.provider_id is not None}


class Contact(NamedTuple):
    """An address of a person in a workspace. `label` names the method: `SMS`. A call gets no updates."""

    user_id: UUID
    method: str
    name: str
    label: str
    at: Address
    gets_updates: bool = True


def destinations_of(workspace_id: UUID, contacts: Iterable[Contact], now: datetime) -> dict[tuple[UUID, str], UUID]:
    """Returns the destination of each of these contacts, by person and method. Missing ones are created.

    A changed address begins anew, without the stop of the former one.
    """
    wanted = {(each.user_id, each.method): each for each in contacts}
    found = _existing(workspace_id, {each.user_id for each in wanted.values()})
    for key, contact in sorted(wanted.items()):
        if key not in found:
            _create(workspace_id, contact, now)
        elif found[key][1] != contact.at.address:
            _readdress(found[key][0], contact)
    if wanted.keys() - found.keys():
        found = _existing(workspace_id, {each.user_id for each in wanted.values()})
    return {key: found[key][0] for key in wanted if key in found}


def _existing(workspace_id: UUID, user_ids: Collection[UUID]) -> dict[tuple[UUID, str], tuple[UUID, str]]:
    found = db.execute_sql(
        f"SELECT owner_id, method, id, coalesce(config ->> '{ADDRESS}', config ->> 'to') FROM destinations"
        " WHERE workspace_id = %s AND owner_id = ANY(%s::uuid[]) AND deleted_at IS NULL",
        (workspace_id, array_literal(user_ids, unquoted=True)),
    )
    return {(owner, method): (id, to) for owner, method, id, to in found.fetchall()}


def _create(workspace_id: UUID, contact: Contact, now: datetime) -> None:
    """Creates the destination, unless another transaction does so at the same time."""
    db.execute_sql(
        "INSERT INTO destinations (id, workspace_id, name, kind, config, owner_id, method, provider_id, send_updates,"
        " send_notes, quiet_hours_threshold, created_at) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, false, NULL, %s)"
        " ON CONFLICT DO NOTHING",
        (new_id(now), workspace_id, f"{contact.name} ({contact.label})", contact.at.kind, Json(_config(contact)))
        + (contact.user_id, contact.method, contact.at.provider_id, contact.gets_updates, now),
    )


def _readdress(destination_id: UUID, contact: Contact) -> None:
    db.execute_sql(
        "UPDATE destinations SET config = %s, stopped_at = NULL, stopped_reason = NULL, rejections_in_a_row = 0,"
        " generation = generation + 1, rev = rev + 1 WHERE id = %s",
        (Json(_config(contact)), destination_id),
    )


def _config(contact: Contact) -> dict[str, Any]:
    if contact.at.provider_id is not None:
        return personal_config(contact.at.address)
    return {"to": contact.at.address, "actionLinks": True, "unsubscribe": False, PERSONAL: True}


def personal_config(address: str) -> dict[str, Any]:
    """Returns the settings of a contact that a provider reaches. The others are those of the provider."""
    return {ADDRESS: address, PERSONAL: True}


def of_provider(provider_id: UUID) -> list[UUID]:
    """Returns the contacts that this destination reaches."""
    found = db.execute_sql(
        "SELECT id FROM destinations WHERE provider_id = %s AND deleted_at IS NULL ORDER BY id", (provider_id,)
    )
    return [row[0] for row in found.fetchall()]
