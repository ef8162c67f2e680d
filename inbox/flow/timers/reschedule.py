"""Reschedules the timers of a workspace's incidents in batches after its plans change.

Specification 6.7.
"""

from __future__ import annotations

from datetime import datetime

from inbox.flow.timers.incident_schedule import Plans, schedule_timers
from inbox.flow.unit_of_work import AfterCommit
from inbox.models.incidents import batches as incident_batches
from inbox.models.incidents import lock as incident_lock
from inbox.models.incidents.tables import Timer
from inbox.models.incidents.timers import Reschedule
from inbox.models.routing import routing_config

RESCHEDULE = "workspace.reschedule"
"""The kind of timer that reschedules the timers of a workspace's unresolved incidents."""

RESCHEDULE_LATE = "workspace.reschedule_late"
"""The kind that repeats the rescheduling after concurrent routing by the old plans is committed."""

KINDS = (RESCHEDULE, RESCHEDULE_LATE)
"""The timers after a change of plans, for `recheck.schedule_with_recheck`."""

BATCH = 500
"""The number of incidents rescheduled in one transaction."""


def reschedule_batch(timer: Timer, now: datetime, done: AfterCommit) -> Reschedule | None:
    """Sets the timers of the next incidents by their current plans. A timer that is no longer needed does nothing."""
    workspace_id = timer.subject_id
    incident_ids = incident_batches.in_workspace(workspace_id, timer.resume_after, BATCH)
    incidents = incident_lock.lock_many(workspace_id, incident_ids)
    schedule_timers(
        [(one, None) for one in incidents], Plans.at(routing_config.revisions([workspace_id]), now), [], done
    )
    return Reschedule(now, incident_ids[-1]) if len(incident_ids) == BATCH else None
