"""The plans of a workspace changed beneath its incidents: their timers follow, some incidents at a time.

Specification 6.7.
"""

from __future__ import annotations

from datetime import datetime

from inbox.flow.timers.incident_schedule import Plans, schedule_timers
from inbox.flow.unit_of_work import AfterCommit
from inbox.models import routing_config
from inbox.models.incidents import batches as incident_batches
from inbox.models.incidents import lock as incident_lock
from inbox.models.tables.incidents import Timer
from inbox.models.timers import Reschedule

RESCHEDULE = "workspace.reschedule"
"""The kind of timer that sets the timers of a workspace's unresolved incidents anew."""

RESCHEDULE_LATE = "workspace.reschedule_late"
"""The kind that does so once more, when what was being routed by the old plans is committed."""

KINDS = (RESCHEDULE, RESCHEDULE_LATE)
"""The errand after the plans of a workspace have changed; `errands.call_for`."""

BATCH = 500
"""How many incidents have their timers set anew in one transaction."""


def reschedule_batch(timer: Timer, now: datetime, done: AfterCommit) -> Reschedule | None:
    """Set the timers of the next incidents as their plans have them now. What one should not have finds nothing to do."""
    workspace_id = timer.subject_id
    incident_ids = incident_batches.in_workspace(workspace_id, timer.resume_after, BATCH)
    incidents = incident_lock.lock_many(incident_ids)
    schedule_timers(
        [(one, None) for one in incidents], Plans.at(routing_config.revisions([workspace_id]), now), [], done
    )
    return Reschedule(now, incident_ids[-1]) if len(incident_ids) == BATCH else None
