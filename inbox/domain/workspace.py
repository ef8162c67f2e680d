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

from inbox.domain.routing import SHIPPED as SHIPPED_TARGETS

SHIPPED: Mapping[str, Any] = {
    "quietHours": {"enabled": False, "timezone": None, "windows": [], "holidays": []},
    "reopenWindowMinutes": 60,
    "reoccurQuietMinutes": 15,
    "autoResolveMinutes": 0,
    "ackTimeoutMinutes": 0,
    "renotifyMinutes": {"CRITICAL": 30, "ERROR": 120, "WARNING": 0},
    "renotifyMax": 6,
    "fallbackDestinationId": None,
    "retention": {"eventDays": 90, "incidentDays": 365, "deliveryDays": 30, "auditDays": 730},
    "requireMfa": False,
}
"""The settings of a workspace without changes, in the shape of the API."""


@dataclass(frozen=True, slots=True)
class WorkspaceSettings:
    """The effective settings of a workspace. Minutes and days are whole numbers; 0 minutes means never."""

    quiet_hours: Mapping[str, Any]
    reopen_window_minutes: int
    reoccur_quiet_minutes: int
    auto_resolve_minutes: int
    ack_timeout_minutes: int
    renotify_minutes: Mapping[str, int]
    renotify_max: int
    fallback_destination_id: UUID | None
    retention: Mapping[str, int]
    require_mfa: bool


@dataclass(frozen=True, slots=True)
class DefaultRoute:
    """A workspace's default route: its recipients, and the disposition of every severity (specification 6.6)."""

    destination_ids: tuple[UUID, ...]
    routing_profile_id: UUID | None
    dispositions: Mapping[str, str]


def effective_settings(stored: Mapping[str, Any]) -> WorkspaceSettings:
    """The effective settings, from the stored differences."""
    all_of = merged(SHIPPED, stored)
    fallback = all_of["fallbackDestinationId"]
    return WorkspaceSettings(
        quiet_hours=all_of["quietHours"],
        reopen_window_minutes=all_of["reopenWindowMinutes"],
        reoccur_quiet_minutes=all_of["reoccurQuietMinutes"],
        auto_resolve_minutes=all_of["autoResolveMinutes"],
        ack_timeout_minutes=all_of["ackTimeoutMinutes"],
        renotify_minutes=all_of["renotifyMinutes"],
        renotify_max=all_of["renotifyMax"],
        fallback_destination_id=UUID(fallback) if fallback else None,
        retention=all_of["retention"],
        require_mfa=all_of["requireMfa"],
    )


def effective_route(stored: Mapping[str, Any]) -> DefaultRoute:
    """The effective default route, from the stored values."""
    profile = stored.get("routingProfileId")
    shipped = {str(severity): str(target) for severity, target in SHIPPED_TARGETS.items()}
    return DefaultRoute(
        destination_ids=tuple(UUID(each) for each in stored.get("destinationIds") or ()),
        routing_profile_id=UUID(profile) if profile else None,
        dispositions={**shipped, **(stored.get("dispositions") or {})},
    )


def merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """`above` merged over `below`: objects member by member, lists and other values as a whole."""
    result = copy.deepcopy(dict(below))
    for name, value in above.items():
        lower = result.get(name)
        if isinstance(lower, Mapping) and isinstance(value, Mapping):
            result[name] = merged(lower, value)
        else:
            result[name] = copy.deepcopy(value)
    return result


def differences(chosen: Mapping[str, Any], shipped: Mapping[str, Any] = SHIPPED) -> dict[str, Any]:
    """The values of `chosen` that differ from `shipped`. Only these are stored, so that better defaults reach all
    workspaces."""
    kept: dict[str, Any] = {}
    for name, value in chosen.items():
        if name in shipped and value == shipped[name]:
            continue
        lower = shipped.get(name)
        both = isinstance(value, Mapping) and isinstance(lower, Mapping)
        kept[name] = differences(value, lower or {}) if both else value
    return kept


def slug_of(name: str) -> str:
    """The URL part for a name: ASCII letters, digits and dashes, at most 40; may be empty."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain)[:40].strip("-")
