"""Records as documents of a file, and the export of a whole workspace (specification 24.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from uuid import UUID

from inbox.api.configuration import keys as keys_of
from inbox.api.configuration import secrets, shapes, workspace_shape
from inbox.api.configuration.files import VERSION
from inbox.api.configuration.sections import BY_NAME, SECTIONS, Section
from inbox.api.insight.schemas.views import LISTS
from inbox.api.oncall.schemas.schedules import SlackShape
from inbox.flow.delivery.senders import decrypted_config
from inbox.models.deliveries import results as delivery_results
from inbox.models.oncall import slack
from inbox.models.records import kept
from inbox.models.records.kept import KeptRecord
from inbox.services.oncall import calendars

CALENDAR = "calendarUrl"
"""The secret of a schedule that follows a calendar."""


@dataclass
class Stored:
    """The records of a workspace as they are stored now."""

    workspace_id: UUID

    @cached_property
    def rows(self) -> dict[str, list[Any]]:
        """The rows of each section, in its order."""
        return {each.name: list(each.rows(self.workspace_id)) for each in SECTIONS}

    @property
    def keys(self) -> keys_of.Keys:
        """The keys of all records."""
        return self._keys[0]

    @property
    def kept(self) -> dict[UUID, KeptRecord]:
        """The entries of the records that files keep, by the ids of the records."""
        return self._keys[1]

    def document(self, section: Section, row: Any) -> dict[str, Any]:
        """Returns a row as a file has it, with all its fields."""
        entry = self.kept.get(row.id)
        return document_of(section, row, self.keys, entry.applied if entry else {})

    @cached_property
    def _keys(self) -> tuple[keys_of.Keys, dict[UUID, KeptRecord]]:
        titled = {
            name: [(row, str(getattr(row, BY_NAME[name].title_field))) for row in rows]
            for name, rows in self.rows.items()
        }
        return keys_of.of_workspace(self.workspace_id, titled, kept.of_workspace(self.workspace_id))


def document_of(section: Section, row: Any, keys: keys_of.Keys, applied: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a row as a file has it. `applied` is its document after the last application of its file."""
    document = section.document(row)
    if section.record_type == "destination":
        config = decrypted_config(delivery_results.read(row.id))
        document["config"] = secrets.exported(row.kind, config, keys.records[row.id], applied.get("config", {}))
    if section.record_type == "schedule":
        document |= _of_schedule(row, document["layers"], keys.records[row.id], applied)
    if section.record_type == "view":
        document["filters"] = shapes.exchanged(LISTS[row.list](), document["filters"], keys.of_id)
    exchanged: dict[str, Any] = shapes.exchanged(section.shape, document, keys.of_id)
    return exchanged


def _of_schedule(row: Any, layers: list[Any], key: str, applied: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the fields of a schedule that other tables have, and its layers without ids."""
    shown, follows = slack.of_schedules([row.id]).get(row.id), calendars.of_schedule(row.id) is not None
    return {
        "layers": [{name: value for name, value in layer.items() if name != "id"} for layer in layers],
        CALENDAR: applied.get(CALENDAR) or secrets.variable(key, CALENDAR) if follows else None,
        "slack": SlackShape().dump(shown) if shown else None,
    }


def export(workspace_id: UUID) -> dict[str, Any]:
    """Returns the configuration of a workspace as the content of one file. Records are sorted by key, rules by order."""
    stored = Stored(workspace_id)
    content: dict[str, Any] = {"version": VERSION, "workspace": workspace_shape.document(workspace_id, stored.keys)}
    for section in SECTIONS:
        rows = stored.rows[section.name]
        if section.name != "rules":
            rows = sorted(rows, key=lambda row: stored.keys.records[row.id])
        if rows:
            content[section.name] = {
                stored.keys.records[row.id]: _in_file(section, stored.document(section, row)) for row in rows
            }
    return content


def _in_file(section: Section, document: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a document as an export writes it. The settings of a destination keep the order of its kind."""
    found = shapes.ordered(section.shape, shapes.reduced(section.shape, document, section.defaults))
    return {**found, "config": document["config"]} if section.record_type == "destination" else found
