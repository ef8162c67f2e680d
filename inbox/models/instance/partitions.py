"""The monthly partitions of the tables of events: added ahead, and dropped when no workspace keeps their events.

Functions of the database change the tables, because the services' role may not (decision 0041).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import ClassVar
from uuid import UUID

from inbox.database.base import db
from inbox.domain.values import ids
from inbox.models.instance.maintenance import RetentionCutoffs

TABLES = ("received_events", "routed_events", "routing_traces")
"""The partitioned tables. The ids by which they are partitioned are in order of time."""

AHEAD = timedelta(days=62)
"""The purge adds the months that begin within this time. It may then be stopped for a month without consequence."""


@dataclass(frozen=True, slots=True)
class NextMonths:
    """The partitions of the months ahead. Events of a month without one are in the default partition until it exists."""

    now: datetime

    def run(self, limit: int) -> int:
        """Adds missing partitions in the caller's transaction; returns their number."""
        return int(db.execute_sql("SELECT add_event_partitions(%s)", (self.now + AHEAD,)).fetchone()[0])


@dataclass(frozen=True, slots=True)
class OldPartitions:
    """The partitions of `parent` whose ids are all before `first_kept`. An event that still waits keeps its partition."""

    parent: str
    first_kept: UUID
    limit: ClassVar[int] = 1_000

    @property
    def table(self) -> str:
        """The name under which the purge counts partitions."""
        return f"partitions of {self.parent}"

    def run(self, limit: int) -> int:
        """Drops the partitions in the caller's transaction; returns their number."""
        if not self.count():
            return 0
        db.execute_sql("SET LOCAL lock_timeout = '100ms'")
        before = min([self.first_kept, *_oldest_waiting()])
        return int(db.execute_sql("SELECT drop_event_partitions(%s, %s)", (self.parent, before)).fetchone()[0])

    def count(self) -> int:
        """Returns the number of partitions past the retention."""
        statement = "SELECT count(*) FROM event_partitions() WHERE parent = %s AND high <= %s"
        return int(db.execute_sql(statement, (self.parent, self.first_kept)).fetchone()[0])


def beyond(cutoffs: Sequence[RetentionCutoffs]) -> Iterator[OldPartitions]:
    """Yields the partitions that no workspace keeps. Without a workspace, none are dropped."""
    if cutoffs:
        first_event = min(each.first_event for each in cutoffs)
        yield OldPartitions("received_events", first_event)
        yield OldPartitions("routed_events", first_event)
        yield OldPartitions("routing_traces", min(each.first_record for each in cutoffs))


def _oldest_waiting() -> list[UUID]:
    """Returns the oldest events that wait for routing, and that a waiting delivery has in its body, if there are any."""
    found = db.execute_sql(
        "(SELECT event_id FROM event_queue ORDER BY event_id LIMIT 1) UNION ALL"
        " (SELECT n.newest_event_id FROM deliveries d JOIN notices n ON n.id = d.notice_id"
        " WHERE d.status IN ('pending', 'sending', 'retrying', 'held') AND n.newest_event_id IS NOT NULL"
        " ORDER BY n.newest_event_id LIMIT 1)"
    )
    return [event_id for (event_id,) in found.fetchall()]


def tables_without_partition(at: datetime) -> list[str]:
    """Returns the partitioned tables that have no partition for this time, except the default."""
    found = db.execute_sql(
        "SELECT t.name FROM unnest(%s::text[]) AS t(name) WHERE NOT EXISTS (SELECT FROM event_partitions() p"
        " WHERE p.parent = t.name AND p.high > %s AND (p.low IS NULL OR p.low <= %s)) ORDER BY 1",
        (list(TABLES), ids.first_at(at, 0), ids.first_at(at, 0)),
    )
    return [name for (name,) in found.fetchall()]
