"""The storage of routing results and of shared traces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from inbox.models.sql.base import db
from inbox.models.sql.bulk_sql import copy_rows, copy_value, unnest_rows


class SharedTrace(NamedTuple):
    """A routing trace (JSON) that many events share."""

    workspace_id: UUID
    id: UUID
    source_id: UUID
    record: str


class RoutingResult(NamedTuple):
    """The routing result of an event: disposition, incident and trace (JSON), or the id of a shared trace
    (`store_traces`).

    `event_id` is the text of the UUID.
    """

    workspace_id: UUID
    event_id: str
    disposition: str
    incident_id: UUID | None
    routing: str | None
    record_id: UUID | None = None


def store_traces(records: Sequence[SharedTrace]) -> None:
    """Store missing shared traces. Only the owner of the shard's lock stores the traces of its sources."""
    if not records:
        return
    columns = {"workspace_id": "uuid", "id": "uuid", "source_id": "uuid", "record": "text"}
    rows, values = unnest_rows(columns, records)
    db.execute_sql(
        f"INSERT INTO routing_traces ({', '.join(columns)}) SELECT x.workspace_id, x.id, x.source_id, x.record::json FROM {rows}"
        " ON CONFLICT DO NOTHING",
        values,
    )


_ROUTED = ("workspace_id", "event_id", "disposition", "incident_id", "trace", "trace_id")


def store_results(routed: Sequence[RoutingResult]) -> None:
    """Store the routing results of events, one for each."""
    if routed:
        copy_rows("routed_events", _ROUTED, [_copy_line(one) for one in routed])


def count_deferred(events: Sequence[tuple[UUID, str, UUID]]) -> None:
    """Store the incident for events that were held back and are counted now: (workspace, event, incident)."""
    if events:
        rows, values = unnest_rows({"w": "uuid", "event_id": "uuid", "incident_id": "uuid"}, events)
        db.execute_sql(
            f"UPDATE routed_events r SET incident_id = x.incident_id FROM {rows}"
            " WHERE r.workspace_id = x.w AND r.event_id = x.event_id",
            values,
        )


def _copy_line(one: RoutingResult) -> str:
    trace = f"{copy_value(one.routing)}\t\\N" if one.record_id is None else f"\\N\t{one.record_id.int:032x}"
    return f"{copy_value(one.workspace_id)}\t{one.event_id}\t{one.disposition}\t{copy_value(one.incident_id)}\t{trace}"
