"""Earlier versions of routing profiles, and deleted profiles, saved again (specification 6.11)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from inbox.domain.values.refusals import Conflict
from inbox.flow.timers import recheck, reschedule
from inbox.flow.unit_of_work import work
from inbox.models.deliveries.destinations import Destination
from inbox.models.routing import routing_config
from inbox.models.routing.profiles import RoutingProfile
from inbox.services.records import reference_checks, versions
from inbox.services.records.record_limits import check_room
from inbox.services.routing import profiles
from inbox.services.routing.profiles import MAX_PROFILES, PROFILES, TOO_MANY

NO_DESTINATION = "All destinations and people of step {} are gone. Create the profile again with others."


def profile_of(fields: Mapping[str, Any]) -> RoutingProfile:
    """Return an unsaved profile with the fields of a version."""
    fallback = fields["fallback_destination_id"]
    return RoutingProfile(**{**fields, "fallback_destination_id": UUID(fallback) if fallback else None})


def revert(profile: RoutingProfile, rev: int, *, expected_rev: int | None, now: datetime) -> RoutingProfile:
    """Save an earlier version as the next revision, without destinations that have been deleted since.

    Raises `NotFound` for an unknown version, `RevMismatch`, and `Conflict` when a step has no destination left.
    """
    earlier = profile_of(versions.find(profile.id, rev))
    with work() as done:
        profile = profiles.lock(profile, expected_rev)
        values = {name: getattr(earlier, name) for name in versions.PROFILE_FIELDS}
        profiles.change(profile, {**values, **_existing(profile.workspace_id, earlier)}, done, now)
    return profile


def restore(profile: RoutingProfile, *, now: datetime) -> RoutingProfile:
    """Restore a deleted profile, without destinations that have been deleted since.

    Raises `Conflict` when it is not deleted, when a step has no destination left, or at the maximum of profiles.
    """
    with work() as done:
        routing_config.bump_revision(profile.workspace_id)
        profile = PROFILES.lock_deleted(profile)
        check_room(profiles.existing([profile.workspace_id]), MAX_PROFILES, TOO_MANY)
        PROFILES.save(profile, deleted_at=None, **_existing(profile.workspace_id, profile))
        versions.record(profile, versions.PROFILE_FIELDS, now)
        PROFILES.note("routing_profile.restored", profile, now)
        recheck.schedule_with_recheck(reschedule.KINDS, profile.workspace_id, profile.workspace_id, now, done)
        PROFILES.publish(done, profile, "created")
    return profile


def _existing(workspace_id: UUID, profile: RoutingProfile) -> dict[str, Any]:
    """Return steps and fallback of a profile without deleted records. Raises `Conflict` for an empty step."""
    steps = [
        {
            **step,
            "destinationIds": versions.existing_destinations(workspace_id, step["destinationIds"]),
            "people": [
                each.record() for each in reference_checks.existing_people(workspace_id, step.get("people", ()))
            ],
        }
        for step in profile.steps
    ]
    for number, step in enumerate(steps, start=1):
        if not (step["destinationIds"] or step["people"]):
            raise Conflict(NO_DESTINATION.format(number))
    fallback = profile.fallback_destination_id
    exists = fallback is not None and versions.existing_ids(Destination, workspace_id, [fallback])
    return {"steps": steps, "fallback_destination_id": fallback if exists else None}
