"""What pages a person or a schedule: the answers of refusals (specification 23.8, 23.12)."""

from __future__ import annotations

from typing import Any

from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.models.routing.references import PeopleUsage

MOST_NAMED = 3
"""The records that a sentence names."""


def used_by(users: PeopleUsage) -> dict[str, Any]:
    """Return the members of `usedBy`."""
    return {
        "defaultRoute": users.default_route,
        "rules": [{"id": ids.encode(Prefix.RULE, each.id), "name": each.name} for each in users.rules],
        "rulesTotal": users.rules_total,
        "routingProfiles": [
            {"id": ids.encode(Prefix.PROFILE, each.id), "name": each.name} for each in users.routing_profiles
        ],
        "routingProfilesTotal": users.routing_profiles_total,
    }


def named(users: PeopleUsage) -> list[str]:
    """Return the users for a sentence: `the default route`, `the rule “Disks”`, `4 more`."""
    found = [
        *(["the default route"] if users.default_route else []),
        *(f"the rule “{each.name}”" for each in users.rules),
        *(f"the routing profile “{each.name}”" for each in users.routing_profiles),
    ]
    more = users.default_route + users.rules_total + users.routing_profiles_total - len(found[:MOST_NAMED])
    return [*found[:MOST_NAMED], *([f"{more} more"] if more else [])]
