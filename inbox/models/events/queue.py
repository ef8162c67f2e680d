"""The queue of events that are not routed: shards with work, and reads in order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import itemgetter
from types import MappingProxyType
from typing import Any, NamedTuple
from uuid import UUID

import orjson

from inbox.database.base import db
from inbox.database.bulk_sql import AT_ONCE, Statements, UuidCache, array_literal, unnest_rows
from inbox.domain.incidents.alerts import ResolveWhen
from inbox.domain.values.severity import Severity

PARTITION_LOCKS = 0x0E7E
"""The first key of the advisory locks. With this lock, only one worker at a time routes the shards of a partition."""

PARTITIONS = 16
"""The number of partitions. A sequence of each counts the starts of its batches."""

SHARDS = 32_768
"""The number of shards: so many that a source nearly always has its own. Its events do not wait for those of others."""

OPTIONAL = ("body", "url", "external_id", "metadata")
"""The columns of an event that are read only if a rule or a silence needs them."""

READ = {name: f"e.{name}" for name in OPTIONAL} | {"metadata": "e.metadata::text"}
"""The SQL that reads each of them."""

SENT_AT = "NULLIF(e.occurred_at, e.received_at)"
"""The SQL of the time that the sender gave. Without one, or with a wrong clock, the event has the time of receipt."""


def shard_of(source_id: UUID) -> int:
    """Returns the shard of a source. It never changes, so that the events of a source stay in order."""
    return source_id.int % SHARDS


def partition_of(shard: int) -> int:
    """Returns the partition of a shard. One worker at a time routes the shards of a partition."""
    return shard % PARTITIONS


def fingerprint_hash(fingerprint: str) -> int:
    """Returns 32 bits of the fingerprint, as a signed integer. The queue holds them instead of its text."""
    return int(fingerprint[3:11], 16) - 2**31


class QueuedEvent(NamedTuple):
    """An event that waits in the queue; `seq` is its position, `attempts` the number of single attempts.

    A repeat (`is_repeat`) has the fields of its event, and the time at which the repeat was received. `sent_at` is the
    time of the sender, None without one.
    Only the optional columns named in `read` are loaded; the others are None.
    """

    seq: int
    attempts: int
    workspace_id: UUID
    source_id: UUID
    id_text: str
    received_at: datetime
    severity: Severity
    action: str
    title: str
    type: str | None
    resource: str | None
    dedup_key: str | None
    tags: list[str]
    fingerprint: str
    group_fingerprint: str | None = None
    sent_at: datetime | None = None
    is_repeat: bool = False
    body: str | None = None
    url: str | None = None
    external_id: str | None = None
    metadata_text: str | None = None
    read: frozenset[str] = frozenset()

    @property
    def id(self) -> UUID:
        """The event's id. It is parsed on access, which is rare."""
        return UUID(self.id_text)

    @property
    def metadata(self) -> dict[str, Any] | None:
        """The metadata. It is parsed on access, because a parsed list takes twenty times the memory of its text."""
        return None if self.metadata_text is None else orjson.loads(self.metadata_text)

    @property
    def optional_length(self) -> int:
        """The characters of the optional columns."""
        texts = (self.body, self.url, self.external_id, self.metadata_text)
        return sum(len(text) for text in texts if text is not None)


@dataclass(frozen=True, slots=True)
class SourceContext:
    """The data of a source and its workspace for routing and notices; both JSON documents as stored.

    `is_deleted` concerns the workspace.
    """

    source_id: UUID
    source_name: str
    resolve_by: str
    routing_profile_id: UUID | None
    workspace_id: UUID
    workspace_name: str
    workspace_slug: str
    settings: dict[str, Any]
    default_route: dict[str, Any]
    is_deleted: bool
    routing_rev: int
    source_is_deleted: bool = False
    is_grouped: bool = False
    resolve_when: str = ResolveWhen.ALL


def shards_with_work() -> list[int]:
    """Returns the shards with a waiting event that is not quarantined, in order."""
    return list(waiting_by_shard(1))


def waiting_by_shard(most: int) -> dict[int, int]:
    """Returns the shards with waiting events, in order, with the number of these events, at most `most`.

    Quarantined events do not count. Each shard costs two probes of the primary key, from one shard to the next.
    """
    found = db.execute_sql(
        "WITH RECURSIVE s(shard) AS ((SELECT shard FROM event_queue ORDER BY shard, seq LIMIT 1) UNION ALL"
        " SELECT (SELECT q.shard FROM event_queue q WHERE q.shard > s.shard ORDER BY q.shard, q.seq LIMIT 1) FROM s"
        " WHERE s.shard IS NOT NULL)"
        " SELECT s.shard, waiting.number FROM s CROSS JOIN LATERAL (SELECT count(*) AS number FROM"
        " (SELECT FROM event_queue q WHERE q.shard = s.shard AND q.quarantined_at IS NULL LIMIT %s) first_ones) waiting"
        " WHERE waiting.number > 0 ORDER BY s.shard",
        (most,),
    )
    return dict(found.fetchall())


def lock_shard(shard: int) -> bool:
    """Locks the shard's partition as its only router until the transaction ends.

    Returns False when another worker has the lock.
    """
    found = db.execute_sql("SELECT pg_try_advisory_xact_lock(%s, %s)", (PARTITION_LOCKS, partition_of(shard)))
    return bool(found.fetchone()[0])


def lock_and_count_attempts(shards: Sequence[int]) -> dict[int, int]:
    """Locks the partitions of these shards that no other worker holds, and counts the start of a batch in each.

    Returns for each shard the number of starts in its partition since the last complete one. The count survives a
    rollback, because sequences do. A crash of the machine may lose it, but a crash of the process does not. It exists to
    detect process crashes.
    """
    found = db.execute_sql(  # an inner SELECT is executed after its lock: the worker before may still reset the count
        " UNION ALL ".join(
            f"SELECT {number:d}, CASE WHEN pg_try_advisory_xact_lock({PARTITION_LOCKS:d}, {number:d})"
            f" THEN setval('routing_tries_{number:d}', (SELECT last_value + 1 FROM routing_tries_{number:d})) END"
            for number in sorted(set(map(partition_of, shards)))
        )
    )
    tries = {partition: int(number) for partition, number in found.fetchall() if number is not None}
    return {shard: tries[partition_of(shard)] for shard in shards if partition_of(shard) in tries}


def reset_attempts(shards: Sequence[int], statements: Statements = AT_ONCE) -> None:
    """Records that the batch of these shards is complete. This also survives a rollback."""
    if shards:
        partitions = sorted(set(map(partition_of, shards)))
        statements.write("SELECT " + ", ".join(f"setval('routing_tries_{each:d}', 0)" for each in partitions), ())


_NOTHING: frozenset[str] = frozenset()


class Selection(NamedTuple):
    """The workspaces whose events are fetched: only `only`, or all without `excluded`; or the events at `positions`."""

    only: UUID | None = None
    excluded: frozenset[UUID] = frozenset()
    positions: tuple[int, ...] = ()

    def condition(self) -> tuple[str, list[str]]:
        """Returns the selection as SQL with its parameters."""
        if self.positions:
            return " AND seq = ANY(%s::bigint[])", [array_literal(self.positions, unquoted=True)]
        if self.only is not None:
            return " AND workspace_id = %s::uuid", [str(self.only)]
        if self.excluded:
            return " AND workspace_id <> ALL(%s::uuid[])", [array_literal(self.excluded, unquoted=True)]
        return "", []


EVERY = Selection()


class FetchedEvents(NamedTuple):
    """The next events of a shard in the order of acceptance, and the positions whose event no longer exists."""

    events: list[QueuedEvent]
    missing: list[int]


def fetch(
    shard: int,
    limit: int,
    after: int = 0,
    needs: Mapping[UUID, frozenset[str]] = MappingProxyType({}),
    selection: Selection = EVERY,
) -> FetchedEvents:
    """Returns the next events of one shard, as `fetch_all` reads them. Positions up to `after` are skipped."""
    return fetch_all({shard: after}, limit, needs, selection)[shard]


def fetch_all(
    after: Mapping[int, int],
    limit: int,
    needs: Mapping[UUID, frozenset[str]] = MappingProxyType({}),
    selection: Selection = EVERY,
) -> dict[int, FetchedEvents]:
    """Returns the next selected events of each of these shards, at most `limit` of one shard.

    Only the owner of the partitions' locks may call it. `after` has the last position to skip for each shard. `needs` names
    the optional columns to read for each workspace.
    """
    chosen, values = _optional_columns(needs)
    rows, shards = unnest_rows({"shard": "smallint", "after": "bigint"}, list(after.items()), "place")
    condition, selected = selection.condition()
    found = db.execute_sql(
        "SELECT q.shard, q.seq, q.attempts, q.workspace_id::text, e.source_id::text, e.id::text,"
        " coalesce(q.repeated_at, e.received_at), e.severity, e.action, e.title, e.type, e.resource, e.dedup_key, e.tags,"
        f" e.fingerprint, e.group_fingerprint, {SENT_AT}, q.repeated_at IS NOT NULL, {chosen}"
        f" FROM {rows} CROSS JOIN LATERAL ("
        f" SELECT * FROM event_queue WHERE shard = place.shard AND seq > place.after AND quarantined_at IS NULL{condition}"
        " ORDER BY seq LIMIT %s) q"
        " LEFT JOIN received_events e ON e.workspace_id = q.workspace_id AND e.id = q.event_id",
        (*values, *shards, *selected, limit),
    ).fetchall()
    uuids, fetched = UuidCache(), {shard: FetchedEvents([], []) for shard in after}
    for shard, *row in sorted(found, key=_POSITION):  # the rows have this order, but the statement does not promise it
        if row[4] is None:
            fetched[shard].missing.append(row[0])
        else:
            fetched[shard].events.append(_queued_event(row, uuids, needs))
    return fetched


_POSITION = itemgetter(0, 1)


def _optional_columns(needs: Mapping[UUID, frozenset[str]]) -> tuple[str, list[str]]:
    """Returns the optional columns with their parameters.

    Each column is NULL except for events of workspaces that need it.
    """
    workspaces = {name: [id for id, columns in needs.items() if name in columns] for name in OPTIONAL}
    chosen = [
        f"CASE WHEN q.workspace_id = ANY(%s::uuid[]) THEN {READ[name]} END" if ids else "NULL"
        for name, ids in workspaces.items()
    ]
    return ", ".join(chosen), [array_literal(ids, unquoted=True) for ids in workspaces.values() if ids]


def _queued_event(row: Sequence[Any], uuids: UuidCache, needs: Mapping[UUID, frozenset[str]]) -> QueuedEvent:
    workspace_id = uuids[row[2]]
    severity, read = _SEVERITY[row[6]], needs.get(workspace_id, _NOTHING)
    return QueuedEvent._make((*row[:2], workspace_id, uuids[row[3]], *row[4:6], severity, *row[7:], read))


_SEVERITY = {str(severity): severity for severity in Severity}


def source_contexts(source_ids: Iterable[UUID]) -> dict[UUID, SourceContext]:
    """Returns the sources, deleted ones too, with their workspaces."""
    found = db.execute_sql(
        "SELECT s.id, s.name, s.resolve_by, s.routing_profile_id, w.id, w.name, w.slug, w.settings, w.default_route,"
        " w.deleted_at IS NOT NULL, w.config_rev, s.deleted_at IS NOT NULL,"
        " s.group_by <> '{}', s.resolve_when FROM sources s JOIN workspaces w ON w.id = s.workspace_id"
        " WHERE s.id = ANY(%s::uuid[])",
        (array_literal(source_ids, unquoted=True),),
    )
    return {row[0]: SourceContext(*row) for row in found.fetchall()}


def dequeue(shard: int, seqs: Sequence[int], statements: Statements = AT_ONCE) -> None:
    """Deletes these positions from the queue."""
    statements.write(
        "DELETE FROM event_queue WHERE shard = %s AND seq = ANY(%s::bigint[])",
        (shard, array_literal(seqs, unquoted=True)),
    )
