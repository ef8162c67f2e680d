"""The newest times that senders gave for their alerts, by source and fingerprint of the event (specification 3.3)."""

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
    fingerprint = peewee.TextField()
    alarm_at = TimestampField(null=True)
    ended_at = TimestampField(null=True)
    end_received_at = TimestampField(null=True)
    updated_at = TimestampField()

    class Meta:
        table_name = "alert_times"
        primary_key = peewee.CompositeKey("source_id", "fingerprint")


def load(names: Collection[AlertName]) -> dict[AlertName, AlertTimes]:
    """Returns the known times of these alerts. The caller holds the shards of their sources."""
    rows, values = unnest_rows({"source_id": "uuid", "fingerprint": "text"}, list(names))
    found = db.execute_sql(
        "SELECT t.source_id, t.fingerprint, t.alarm_at, t.ended_at, t.end_received_at"
        f" FROM {rows} JOIN alert_times t USING (source_id, fingerprint)",
        values,
    )
    return {(source_id, fingerprint): AlertTimes(*times) for source_id, fingerprint, *times in found.fetchall()}


def store(times: Mapping[AlertName, AlertTimes], now: datetime, statements: Statements = AT_ONCE) -> None:
    """Stores the times of these alerts."""
    columns = {"source_id": "uuid", "fingerprint": "text", "alarm_at": "timestamptz", "ended_at": "timestamptz",
               "end_received_at": "timestamptz", "updated_at": "timestamptz"}  # fmt: skip
    rows, values = unnest_rows(columns, [(*name, *times[name], now) for name in sorted(times)])
    changes = ", ".join(f"{column} = excluded.{column}" for column in list(columns)[2:])
    statements.write(
        f"INSERT INTO alert_times ({', '.join(columns)}) SELECT {', '.join(columns)} FROM {rows}"
        f" ON CONFLICT (source_id, fingerprint) DO UPDATE SET {changes}",
        values,
    )
