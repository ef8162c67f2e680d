"""Names of records by id, for answers that name records by id. Deleted records keep their name until they are purged."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from inbox.database.base import db
from inbox.database.bulk_sql import array_literal
from inbox.models.routing.silences import Silence


def of_sources(requested_ids: Iterable[UUID | None]) -> dict[UUID, str]:
    """Returns names of sources."""
    return _names("sources", requested_ids)


def of_users(requested_ids: Iterable[UUID | None]) -> dict[UUID, str]:
    """Returns names of people, also of former members."""
    return _names("users", requested_ids)


def of_rules(requested_ids: Iterable[UUID | None]) -> dict[UUID, str]:
    """Returns names of rules."""
    return _names("rules", requested_ids)


def of_destinations(requested_ids: Iterable[UUID | None]) -> dict[UUID, str]:
    """Returns names of destinations."""
    return _names("destinations", requested_ids)


def of_schedules(requested_ids: Iterable[UUID | None]) -> dict[UUID, str]:
    """Returns names of on-call schedules."""
    return _names("oncall_schedules", requested_ids)


def of_profiles(requested_ids: Iterable[UUID | None]) -> dict[UUID, str]:
    """Returns names of routing profiles."""
    return _names("routing_profiles", requested_ids)


def silences(requested_ids: Iterable[UUID | None]) -> dict[UUID, Silence]:
    """Returns silences by id."""
    chosen = _present(requested_ids)
    return {row.id: row for row in Silence.select().where(Silence.id.in_(chosen))} if chosen else {}


def _names(table: str, requested_ids: Iterable[UUID | None]) -> dict[UUID, str]:
    chosen = _present(requested_ids)
    if not chosen:
        return {}
    # As text: Peewee takes longer to build this statement than the database to execute it.
    sql = f"SELECT id, name FROM {table} WHERE id = ANY(%s::uuid[])"
    return dict(db.execute_sql(sql, (array_literal(chosen, unquoted=True),)).fetchall())


def _present(requested_ids: Iterable[UUID | None]) -> list[UUID]:
    return list({id for id in requested_ids if id is not None})
