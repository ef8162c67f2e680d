"""The roles of a workspace's members, and which role may do what another may (specification 12.2)."""

from __future__ import annotations

from enum import StrEnum


class Role(StrEnum):
    """Lowest first: each may do everything that the one before it may."""

    VIEWER = "viewer"
    """Reads everything in the workspace except credentials and the audit log."""

    MEMBER = "member"
    """Also acts on incidents: acknowledge, snooze, resolve, assign, note, silence."""

    ADMIN = "admin"
    """Also changes sources, keys, rules, profiles, destinations, monitors, settings; reads the audit log."""

    OWNER = "owner"
    """Also changes members and invitations, exports and deletes the workspace."""

    def allows(self, needed: Role) -> bool:
        """Whether who holds this role may do what `needed` may."""
        return _ORDER[self] >= _ORDER[needed]


_ORDER = {role: place for place, role in enumerate(Role)}
