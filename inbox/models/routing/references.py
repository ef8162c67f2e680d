"""References to destinations and routing profiles from rules, profiles, sources and default routes.

Specification 9.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

import orjson

from inbox.database.base import db
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix

LIMIT = 20
"""The maximum number of listed users of each kind; all of them are counted."""


class UserName(NamedTuple):
    """An id and its name."""

    id: UUID
    name: str


@dataclass(frozen=True, slots=True)
class DestinationUsage:
    """The users of a destination: default route, rules (also disabled ones) and profiles, including their fallbacks."""

    default_route: bool
    rules: list[UserName]
    rules_total: int
    routing_profiles: list[UserName]
    routing_profiles_total: int

    def __bool__(self) -> bool:
        return self.default_route or bool(self.rules or self.routing_profiles)


@dataclass(frozen=True, slots=True)
class ProfileUsage:
    """The users of a profile: default route, rules and sources, also disabled ones."""

    default_route: bool
    rules: list[UserName]
    rules_total: int
    sources: list[UserName]
    sources_total: int

    def __bool__(self) -> bool:
        return self.default_route or bool(self.rules or self.sources)


@dataclass(frozen=True, slots=True)
class PeopleUsage:
    """What pages a person or a schedule: default route, rules (also disabled ones) and steps of profiles."""

    default_route: bool
    rules: list[UserName]
    rules_total: int
    routing_profiles: list[UserName]
    routing_profiles_total: int

    def __bool__(self) -> bool:
        return self.default_route or bool(self.rules or self.routing_profiles)


def of_destinations(destination_ids: Sequence[UUID]) -> dict[UUID, DestinationUsage]:
    """Returns the users of each of these destinations."""
    id_arguments = _with_type_ids(Prefix.DESTINATION, destination_ids)
    route = _routes("jsonb_exists(w.default_route -> 'destinationIds', x.id::text)", "destinations", destination_ids)
    rules, profiles = _users(_RULES_TO_DESTINATIONS, *id_arguments), _users(_PROFILES_TO_DESTINATIONS, *id_arguments)
    return {
        id: DestinationUsage(id in route, *rules.get(id, NO_USERS), *profiles.get(id, NO_USERS))
        for id in destination_ids
    }


def of_profiles(profile_ids: Sequence[UUID]) -> dict[UUID, ProfileUsage]:
    """Returns the users of each of these profiles."""
    id_arguments = _with_type_ids(Prefix.PROFILE, profile_ids)
    route = _routes("w.default_route ->> 'routingProfileId' = x.id::text", "routing_profiles", profile_ids)
    rules, sources = _users(_RULES_TO_PROFILES, *id_arguments), _users(_SOURCES_TO_PROFILES, *id_arguments)
    return {id: ProfileUsage(id in route, *rules.get(id, NO_USERS), *sources.get(id, NO_USERS)) for id in profile_ids}


def of_schedule(schedule_id: UUID) -> PeopleUsage:
    """Returns what pages whoever is on call by a schedule."""
    return _paging(
        schedule_id, "scheduleId", Prefix.SCHEDULE, "SELECT workspace_id FROM oncall_schedules WHERE id = %s"
    )


def of_member(workspace_id: UUID, user_id: UUID) -> PeopleUsage:
    """Returns what pages a member of a workspace by name."""
    return _paging(user_id, "userId", Prefix.USER, "SELECT %s::uuid", workspace_id)


def _paging(id: UUID, member: str, prefix: Prefix, workspace: str, *given: UUID) -> PeopleUsage:
    workspace_id = db.execute_sql(workspace, given or (id,)).fetchone()[0]
    entry = orjson.dumps([{member: ids.encode(prefix, id)}]).decode()
    own = "FROM {} u WHERE u.workspace_id = %s AND u.deleted_at IS NULL AND {}"
    rules = own.format("rules", "u.actions -> 'people' @> %s::jsonb")
    profiles = own.format("routing_profiles", "u.steps @> jsonb_build_array(jsonb_build_object('people', %s::jsonb))")
    route = db.execute_sql(
        "SELECT FROM workspaces WHERE id = %s AND default_route -> 'people' @> %s::jsonb", (workspace_id, entry)
    )
    return PeopleUsage(
        bool(route.rowcount),
        *_listed(rules, "u.position", workspace_id, entry),
        *_listed(profiles, "u.created_at", workspace_id, entry),
    )


def _listed(users: str, order: str, workspace_id: UUID, entry: str) -> Users:
    rows = db.execute_sql(
        f"SELECT u.id, u.name, count(*) OVER () {users} ORDER BY {order}, u.id LIMIT %s", (workspace_id, entry, LIMIT)
    ).fetchall()
    return [UserName(id, name) for id, name, _ in rows], rows[0][2] if rows else 0


Users = tuple[list[UserName], int]
NO_USERS: Users = ([], 0)

_RULES = "rules u ON u.workspace_id = t.workspace_id AND u.deleted_at IS NULL"

_RULES_TO_DESTINATIONS = f"""
    SELECT x.id, u.id, u.name, u.position FROM wanted x JOIN destinations t ON t.id = x.id JOIN {_RULES}
     WHERE jsonb_exists(u.actions -> 'destinationIds', x.name)
"""
_PROFILES_TO_DESTINATIONS = """
    SELECT x.id, u.id, u.name, u.created_at FROM wanted x JOIN destinations t ON t.id = x.id
      JOIN routing_profiles u ON u.workspace_id = t.workspace_id AND u.deleted_at IS NULL
     WHERE u.fallback_destination_id = x.id
        OR u.steps @> jsonb_build_array(jsonb_build_object('destinationIds', jsonb_build_array(x.name)))
"""
_RULES_TO_PROFILES = f"""
    SELECT x.id, u.id, u.name, u.position FROM wanted x JOIN routing_profiles t ON t.id = x.id JOIN {_RULES}
     WHERE u.actions ->> 'routingProfileId' = x.name
"""
_SOURCES_TO_PROFILES = """
    SELECT x.id, u.id, u.name, u.created_at FROM wanted x
      JOIN sources u ON u.routing_profile_id = x.id AND u.deleted_at IS NULL
"""


def _with_type_ids(prefix: Prefix, requested_ids: Sequence[UUID]) -> tuple[list[UUID], list[str]]:
    """Returns the ids with their TypeIDs, since JSON columns contain TypeIDs."""
    return list(requested_ids), [ids.encode(prefix, each) for each in requested_ids]


def _users(users: str, requested_ids: list[UUID], texts: list[str]) -> dict[UUID, Users]:
    rows = db.execute_sql(
        "WITH wanted AS (SELECT * FROM unnest(%s::uuid[], %s::text[]) AS x (id, name))"
        " SELECT id, user_id, name, total FROM (SELECT id, user_id, name, count(*) OVER (PARTITION BY id) AS total,"
        " row_number() OVER (PARTITION BY id ORDER BY place, user_id) AS number"
        f" FROM ({users}) AS found (id, user_id, name, place)) AS counted WHERE number <= %s ORDER BY number",
        (requested_ids, texts, LIMIT),
    ).fetchall()
    found: dict[UUID, Users] = {}
    for id, user_id, name, total in rows:
        found.setdefault(id, ([], total))[0].append(UserName(user_id, name))
    return found


def _routes(condition: str, table: str, requested_ids: Sequence[UUID]) -> set[UUID]:
    """Returns the ids that the default route of their workspace contains."""
    rows = db.execute_sql(
        f"SELECT x.id FROM {table} x JOIN workspaces w ON w.id = x.workspace_id WHERE x.id = ANY(%s) AND {condition}",
        (list(requested_ids),),
    ).fetchall()
    return {row[0] for row in rows}
