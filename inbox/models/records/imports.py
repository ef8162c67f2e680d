"""The records that imports created, and the names in use (specification 22.3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import peewee

from inbox.database.base import Table
from inbox.models.deliveries.destinations import Destination
from inbox.models.heartbeats.tables import HeartbeatMonitor
from inbox.models.oncall.schedules import OnCallSchedule
from inbox.models.people import members
from inbox.models.routing.profiles import RoutingProfile
from inbox.models.routing.rules import Rule
from inbox.models.routing.silences import Silence
from inbox.models.senders.sources import Source
from inbox.models.workspaces.tables import Workspace

TABLES: Mapping[str, Any] = {
    "source": Source,
    "monitor": HeartbeatMonitor,
    "rule": Rule,
    "silence": Silence,
    "schedule": OnCallSchedule,
    "profile": RoutingProfile,
}

PERSON = "person"
"""The type of a person, whose record is the member's account."""


class ImportedRecord(Table):
    """The record that an import created from an entry of another tool. `reference` names the entry."""

    workspace = peewee.ForeignKeyField(Workspace, on_delete="CASCADE")
    workspace_id: UUID
    reference = peewee.TextField()
    record_type = peewee.TextField()
    record_id = peewee.UUIDField()

    class Meta:
        table_name = "imported_records"
        primary_key = peewee.CompositeKey("workspace", "reference")


@dataclass(frozen=True, slots=True)
class Imported:
    """A record that an import created and that still exists."""

    type: str
    id: UUID


def imported(workspace_id: UUID, references: Sequence[str]) -> dict[str, Imported]:
    """Returns the records that were created from these entries, without records that were deleted since."""
    rows = ImportedRecord.select().where(
        ImportedRecord.workspace == workspace_id, ImportedRecord.reference.in_(list(references))
    )
    found = {row.reference: Imported(row.record_type, row.record_id) for row in rows}
    existing: set[UUID] = set()
    for kind, table in TABLES.items():
        ids = [each.id for each in found.values() if each.type == kind]
        if ids:
            own = (table.workspace_id == workspace_id) & table.deleted_at.is_null()
            existing |= {row.id for row in table.select(table.id).where(own, table.id.in_(ids))}
    people = [each.id for each in found.values() if each.type == PERSON]
    if people:
        existing |= {each.id for each in members.people(workspace_id, people) if each.is_member}
    return {reference: each for reference, each in found.items() if each.id in existing}


def store(workspace_id: UUID, reference: str, record: Imported) -> None:
    """Stores the record that was created from an entry. A former record of the entry was deleted."""
    values = {"record_type": record.type, "record_id": record.id}
    ImportedRecord.insert(workspace=workspace_id, reference=reference, **values).on_conflict(
        conflict_target=[ImportedRecord.workspace, ImportedRecord.reference], update=values
    ).execute()


def names(workspace_id: UUID, kind: str) -> frozenset[str]:
    """Returns the names of the existing records of a kind, in lower case. A silence and a person have none."""
    table = TABLES.get(kind, Silence)
    if table is Silence:
        return frozenset()
    rows = table.select(table.name).where(table.workspace_id == workspace_id, table.deleted_at.is_null())
    return frozenset(row.name.lower() for row in rows)


def destinations(workspace_id: UUID, requested: Iterable[str]) -> dict[str, UUID]:
    """Returns the ids of the destinations with these names, which are in lower case."""
    chosen = set(requested)
    own = (Destination.workspace_id == workspace_id) & Destination.deleted_at.is_null()
    rows = Destination.select(Destination.id, Destination.name).where(own).order_by(Destination.created_at.desc())
    return {row.name.lower(): row.id for row in rows if row.name.lower() in chosen}
