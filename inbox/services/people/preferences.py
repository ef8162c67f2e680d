"""Preferences of a person: defaults, changes and edits (specification 11.9)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any
from uuid import UUID

import orjson

from inbox.domain.oncall import lead_times
from inbox.domain.values.refusals import Fault, ValidationFailed, check_rev
from inbox.flow.unit_of_work import work
from inbox.models.people.preferences import UserPreferences, stored
from inbox.services.people.factors import locked

MAX_BYTES = 16 * 1024
"""The maximum size of a person's preferences as JSON."""

DEFAULTS: Mapping[str, Any] = MappingProxyType(
    {
        "theme": "system",
        "hourCycle": "auto",
        "times": "local",
        "shortcuts": True,
        "density": "comfortable",
        "defaultSnoozeMinutes": 60,
        "lastWorkspaceId": None,
        "perWorkspace": {},
        "desktopNotices": False,
        "sound": False,
        "shiftNoticeMinutes": list(lead_times.DEFAULT),
        "phoneQuietHours": None,
    }
)


def of_person(user_id: UUID) -> dict[str, Any]:
    """Return the preferences of a person with their `rev`, which is 0 before the first change."""
    row = stored(user_id)
    return {**DEFAULTS, **(row.preferences if row else {}), "rev": row.rev if row else 0}


def edit(user_id: UUID, changes: Mapping[str, Any], *, expected_rev: int | None) -> dict[str, Any]:
    """Change the given preferences. `perWorkspace` replaces the entries that it names; null removes one.

    Raises `RevMismatch`, and `ValidationFailed` when all together are larger than `MAX_BYTES`.
    """
    with work() as done:
        locked(user_id)
        row = stored(user_id)
        check_rev(row.rev if row else 0, expected_rev)
        merged = {**(row.preferences if row else {}), **changes}
        if "perWorkspace" in changes:
            entries = {**(row.preferences.get("perWorkspace", {}) if row else {}), **changes["perWorkspace"]}
            merged["perWorkspace"] = {id: entry for id, entry in entries.items() if entry is not None}
        if len(orjson.dumps(merged)) > MAX_BYTES:
            raise ValidationFailed(errors=[Fault("/perWorkspace", f"All preferences may have {MAX_BYTES} bytes.")])
        rev = row.rev + 1 if row else 1
        insert = UserPreferences.insert(user=user_id, preferences=merged, rev=rev)
        insert.on_conflict(conflict_target=[UserPreferences.user], update={"preferences": merged, "rev": rev}).execute()
        done.publish_change("me", user_id, None, rev=rev)
    return {**DEFAULTS, **merged, "rev": rev}
