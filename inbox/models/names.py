"""Names of records by id, for answers that name records by id. Deleted records keep their name until they are purged."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from inbox.models.tables.accounts import User
from inbox.models.tables.destinations import Destination
from inbox.models.tables.profiles import RoutingProfile
from inbox.models.tables.rules import Rule
from inbox.models.tables.silences import Silence
from inbox.models.tables.sources import Source


def of_sources(requested_ids: Iterable[UUID | None]) -> dict[UUID, str]:
    """Names of sources."""
    return _names(Source, requested_ids)


def of_users(requested_ids: Iterable[UUID | None]) -> dict[UUID, str]:
    """Names of people, also of former members."""
    return _names(User, requested_ids)


def of_rules(requested_ids: Iterable[UUID | None]) -> dict[UUID, str]:
    """Names of rules."""
    return _names(Rule, requested_ids)


def of_destinations(requested_ids: Iterable[UUID | None]) -> dict[UUID, str]:
    """Names of destinations."""
    return _names(Destination, requested_ids)


def of_profiles(requested_ids: Iterable[UUID | None]) -> dict[UUID, str]:
    """Names of routing profiles."""
    return _names(RoutingProfile, requested_ids)


def silences(requested_ids: Iterable[UUID | None]) -> dict[UUID, Silence]:
    """Silences by id."""
    chosen = _present(requested_ids)
    return {row.id: row for row in Silence.select().where(Silence.id.in_(chosen))} if chosen else {}


def _names(table: Any, requested_ids: Iterable[UUID | None]) -> dict[UUID, str]:
    chosen = _present(requested_ids)
    return dict(table.select(table.id, table.name).where(table.id.in_(chosen)).tuples()) if chosen else {}


def _present(requested_ids: Iterable[UUID | None]) -> list[UUID]:
    return list({id for id in requested_ids if id is not None})
