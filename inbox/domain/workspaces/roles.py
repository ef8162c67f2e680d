"""The roles of workspace members and their order (specification 12.2)."""

from __future__ import annotations

from enum import StrEnum


class Role(StrEnum):
    """The roles, lowest first. Each role may do everything that the previous one may."""

    VIEWER = "viewer"
    """Reads everything in the workspace except credentials and the audit log."""

    MEMBER = "member"
    """Also acts on incidents: acknowledge, snooze, resolve, assign, note, silence."""

    ADMIN = "admin"
    """Also changes sources, keys, rules, profiles, destinations, monitors, settings; reads the audit log."""

    OWNER = "owner"
    """Also changes members and invitations, exports and deletes the workspace."""

    def allows(self, needed: Role) -> bool:
        """Returns whether a member with this role may do everything that `needed` may do."""
        return _ORDER[self] >= _ORDER[needed]


_ORDER = {role: place for place, role in enumerate(Role)}
