"""Names of records by id, for answers that name records by id. Deleted records keep their name until they are purged."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from inbox.models.tables.accounts import User
from inbox.models.tables.profiles import RoutingProfile
from inbox.models.tables.rules import Rule
from inbox.models.tables.silences import Silence


def of_users(wanted: Iterable[UUID | None]) -> dict[UUID, str]:
    """Names of people, also of former members."""
    return _names(User, wanted)


def of_rules(wanted: Iterable[UUID | None]) -> dict[UUID, str]:
    """Names of rules."""
    return _names(Rule, wanted)


def of_profiles(wanted: Iterable[UUID | None]) -> dict[UUID, str]:
    """Names of routing profiles."""
    return _names(RoutingProfile, wanted)


def silences(wanted: Iterable[UUID | None]) -> dict[UUID, Silence]:
    """Silences by id."""
    chosen = _present(wanted)
    return {row.id: row for row in Silence.select().where(Silence.id.in_(chosen))} if chosen else {}


def _names(table: Any, wanted: Iterable[UUID | None]) -> dict[UUID, str]:
    chosen = _present(wanted)
    return dict(table.select(table.id, table.name).where(table.id.in_(chosen)).tuples()) if chosen else {}


def _present(wanted: Iterable[UUID | None]) -> list[UUID]:
    return list({id for id in wanted if id is not None})
