"""All columns with sealed values, and the queries that read and replace these values (specification 9.3)."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

import peewee

from inbox.database.base import Table, TimestampField, db

PAGE = 100
FIRST = UUID(int=0)
KEY_CHECK_ID = UUID(int=1)


@dataclass(frozen=True, slots=True)
class SealedColumn:
    """A column, with the columns for the seal: `sealing.associated_data(table, key, scope, column)`."""

    table: str
    key: str = "id"
    scope: str = "workspace_id"
    column: str = "sealed"


COLUMNS = (
    SealedColumn("destinations"),
    SealedColumn("totp_factors", key="user_id", scope="user_id"),
    SealedColumn("mail_outbox", scope="id"),
    SealedColumn("key_checks", scope="id"),
    SealedColumn("push_keys", scope="id"),
    SealedColumn("source_keys"),
    SealedColumn("oncall_calendars", key="schedule_id"),
)


class KeyCheck(Table):
    """The one row by which a starting process checks that its keys belong to this database."""

    id = peewee.UUIDField(primary_key=True)
    sealed = peewee.BlobField()
    created_at = TimestampField()

    class Meta:
        table_name = "key_checks"


@dataclass(frozen=True, slots=True)
class SealedValue:
    """One value, and the ids in its seal."""

    id: UUID
    scope: UUID
    value: bytes


def page(column: SealedColumn, after: UUID) -> list[SealedValue]:
    """Returns the next values in the order of their ids."""
    rows = db.execute_sql(
        f"SELECT {column.key}, {column.scope}, {column.column} FROM {column.table}"
        f" WHERE {column.column} IS NOT NULL AND {column.key} > %s ORDER BY {column.key} LIMIT {PAGE}",
        (after,),
    ).fetchall()
    return [SealedValue(id, scope, bytes(value)) for id, scope, value in rows]


def replace(column: SealedColumn, row: SealedValue, value: bytes) -> int:
    """Replaces the value, unless it has changed since the read; returns the number of replaced values."""
    return int(
        db.execute_sql(
            f"UPDATE {column.table} SET {column.column} = %s WHERE {column.key} = %s AND {column.column} = %s",
            (value, row.id, row.value),
        ).rowcount
    )
