"""Where the records of each section are stored: the table, its columns, and the records that they belong to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

import psycopg2

from inbox.database.bulk_sql import copy_rows
from inbox.domain.values.ids import Prefix
from inbox.flow.timers.incident_schedule import SNOOZE_END
from inbox.models.incidents import timers, write
from inbox.models.incidents.tables import Incident
from inbox.models.incidents.timers import TimerSpec
from inbox.models.workspaces import imports
from inbox.models.workspaces.exports import SECTIONS, Section
from inbox.services.workspaces.imports.export_file import ImportRefused
from inbox.services.workspaces.imports.rows import BadRecord, Row, line_of

CONFIGURATION = (
    *("sources", "destinations", "rules", "routingProfiles", "silences", "onCallSchedules", "onCallOverrides"),
    *("onCallForwardings", "heartbeatMonitors", "watchers", "savedViews"),
)
"""The sections that one transaction stores, in this order."""

HISTORY = (
    *("onCallLog", "heartbeatPings", "heartbeatFlips", "incidents", "alerts", "timeline", "pages", "notices"),
    *("deliveries", "events"),
)
"""The sections that are stored in batches. The file has them in this order."""

MORE_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "heartbeatMonitors": ("token_hash", "token_hint", "watched_since", "throttle_at"),
    "alerts": ("search_text",),
    "deliveries": ("attempt",),
    **dict.fromkeys(("onCallLog", "heartbeatPings", "heartbeatFlips", "timeline", "pages"), ("id",)),
}
"""The columns that no export has and that an import fills."""

PARENTS: Mapping[str, tuple[tuple[str, str], ...]] = {
    **dict.fromkeys(("alerts", "timeline", "pages", "notices"), (("incident_id", "incidents"),)),
    "deliveries": (("incident_id", "incidents"), ("notice_id", "notices")),
}
"""The records of the history that records belong to: the column and its table."""

OF_RESULT = {"disposition", "incident_id", "routing"}
"""The columns of an event that its routing fills."""

_ATTEMPT = ("delivery_id", "number", "at", "status_code", "duration_ms", "error", "excerpt")


@dataclass(frozen=True, slots=True)
class Target:
    """The table of a section with the columns that are filled. `id_prefix` is set where the file has ids."""

    section: Section
    table: str
    columns: tuple[str, ...]
    id_prefix: str


def _target(section: Section) -> Target:
    stored = tuple(column.stored for column in section.columns if column.stored)
    kinds = {column.stored: column.kind for column in section.columns}
    columns = (*stored, *MORE_COLUMNS.get(section.name, ()), *(("workspace_id",) if section.table != "pages" else ()))
    if section.name != "events":
        return Target(section, section.table, columns, kinds.get("id", ""))
    return Target(section, "received_events", tuple(each for each in columns if each not in OF_RESULT), "")


TARGETS = {each.name: _target(each) for each in SECTIONS if each.name in (*CONFIGURATION, *HISTORY)}

UNIQUE_IDS = {name: each for name, each in TARGETS.items() if each.id_prefix not in ("", Prefix.ALERT)}
"""The sections whose ids are unique among all workspaces of an instance."""


def store(target: Target, rows: Sequence[tuple[int, Row]]) -> None:
    """Inserts rows, each with the number of its record. Raises `ImportRefused` for values that no row can have."""
    if not rows:
        return
    try:
        copy_rows(target.table, target.columns, [line_of(target.columns, row) for _, row in rows])
        _store_parts(target.section.name, [row for _, row in rows])
    except (psycopg2.DataError, psycopg2.IntegrityError) as fault:
        raise ImportRefused(_sentence(target, [number for number, _ in rows], fault)) from None


def _store_parts(section: str, rows: Sequence[Row]) -> None:
    match section:
        case "incidents":
            _store_incident_parts(rows)
        case "timeline":
            imports.set_last_entries([(row["incident_id"], row["at"]) for row in rows])
        case "notices":
            counted = [(row["incident_id"], row["seq"]) for row in rows if row["incident_id"] is not None]
            imports.set_notice_counts(counted)
        case "deliveries":
            attempts = [line_of(_ATTEMPT, each) for row in rows for each in row["attempts"]]
            copy_rows("delivery_attempts", _ATTEMPT, attempts)
        case "events":
            columns = ("workspace_id", "event_id", "disposition", "incident_id", "trace")
            routed = [{**row, "event_id": row["id"], "trace": row["routing"]} for row in rows]
            copy_rows("routed_events", columns, [line_of(columns, each) for each in routed])


def _store_incident_parts(rows: Sequence[Row]) -> None:
    """Stores the texts by which incidents are found, and the ends of snoozes."""
    named = ("id", "workspace_id", "number", "title", "resource", "dedup_key", "tags")
    write.write_search([Incident(**{name: row[name] for name in named}) for row in rows])
    snoozed = [row for row in rows if row["state"] == "snoozed"]
    timers.set_many([TimerSpec(SNOOZE_END, row["id"], row["workspace_id"], row["snoozed_until"]) for row in snoozed])


def attempts_of(row: Row, found: object) -> list[Row]:
    """Returns the rows of the attempts of a delivery. Raises `BadRecord`."""
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise BadRecord("attempts is no list of objects.")
    names = {"status_code": "statusCode", "duration_ms": "durationMs", "excerpt": "responseExcerpt"}
    return [{name: each.get(names.get(name, name)) for name in _ATTEMPT} | {"delivery_id": row["id"]} for each in found]


def missing_parents(section: str, workspace_id: UUID, rows: Sequence[Row]) -> set[int]:
    """Returns the places of rows that belong to a record that is not in the workspace."""
    missing: set[int] = set()
    for column, table in PARENTS.get(section, ()):
        named = {row[column] for row in rows if row[column] is not None}
        unknown = named - imports.existing(table, workspace_id, named)
        missing.update(place for place, row in enumerate(rows) if row[column] in unknown)
    return missing


def _sentence(target: Target, numbers: Sequence[int], fault: psycopg2.Error) -> str:
    """Returns what the database found, with the number of the record where it names a line."""
    text, context = (fault.diag.message_primary or "").strip(), fault.diag.context or ""
    line = context.partition(", line ")[2].partition(",")[0].partition(":")[0]
    name = target.section.name
    if context.startswith(f"COPY {target.table},") and line.isdecimal() and 0 < int(line) <= len(numbers):
        return f"{name}, record {numbers[int(line) - 1]:,}: {text}."
    return f"{name}, records {numbers[0]:,} to {numbers[-1]:,}: {text}."
