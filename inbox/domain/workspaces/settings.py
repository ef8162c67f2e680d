"""Settings of a workspace: the shipped values, and the effective values from the stored differences.

Specification 12.1.
"""

from __future__ import annotations

import copy
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from inbox.domain.routing.decision import SHIPPED_DISPOSITIONS as SHIPPED_TARGETS
from inbox.domain.routing.people import PageTarget, targets_of

SHIPPED: Mapping[str, Any] = {
    "quietHours": {"enabled": False, "timezone": None, "windows": [], "holidays": []},
    "reopenWindowMinutes": 60,
    "reoccurQuietMinutes": 15,
    "joinedQuietMinutes": 5,
    "autoResolveMinutes": 0,
    "ackTimeoutMinutes": 0,
    "renotifyMinutes": {"CRITICAL": 30, "ERROR": 120, "WARNING": 0},
    "renotifyMax": 6,
    "fallbackDestinationId": None,
    "retention": {"eventDays": 90, "incidentDays": 365, "deliveryDays": 30, "auditDays": 730},
    "requireMfa": False,
    "dailyMessages": {"smsPerPerson": 200, "smsPerWorkspace": 200, "callsPerPerson": 50, "callsPerWorkspace": 50},
}
"""The settings of a workspace without changes, in the shape of the API."""


@dataclass(frozen=True, slots=True)
class WorkspaceSettings:
    """The effective settings of a workspace. Minutes and days are whole numbers; 0 minutes means never."""

    quiet_hours: Mapping[str, Any]
    reopen_window_minutes: int
    reoccur_quiet_minutes: int
    joined_quiet_minutes: int
    auto_resolve_minutes: int
    ack_timeout_minutes: int
    renotify_minutes: Mapping[str, int]
    renotify_max: int
    fallback_destination_id: UUID | None
    retention: Mapping[str, int]
    require_mfa: bool
    daily_messages: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class DefaultRoute:
    """A workspace's default route: its recipients, and the disposition of every severity (specification 6.6)."""

    destination_ids: tuple[UUID, ...]
    routing_profile_id: UUID | None
    dispositions: Mapping[str, str]
    people: tuple[PageTarget, ...] = ()


def effective_settings(stored: Mapping[str, Any]) -> WorkspaceSettings:
    """Returns the effective settings, from the stored differences."""
    effective = merged(SHIPPED, stored)
    fallback = effective["fallbackDestinationId"]
    return WorkspaceSettings(
        quiet_hours=effective["quietHours"],
        reopen_window_minutes=effective["reopenWindowMinutes"],
        reoccur_quiet_minutes=effective["reoccurQuietMinutes"],
        joined_quiet_minutes=effective["joinedQuietMinutes"],
        auto_resolve_minutes=effective["autoResolveMinutes"],
        ack_timeout_minutes=effective["ackTimeoutMinutes"],
        renotify_minutes=effective["renotifyMinutes"],
        renotify_max=effective["renotifyMax"],
        fallback_destination_id=UUID(fallback) if fallback else None,
        retention=effective["retention"],
        require_mfa=effective["requireMfa"],
        daily_messages=effective["dailyMessages"],
    )


def effective_route(stored: Mapping[str, Any]) -> DefaultRoute:
    """Returns the effective default route, from the stored values."""
    profile = stored.get("routingProfileId")
    shipped = {str(severity): str(target) for severity, target in SHIPPED_TARGETS.items()}
    return DefaultRoute(
        destination_ids=tuple(UUID(each) for each in stored.get("destinationIds") or ()),
        routing_profile_id=UUID(profile) if profile else None,
        dispositions={**shipped, **(stored.get("dispositions") or {})},
        people=targets_of(stored.get("people") or ()),
    )


def merged(base: Mapping[str, Any], overrides: Mapping[str, Any]) -> dict[str, Any]:
    """Returns `overrides` merged over `base`: objects member by member, lists and other values as a whole."""
    result = copy.deepcopy(dict(base))
    for name, value in overrides.items():
        base_value = result.get(name)
        if isinstance(base_value, Mapping) and isinstance(value, Mapping):
            result[name] = merged(base_value, value)
        else:
            result[name] = copy.deepcopy(value)
    return result


def differences(chosen: Mapping[str, Any], shipped: Mapping[str, Any] = SHIPPED) -> dict[str, Any]:
    """Returns the values of `chosen` that differ from `shipped`.

    Only these are stored, so that better defaults reach all workspaces.
    """
    different: dict[str, Any] = {}
    for name, value in chosen.items():
        if name in shipped and value == shipped[name]:
            continue
        base_value = shipped.get(name)
        are_objects = isinstance(value, Mapping) and isinstance(base_value, Mapping)
        different[name] = differences(value, base_value or {}) if are_objects else value
    return different


def slug_of(name: str) -> str:
    """Returns the URL part for a name: ASCII letters, digits and dashes, at most 40; may be empty."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain)[:40].strip("-")
