"""Writes the changes of incidents by timers and people; `process_batch` takes the same steps for events."""

from __future__ import annotations

from inbox.flow.notices.create import create_notices
from inbox.flow.routing.incident_writer import IncidentWriter
from inbox.flow.timers.incident_schedule import schedule_timers


def write_changes(writer: IncidentWriter, *, named: bool = False) -> None:
    """Write the changes; `named` means that people changed title, tags or assignee.

    1. Write the existing incidents and the timelines.
    2. Create the notices.
    3. Schedule the timers.
    4. Write the new incidents.
    """
    writer.write_existing(named=named)
    checks = create_notices(
        writer.notices, writer.event_notices, writer.origins, writer.plans, writer.make_id, writer.done
    )
    schedule_timers(writer.transitions, writer.plans, checks, writer.done)
    writer.write_new()
