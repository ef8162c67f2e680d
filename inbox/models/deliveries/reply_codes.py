"""Numbers by which people answer text messages: one for each incident at a phone (specification 23.21)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from inbox.database.base import db
from inbox.domain.deliveries.phone_answers import HIGHEST_CODE
from inbox.models.deliveries import messages
from inbox.models.deliveries.contacts import ADDRESS
from inbox.models.deliveries.messages import Place

_OF_PHONE = (
    "FROM destination_messages m JOIN destinations d ON d.id = m.destination_id WHERE d.provider_id = %s"
    f" AND d.config ->> '{ADDRESS}' = %s AND d.deleted_at IS NULL AND m.reference ? 'code'"
)


class Contact(NamedTuple):
    """A person whose phone sent a text message, and the workspace of the provider."""

    user_id: UUID
    workspace_id: UUID
    destination_id: UUID


def assign(places: Iterable[Place], now: datetime) -> dict[Place, int]:
    """Gives each incident at a locked contact a number that its phone does not use, and returns the numbers."""
    found: dict[Place, int] = {}
    for place in places:
        stored = messages.read([place]).get(place, {})
        code = int(stored.get("code", 0)) or _next(place[0])
        messages.keep({place: {"code": code}}, now)
        found[place] = code
    return found


def _next(destination_id: UUID) -> int:
    """Returns the number after the last one of the phone. It is taken from an incident that had it long ago."""
    provider_id, address = db.execute_sql(
        f"SELECT provider_id, config ->> '{ADDRESS}' FROM destinations WHERE id = %s", (destination_id,)
    ).fetchone()
    last = db.execute_sql(
        f"SELECT m.reference ->> 'code' {_OF_PHONE} ORDER BY m.updated_at DESC, m.incident_id DESC LIMIT 1",
        (provider_id, address),
    ).fetchone()
    code = 1 if last is None else int(last[0]) % HIGHEST_CODE + 1
    db.execute_sql(
        f"DELETE FROM destination_messages g WHERE (g.destination_id, g.incident_id) IN"
        f" (SELECT m.destination_id, m.incident_id {_OF_PHONE} AND m.reference ->> 'code' = %s)",
        (provider_id, address, str(code)),
    )
    return code


def contacts_of(provider_id: UUID, address: str) -> list[Contact]:
    """Returns the people whom this provider reaches at this number."""
    found = db.execute_sql(
        "SELECT owner_id, workspace_id, id FROM destinations WHERE provider_id = %s AND owner_id IS NOT NULL"
        f" AND config ->> '{ADDRESS}' = %s AND deleted_at IS NULL ORDER BY id",
        (provider_id, address),
    )
    return [Contact(*row) for row in found.fetchall()]


def incident_of(destination_ids: Iterable[UUID], code: int) -> tuple[UUID, UUID] | None:
    """Returns the contact and the incident of a number, the newest one."""
    found = db.execute_sql(
        "SELECT destination_id, incident_id FROM destination_messages WHERE destination_id = ANY(%s::uuid[])"
        " AND reference ->> 'code' = %s ORDER BY updated_at DESC LIMIT 1",
        (list(destination_ids), str(code)),
    ).fetchone()
    return None if found is None else (found[0], found[1])
