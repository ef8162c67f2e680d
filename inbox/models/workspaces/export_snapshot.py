"""A snapshot of the database that an export reads in pages."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any
from uuid import UUID

import psycopg2

from inbox.database.base import SESSION, connect, connect_arguments
from inbox.models.workspaces.exports import PAGE, Section

IDLE_SECONDS = 30
"""The time after which the database ends the snapshot of a client that does not read."""

_NIL = UUID(int=0)


class Snapshot:
    """A dedicated connection on which all pages show the same moment. Only one thread uses it; another may only call
    `close`.
    """

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    @classmethod
    def open(cls, database_url: str, *, pooled: bool = False) -> Snapshot:
        """Connects; the snapshot is taken with the first page. Raises `psycopg2.OperationalError`."""
        session = {**SESSION, "idle_in_transaction_session_timeout": str(IDLE_SECONDS * 1000)}
        arguments = connect_arguments(database_url, application="inbox-export", session=session, pooled=pooled)
        connection = connect(arguments)
        connection.set_session(isolation_level="REPEATABLE READ", readonly=True)
        return cls(connection)

    def pages(self, section: Section, workspace_id: UUID) -> Iterator[list[dict[str, Any]]]:
        """Yields the items of a section, page by page, as JSON values."""
        statement, width = section.statement(), len(section.keys)
        made = [
            (position, column.converter) for position, column in enumerate(section.columns, width) if column.converter
        ]
        names = [column.name for column in section.columns]
        after = [_NIL] * width
        while True:
            with self._connection.cursor() as cursor:
                values = after if width == 1 else [after[0], after[0], after[1]]
                cursor.execute(statement, (workspace_id, *values))
                rows = cursor.fetchall()
            if rows:
                yield [_item(row, names, made, width) for row in rows]
            if len(rows) < PAGE:
                return
            after = rows[-1][:width]

    def finish(self, workspace_id: UUID, now: datetime) -> None:
        """Stores that the export is complete."""
        self._connection.rollback()
        self._connection.set_session(readonly=False, autocommit=True)
        with self._connection.cursor() as cursor:
            cursor.execute("UPDATE export_runs SET finished_at = %s WHERE workspace_id = %s", (now, workspace_id))

    def close(self) -> None:
        """Closes the connection. May be called twice."""
        with contextlib.suppress(psycopg2.Error):
            self._connection.close()


def _item(
    row: tuple[Any, ...], names: list[str], made: list[tuple[int, Callable[[Any], Any]]], width: int
) -> dict[str, Any]:
    values = list(row)
    for position, converter in made:
        if values[position] is not None:
            values[position] = converter(values[position])
    return dict(zip(names, values[width:], strict=True))
