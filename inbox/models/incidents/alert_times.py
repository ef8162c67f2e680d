"""The newest times that senders gave for their alerts, by source and name of the alert (specification 3.3)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime

import peewee

from inbox.database.base import Table, TimestampField, db
from inbox.database.bulk_sql import AT_ONCE, Statements, unnest_rows
from inbox.domain.incidents.lateness import AlertName, AlertTimes


class AlertTimesRow(Table):
    """The newest alarm and the newest end of an alert by the times of the sender."""

    source_id = peewee.UUIDField()
    name = peewee.TextField()
    alarm_at = TimestampField(null=True)
    ended_at = TimestampField(null=True)
    end_received_at = TimestampField(null=True)
    updated_at = TimestampField()

    class Meta:
        table_name = "alert_times"
        primary_key = peewee.CompositeKey("source_id", "name")


def load(names: Collection[AlertName]) -> dict[AlertName, AlertTimes]:
    """Returns the known times of these alerts. The caller holds the shards of their sources."""
    rows, values = unnest_rows({"source_id": "uuid", "name": "text"}, list(names))
    found = db.execute_sql(
        "SELECT t.source_id, t.name, t.alarm_at, t.ended_at, t.end_received_at"
        f" FROM {rows} JOIN alert_times t USING (source_id, name)",
        values,
    )
    return {(source_id, name): AlertTimes(*times) for source_id, name, *times in found.fetchall()}


def store(times: Mapping[AlertName, AlertTimes], now: datetime, statements: Statements = AT_ONCE) -> None:
    """Stores the times of these alerts."""
    columns = {"source_id": "uuid", "name": "text", "alarm_at": "timestamptz", "ended_at": "timestamptz",
               "end_received_at": "timestamptz", "updated_at": "timestamptz"}  # fmt: skip
    rows, values = unnest_rows(columns, [(*each, *times[each], now) for each in sorted(times)])
    changes = ", ".join(f"{column} = excluded.{column}" for column in list(columns)[2:])
    statements.write(
        f"INSERT INTO alert_times ({', '.join(columns)}) SELECT {', '.join(columns)} FROM {rows}"
        f" ON CONFLICT (source_id, name) DO UPDATE SET {changes}",
        values,
    )
