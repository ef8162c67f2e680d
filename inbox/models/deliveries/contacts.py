"""The contacts of people as destinations of a workspace: paired devices, and addresses (specification 23.13)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
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


class Reachable(NamedTuple):
    """A member who may be paged: the name, the rules, the devices in the workspace, and the addresses by method."""

    name: str
    rules: NotificationRules
    phones: tuple[UUID, ...]
    addresses: Mapping[str, str]


def reachable(workspace_id: UUID, user_ids: Collection[UUID], *, can_send_mail: bool) -> dict[UUID, Reachable]:
    """Returns the active members among these people, who have the second factor that the workspace requires."""
    found = db.execute_sql(
        "SELECT u.id, u.name, u.email, coalesce(r.rules, '{}'::jsonb), (SELECT array_agg(t.id ORDER BY t.id)"
        "  FROM destinations t JOIN devices d ON d.id = t.device_id AND d.revoked_at IS NULL"
        "  WHERE d.user_id = u.id AND t.workspace_id = m.workspace_id AND t.deleted_at IS NULL),"
        " (SELECT jsonb_object_agg(c.id, c.address) FROM contact_methods c"
        "  WHERE c.user_id = u.id AND c.confirmed_at IS NOT NULL)"
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
            _addresses(email, further or {}) if can_send_mail else {},
        )
        for user_id, name, email, rules, phones, further in found.fetchall()
    }


def _addresses(email: str, further: Mapping[str, str]) -> dict[str, str]:
    named = {ids.encode(Prefix.CONTACT_METHOD, UUID(id)): address for id, address in further.items()}
    return {ACCOUNT_MAIL: email, **named}


class Contact(NamedTuple):
    """An address of a person in a workspace."""

    user_id: UUID
    method: str
    name: str
    address: str


def destinations_of(workspace_id: UUID, contacts: Iterable[Contact], now: datetime) -> dict[tuple[UUID, str], UUID]:
    """Returns the destination of each of these contacts, by person and method. Missing ones are created.

    A changed address begins anew, without the stop of the former one.
    """
    wanted = {(each.user_id, each.method): each for each in contacts}
    found = _existing(workspace_id, {each.user_id for each in wanted.values()})
    for key, contact in sorted(wanted.items()):
        if key not in found:
            _create(workspace_id, contact, now)
        elif found[key][1] != contact.address:
            _readdress(found[key][0], contact)
    if wanted.keys() - found.keys():
        found = _existing(workspace_id, {each.user_id for each in wanted.values()})
    return {key: found[key][0] for key in wanted if key in found}


def _existing(workspace_id: UUID, user_ids: Collection[UUID]) -> dict[tuple[UUID, str], tuple[UUID, str]]:
    found = db.execute_sql(
        "SELECT owner_id, method, id, config ->> 'to' FROM destinations"
        " WHERE workspace_id = %s AND owner_id = ANY(%s::uuid[]) AND deleted_at IS NULL",
        (workspace_id, array_literal(user_ids, unquoted=True)),
    )
    return {(owner, method): (id, to) for owner, method, id, to in found.fetchall()}


def _create(workspace_id: UUID, contact: Contact, now: datetime) -> None:
    """Creates the destination, unless another transaction does so at the same time."""
    db.execute_sql(
        "INSERT INTO destinations (id, workspace_id, name, kind, config, owner_id, method, send_notes,"
        " quiet_hours_threshold, created_at) VALUES (%s, %s, %s, %s, %s, %s, %s, false, NULL, %s)"
        " ON CONFLICT DO NOTHING",
        (new_id(now), workspace_id, f"{contact.name} (mail)", MAIL, Json(_config(contact)), contact.user_id)
        + (contact.method, now),
    )


def _readdress(destination_id: UUID, contact: Contact) -> None:
    db.execute_sql(
        "UPDATE destinations SET config = %s, stopped_at = NULL, stopped_reason = NULL, rejections_in_a_row = 0,"
        " generation = generation + 1, rev = rev + 1 WHERE id = %s",
        (Json(_config(contact)), destination_id),
    )


def _config(contact: Contact) -> dict[str, Any]:
    return {"to": contact.address, "actionLinks": True, "unsubscribe": False, PERSONAL: True}
