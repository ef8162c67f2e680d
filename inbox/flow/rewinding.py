"""The plans of a workspace changed beneath its incidents: their timers follow, some incidents at a time.

Specification 6.7.
"""

from __future__ import annotations

from datetime import datetime

from inbox.flow.plans import Plans, wind
from inbox.flow.work import Done
from inbox.models import rulebooks, standing, unresolved
from inbox.models.incidents import Timer
from inbox.models.timers import Again

REWIND = "workspace.reschedule"
"""The kind of timer that sets the timers of a workspace's unresolved incidents anew."""

REWIND_AGAIN = "workspace.reschedule_late"
"""The kind that does so once more, when what was being routed by the old plans is committed."""

KINDS = (REWIND, REWIND_AGAIN)
"""The errand after the plans of a workspace have changed; `errands.call_for`."""

BATCH = 500
"""How many incidents have their timers set anew in one transaction."""


def rewind(timer: Timer, now: datetime, done: Done) -> Again | None:
    """Set the timers of the next incidents as their plans have them now. What one should not have finds nothing to do."""
    workspace_id = timer.subject_id
    found = unresolved.of_workspace(workspace_id, timer.resume_after, BATCH)
    incidents = standing.lock_all(found)
    wind([(one, None) for one in incidents], Plans.at(rulebooks.revisions([workspace_id]), now), [], done)
    return Again(now, found[-1]) if len(found) == BATCH else None
