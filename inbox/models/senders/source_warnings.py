"""The number of events of a source that were stored with a warning, by code (decision 0005)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

import orjson
import peewee

from inbox.database.base import Table, TimestampField, db
from inbox.models.senders.sources import Source


class SourceWarning(Table):
    """One code of one source: the number of warnings, and the latest one as an example."""

    source = peewee.ForeignKeyField(Source, on_delete="CASCADE")
    source_id: UUID
    code = peewee.TextField()
    count = peewee.BigIntegerField()
    last_at = TimestampField()
    pointer = peewee.TextField()
    detail = peewee.TextField()

    class Meta:
        table_name = "source_warnings"
        primary_key = peewee.CompositeKey("source", "code")

    @property
    def example(self) -> Mapping[str, str]:
        """The latest warning of this code."""
        return {"pointer": self.pointer, "detail": self.detail}


class SourceWarningHour(Table):
    """The number of warnings of a source in one hour, by the time of receipt."""

    source = peewee.ForeignKeyField(Source, on_delete="CASCADE")
    hour = TimestampField()
    count = peewee.BigIntegerField()

    class Meta:
        table_name = "source_warning_hours"
        primary_key = peewee.CompositeKey("source", "hour")


class WarningCount(NamedTuple):
    """A number of warnings of one code for one source, with the time of the last one."""

    source_id: UUID
    code: str
    number: int
    last_at: datetime
    pointer: str
    detail: str


def add(counts: Iterable[WarningCount]) -> None:
    """Adds these numbers to the stored ones; skips sources that no longer exist.

    Rows are locked in one order, so that concurrent processes wait for each other and do not deadlock.
    """
    rows = orjson.dumps([each._asdict() for each in counts]).decode()
    with db.atomic():
        db.execute_sql(_ADD, (rows,))
        db.execute_sql(_ADD_HOURS, (rows,))


_ADD = """
    INSERT INTO source_warnings (source_id, code, count, last_at, pointer, detail)
    SELECT a.source_id, a.code, a.number, a.last_at, a.pointer, a.detail
      FROM json_to_recordset(%s) AS a(
            source_id uuid, code text, number bigint, last_at timestamptz, pointer text, detail text)
      JOIN sources s ON s.id = a.source_id
     ORDER BY a.source_id, a.code
    ON CONFLICT (source_id, code) DO UPDATE SET
        count = source_warnings.count + excluded.count, last_at = greatest(source_warnings.last_at, excluded.last_at),
        pointer = excluded.pointer, detail = excluded.detail
"""
_ADD_HOURS = """
    INSERT INTO source_warning_hours AS h (source_id, hour, count)
    SELECT a.source_id, date_trunc('hour', a.last_at, 'UTC'), sum(a.number)
      FROM json_to_recordset(%s) AS a(source_id uuid, number bigint, last_at timestamptz)
      JOIN sources s ON s.id = a.source_id
     GROUP BY 1, 2
     ORDER BY 1, 2
    ON CONFLICT (source_id, hour) DO UPDATE SET count = h.count + excluded.count
"""


def of_sources(source_ids: Sequence[UUID]) -> dict[UUID, list[SourceWarning]]:
    """Returns the warnings of each of these sources, latest first."""
    found: dict[UUID, list[SourceWarning]] = {source_id: [] for source_id in source_ids}
    rows = SourceWarning.select().where(SourceWarning.source.in_(list(source_ids)))
    for row in rows.order_by(SourceWarning.last_at.desc(), SourceWarning.code):
        found[row.source_id].append(row)
    return found


def counts_since(source_ids: Sequence[UUID], since: datetime) -> dict[UUID, int]:
    """Returns the number of warnings of each of these sources in the hours that began after `since`."""
    found = dict.fromkeys(source_ids, 0)
    rows = (
        SourceWarningHour.select(SourceWarningHour.source, peewee.fn.SUM(SourceWarningHour.count))
        .where(SourceWarningHour.source.in_(list(source_ids)), SourceWarningHour.hour > since)
        .group_by(SourceWarningHour.source)
    )
    found.update({source_id: int(count) for source_id, count in rows.tuples()})
    return found
