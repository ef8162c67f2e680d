"""Every column that holds something sealed, and how its values are read and replaced (specification 9.3)."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

import peewee

from inbox.models.sql.base import Table, TimestampField, db

PAGE = 100
FIRST = UUID(int=0)
KEY_CHECK_ID = UUID(int=1)


@dataclass(frozen=True, slots=True)
class SealedColumn:
    """A column, by the ids for which its values are sealed: `sealing.place(place, key, scope, column)`.

    `former_table` is given where the table was renamed: its values stay sealed for the name that it had before.
    """

    table: str
    key: str = "id"
    scope: str = "workspace_id"
    column: str = "sealed"
    former_table: str = ""

    @property
    def place(self) -> str:
        """The table that its values are sealed for."""
        return self.former_table or self.table


COLUMNS = (
    SealedColumn("destinations"),
    SealedColumn("totp_factors", key="user_id", scope="user_id"),
    SealedColumn("mail_outbox", scope="id", former_table="mails"),
    SealedColumn("key_checks", scope="id"),
)


class KeyCheck(Table):
    """The one row by which a start finds out whether its keys are those of this database."""

    id = peewee.UUIDField(primary_key=True)
    sealed = peewee.BlobField()
    created_at = TimestampField()

    class Meta:
        table_name = "key_checks"


@dataclass(frozen=True, slots=True)
class Sealed:
    """One value, and the ids that it is sealed for."""

    id: UUID
    scope: UUID
    value: bytes


def page(column: SealedColumn, after: UUID) -> list[Sealed]:
    """The next values in the order of their ids."""
    rows = db.execute_sql(
        f"SELECT {column.key}, {column.scope}, {column.column} FROM {column.table}"
        f" WHERE {column.column} IS NOT NULL AND {column.key} > %s ORDER BY {column.key} LIMIT {PAGE}",
        (after,),
    ).fetchall()
    return [Sealed(id, scope, bytes(value)) for id, scope, value in rows]


def replace(column: SealedColumn, row: Sealed, value: bytes) -> int:
    """Put another value in its place, unless somebody was first; answers how many were replaced."""
    return int(
        db.execute_sql(
            f"UPDATE {column.table} SET {column.column} = %s WHERE {column.key} = %s AND {column.column} = %s",
            (value, row.id, row.value),
        ).rowcount
    )
