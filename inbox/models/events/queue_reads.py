"""Rare reads of the queue of events: of a source, of a workspace, of overtaking events, and of columns that a batch lacks."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from uuid import UUID

from inbox.database.base import db
from inbox.database.bulk_sql import array_literal, unnest_rows
from inbox.models.events.queue import OPTIONAL, READ, QueuedEvent, shard_of


def has_older(source_id: UUID, event_id: UUID) -> bool:
    """Returns whether the next event of the source's shard was received no later than the event of this id.

    Quarantined events do not count.
    """
    found = db.execute_sql(
        "SELECT event_id <= %s FROM event_queue WHERE shard = %s AND quarantined_at IS NULL ORDER BY seq LIMIT 1",
        (event_id, shard_of(source_id)),
    ).fetchone()
    return found is not None and bool(found[0])


def shards_of(workspace_id: UUID) -> list[int]:
    """Returns the shards of the workspace's sources, deleted ones too."""
    found = db.execute_sql("SELECT id FROM sources WHERE workspace_id = %s", (workspace_id,)).fetchall()
    return [shard_of(id) for (id,) in found]


def overtaking(skipped: Mapping[int, int], limit: int) -> dict[int, list[int]]:
    """Returns the positions of the next events of each shard that may overtake, at most `limit` of one, in order.

    The first ones of each shard are `skipped`, this many, because its next batch routes them.
    """
    places, values = unnest_rows({"shard": "smallint", "skipped": "integer"}, list(skipped.items()), "place")
    found = db.execute_sql(
        f"SELECT place.shard, q.seq FROM {places} CROSS JOIN LATERAL (SELECT seq FROM event_queue"
        " WHERE shard = place.shard AND may_overtake AND quarantined_at IS NULL AND seq >= (SELECT seq FROM event_queue"
        " WHERE shard = place.shard ORDER BY seq OFFSET place.skipped LIMIT 1) ORDER BY seq LIMIT %s) q ORDER BY q.seq",
        (*values, limit),
    )
    positions: dict[int, list[int]] = {}
    for shard, seq in found.fetchall():
        positions.setdefault(shard, []).append(seq)
    return positions


def with_earlier(shard: int, positions: Sequence[int], of_one: int, limit: int) -> list[int]:
    """Returns these positions with all earlier ones of their fingerprints, at most `limit`, in order.

    Fingerprints with more than `of_one` positions or a failed event are left out. Those with few positions precede; of
    the last one the later positions may be missing. Each position of the shard up to the last one is read, which takes
    7 to 14 ms for 160,000.
    """
    hashes = db.execute_sql(  # a join would depend on statistics, which are stale while the queue grows
        "SELECT DISTINCT fingerprint_hash FROM event_queue WHERE shard = %s AND seq = ANY(%s::bigint[])",
        (shard, array_literal(positions, unquoted=True)),
    )
    found = db.execute_sql(
        "SELECT seq FROM (SELECT seq, fingerprint_hash, count(*) OVER same AS number, max(attempts) OVER same AS attempts"
        " FROM event_queue WHERE shard = %s AND seq <= %s AND quarantined_at IS NULL"
        " AND fingerprint_hash = ANY(%s::integer[]) WINDOW same AS (PARTITION BY fingerprint_hash)) f"
        " WHERE number <= %s AND attempts = 0 ORDER BY number, fingerprint_hash, seq LIMIT %s",
        (shard, positions[-1], array_literal((one for (one,) in hashes.fetchall()), unquoted=True), of_one, limit),
    )
    return sorted(seq for (seq,) in found.fetchall())


def with_columns(events: Sequence[QueuedEvent], columns: Container[str]) -> list[QueuedEvent]:
    """Returns the events with these optional columns; the others are None."""
    chosen = ", ".join(READ[name] if name in columns else "NULL" for name in OPTIONAL)
    rows, values = unnest_rows({"w": "uuid", "id": "uuid"}, [(event.workspace_id, event.id_text) for event in events])
    found = db.execute_sql(
        f"SELECT e.id::text, {chosen} FROM {rows} JOIN received_events e ON e.workspace_id = x.w AND e.id = x.id",
        values,
    )
    loaded = {id: dict(zip(_OPTIONAL_FIELDS, values, strict=True)) for id, *values in found.fetchall()}
    return [event._replace(**loaded.get(event.id_text, {})) for event in events]


_OPTIONAL_FIELDS = ("body", "url", "external_id", "metadata_text")
