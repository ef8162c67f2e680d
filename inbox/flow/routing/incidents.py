"""Collects and writes the changed incidents of a unit of work. `write_changes` has the order of the writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from inbox.database.bulk_sql import MonotonicIds
from inbox.domain.deliveries.notification_plan import joined_due_at, start_or_resume
from inbox.domain.deliveries.quiet_hours import SkipCause
from inbox.domain.incidents.alerts import Alert
from inbox.domain.incidents.incident import OF_PEOPLE, Actor, Incident
from inbox.domain.incidents.state_machine import SILENCED
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.flow.notices import recipients
from inbox.flow.notices.create import create_notices, most_recipients, most_recipients_of_event, stop_waiting
from inbox.flow.notices.notice import EventNotice, IncidentNotice
from inbox.flow.timers.incident_schedule import Plans, schedule_timers
from inbox.flow.unit_of_work import AfterCommit
from inbox.models.events.queue import SourceContext
from inbox.models.incidents import alerts as incident_alerts
from inbox.models.incidents import write as incident_write
from inbox.models.incidents.lock import IncidentRow
from inbox.models.incidents.write import Entry


class IncidentWriter:
    """Collects changed incidents, their timeline entries and their notices at `now`."""

    writes_timelines = True

    def __init__(self, now: datetime, done: AfterCommit, origins: Mapping[UUID, SourceContext]) -> None:
        self.now = now
        self.done = done
        self.origins = origins
        self.plans = Plans.at({one.workspace_id: one.routing_rev for one in origins.values()}, now)
        self.make_id = MonotonicIds(now)
        self._incidents: dict[UUID, IncidentRow] = {}
        self._before: dict[UUID, Incident | None] = {}
        self._alerts: dict[tuple[UUID, str], tuple[IncidentRow, Alert]] = {}
        self._timeline: list[Entry] = []
        self._with_entries: set[UUID] = set()
        self._of_people: set[UUID] = set()
        self.notices: list[IncidentNotice] = []
        self.event_notices: list[EventNotice] = []
        self.recipients = 0
        """The most destinations of all notices together."""

    def update(self, incident: IncidentRow, after: Incident, *, is_restored: bool = False) -> None:
        """Sets the incident's new values. Its notices and other entries follow this call.

        The escalation starts or resumes as the transition requires (`start_or_resume`), unless the values are restored.
        """
        before = None if incident.is_new and incident.id not in self._incidents else incident.state_values
        self._before.setdefault(incident.id, before)
        incident.state_values = (
            after if is_restored else start_or_resume(self.plans.of(incident), before, after, self.now)
        )
        self._incidents[incident.id] = incident

    def count_event(self, incident: IncidentRow, after: Incident) -> None:
        """Counts an event on the incident; nothing else changes."""
        incident.state_values = after
        self._incidents[incident.id] = incident

    def update_alert(self, incident: IncidentRow, alert: Alert) -> None:
        """Adds a new or changed alert of the incident."""
        alert.id = alert.id or self.make_id()
        self._alerts[incident.id, alert.key] = (incident, alert)

    def is_joined_due(self, incident: IncidentRow) -> bool:
        """Returns whether people are told now of alerts that joined the incident."""
        at = joined_due_at(self.plans.of(incident), incident.state_values)
        return at is not None and at <= self.now

    def add_notice(self, notice: IncidentNotice) -> None:
        """Adds a notice of the incident's current values; the caller calls `update` before.

        No notice is added while the incident's plan delays it.
        """
        if recipients.prepare(notice, self.plans.of(notice.incident), self.now):
            self.notices.append(notice)
            self.recipients += most_recipients(notice, self.plans)

    def event_actor(self, event_id: UUID, source_name: str) -> Actor:
        """Returns the actor of an event from this source, for timelines."""
        return Actor("event", ids.encode(Prefix.EVENT, event_id), source_name)

    def add_event_notice(self, notice: EventNotice) -> None:
        """Adds a notice of an event that causes no incident."""
        self.event_notices.append(notice)
        self.recipients += most_recipients_of_event(notice, self.plans)

    def add_timeline_entry(
        self,
        incident: IncidentRow,
        kind: str,
        actor: Actor,
        details: Mapping[str, Any],
        *,
        event_id: UUID | None = None,
    ) -> UUID:
        """Adds the last entry to the incident's timeline; `details` are JSON. Returns the entry's id.

        The id is never below the previous entry's id. That entry's writer may have a fast clock, or waited less.
        """
        if incident.last_entry_at is not None and incident.id not in self._with_entries:
            self.make_id.advance_past(incident.last_entry_at)
        self._with_entries.add(incident.id)
        if actor.type in OF_PEOPLE:
            self._of_people.add(incident.id)
        id, incident.last_entry_at = self.make_id(), self.make_id.time
        at = max(self.now, incident.last_entry_at)
        self._timeline.append(Entry(id, at, incident, kind, actor, event_id, details))
        return id

    @property
    def transitions(self) -> list[tuple[IncidentRow, Incident | None]]:
        """The changed incidents, each with its values before; None for a new one."""
        return [(self._incidents[id], before) for id, before in self._before.items()]

    def write_existing(self, *, named: bool = False) -> None:
        """Writes the changes of existing incidents, in the order of their ids, all alerts and timeline entries.

        `named` is passed to `update` as `editable`.
        """
        old = sorted((one for one in self._incidents.values() if not one.is_new), key=lambda one: one.id.int)
        for one in old:
            one.rev += 1
        statements = self.done.statements
        incident_write.update_counters([one for one in old if one.id not in self._before], statements)
        changed = [one for one in old if one.id in self._before]
        incident_write.update([one for one in changed if not (named or one.is_renamed)], statements)
        renamed = [one for one in changed if named or one.is_renamed]
        incident_write.update(renamed, statements, editable=True)
        incident_alerts.search_apart(renamed, statements)
        incident_alerts.write(self._alerts.values(), statements)
        incident_write.insert_entries(self._timeline, statements)
        self._stop_silenced(changed)
        self._publish(old)

    def _stop_silenced(self, changed: Sequence[IncidentRow]) -> None:
        """Skips what of notification rules waits for incidents that a silence covers now."""
        silenced = {one.id for one in changed if one.state_values.state is SILENCED and not self._was_silenced(one.id)}
        stop_waiting(silenced, self.now, self.done, SkipCause.SILENCED)

    def _was_silenced(self, incident_id: UUID) -> bool:
        before = self._before[incident_id]
        return before is not None and before.state is SILENCED

    def write_new(self) -> None:
        """Writes the new incidents, last in the transaction: their numbers block other openings in the workspace."""
        new = [one for one in self._incidents.values() if one.is_new]
        incident_write.insert(new, self.done.statements)
        self._publish(new)

    def _publish(self, incidents: Sequence[IncidentRow]) -> None:
        for one in incidents:
            op, is_act = "created" if one.is_new else "changed", one.id in self._of_people
            self.done.publish_change("incident", one.id, one.workspace_id, op=op, rev=one.rev, is_act=is_act)


def write_changes(writer: IncidentWriter, *, named: bool = False) -> None:
    """Writes the changes; `named` means that people changed title, tags or assignee.

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
