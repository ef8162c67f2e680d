"""Routing profiles, quiet hours and passing time for tests of notification times."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import count
from typing import Any
from uuid import UUID

from inbox.database.base import new_id
from inbox.domain.values import ids
from inbox.flow.timers.run import IDLE_SECONDS, run_due
from inbox.models.deliveries.destinations import Destination
from inbox.models.incidents.tables import Timer
from inbox.models.routing.profiles import RoutingProfile
from inbox.models.routing.routing_config import bump_revision
from inbox.models.workspaces.tables import Workspace
from tests.cast import NOW, present
from tests.flow.routing_fixtures import settle

MINUTE = timedelta(minutes=1)

NIGHT = {"enabled": True, "timezone": "UTC", "windows": [{"days": ["sat"], "start": "08:00", "end": "12:00"}]}
"""Quiet hours in which `NOW`, a Saturday at nine, lies; they end at `MORNING`."""

MORNING = NOW + 180 * MINUTE


def step(after: int, *to: Destination, least: str | None = None) -> dict[str, Any]:
    """A step after so many minutes, as it is stored."""
    return {
        "afterMinutes": after,
        "minSeverity": least,
        "destinationIds": [ids.encode("dst", destination.id) for destination in to],
    }


def follow(workspace: Workspace, *steps: dict[str, Any], **fields: Any) -> RoutingProfile:
    """A profile with these steps, which the default route of the workspace uses."""
    profile: RoutingProfile = RoutingProfile.create(
        id=new_id(), workspace_id=workspace.id, name="Standby", steps=list(steps), created_at=present(), **fields
    )
    Workspace.update(default_route={"routingProfileId": str(profile.id)}).where(Workspace.id == workspace.id).execute()
    bump_revision(workspace.id)
    return profile


def be_quiet(workspace: Workspace, **settings: Any) -> None:
    """Quiet hours from now to `MORNING`, and other settings."""
    settle(workspace, quietHours=NIGHT, **settings)


def pass_to(minutes: float) -> int:
    """Let all timers fire that are due so many minutes from `NOW`, late or not; how many did."""
    return run_due(lambda: NOW + minutes * MINUTE)


def fire_first(at: datetime) -> int:
    """Let only the first timer fire that is due then; whether one did."""
    requested = count()
    return run_due(lambda: at if next(requested) < 3 else at + IDLE_SECONDS)


def timers(subject_id: UUID) -> dict[str, float]:
    """The timers of a subject, in minutes from `NOW`."""
    return {timer.kind: minutes(timer.due_at) for timer in Timer.select().where(Timer.subject_id == subject_id)}


def minutes(at: datetime) -> float:
    return (at - NOW) / MINUTE
