"""The incidents of a unit of work. The index finds them in memory; the writer collects and writes changes.

Routing loads the index, and a preview builds its own. `write_changes` has the order of the writes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from inbox.database.bulk_sql import MonotonicIds
from inbox.domain.deliveries.notification_plan import start_or_resume
from inbox.domain.incidents.incident import Actor, Incident
from inbox.domain.incidents.lateness import SenderTimes
from inbox.domain.incidents.state_machine import RESOLVED
from inbox.domain.routing.rules import OpenAfter, Verdict
from inbox.domain.routing.silences import CompiledSilence
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.flow.notices import recipients
from inbox.flow.notices.create import create_notices, most_recipients, most_recipients_of_event
from inbox.flow.notices.notice import EventNotice, IncidentNotice
from inbox.flow.timers.incident_schedule import Plans, schedule_timers
from inbox.flow.unit_of_work import AfterCommit
from inbox.models.events.queue import SourceContext
from inbox.models.incidents import write as incident_write
from inbox.models.incidents.lock import IncidentRow
from inbox.models.incidents.write import Entry
from inbox.models.routing.routing_results import CounterKey, DeferredEvent, MatchCount, MatchHour


@dataclass(slots=True)
class _Count:
    """The number of events with one verdict within an hour, and the time of the last receipt."""

    workspace_id: UUID
    events: int
    last_at: datetime


class IncidentIndex:
    """Incidents by fingerprint and by dedup key, waits of rules, and counters of a batch."""

    def __init__(
        self, incidents: Iterable[IncidentRow] = (), waits: Mapping[CounterKey, Sequence[DeferredEvent]] | None = None
    ) -> None:
        self._by_fingerprint: dict[tuple[int, str], IncidentRow] = {}
        self._by_dedup_key: dict[tuple[int, str], list[IncidentRow]] = {}
        self._waits: dict[str, dict[UUID, Sequence[DeferredEvent]]] = {}
        for (rule_id, fingerprint), waiting in (waits or {}).items():
            self._waits.setdefault(fingerprint, {})[rule_id] = waiting
        self.open_after_updates: dict[CounterKey, tuple[UUID, Sequence[DeferredEvent]]] = {}
        self.incident_of_event: dict[UUID, IncidentRow] = {}
        self._counts_by_hour: dict[datetime, dict[Verdict, _Count]] = {}
        self._hour = self._next_hour = datetime.max.replace(tzinfo=UTC)
        self._in_hour: dict[Verdict, _Count] = {}
        self.silenced_counts: Counter[UUID] = Counter()
        self._costly_silences: dict[MatchHour, MatchCount] = {}
        self.sender_times = SenderTimes()
        self.left_out: list[CompiledSilence] = []
        """The silences that cost too much for the present event."""
        for incident in incidents:
            self.add(incident)

    @property
    def fingerprints(self) -> int:
        """The number of fingerprints with an incident."""
        return len(self._by_fingerprint)

    def add(self, incident: IncidentRow) -> None:
        """Adds the incident as the newest of its fingerprint."""
        self._by_fingerprint[incident.key] = incident
        if incident.dedup_key is not None:
            name = (incident.source_id.int, incident.dedup_key)
            self._by_dedup_key[name] = [*filter(self._may_end, self._by_dedup_key.get(name, ())), incident]

    def _may_end(self, incident: IncidentRow) -> bool:
        """Returns whether the incident is unresolved, or is the one of its fingerprint that may reopen."""
        return incident.state_values.state is not RESOLVED or self._by_fingerprint.get(incident.key) is incident

    def latest(self, source_id: UUID, fingerprint: str) -> IncidentRow | None:
        """Returns the unresolved incident of a fingerprint, else the one resolved last."""
        return self._by_fingerprint.get((source_id.int, fingerprint))

    def unresolved(self, source_id: UUID, fingerprints: Iterable[str], dedup_key: str | None) -> list[IncidentRow]:
        """Returns the incidents that a recovery ends: unresolved, by fingerprint, then by dedup key, each once."""
        source, unresolved = source_id.int, dict[UUID, IncidentRow]()
        for fingerprint in fingerprints:
            one = self._by_fingerprint.get((source, fingerprint))
            if one is not None and one.state_values.state is not RESOLVED:
                unresolved[one.id] = one
        if dedup_key is not None:
            for one in self._by_dedup_key.get((source, dedup_key), ()):
                if one.state_values.state is not RESOLVED:
                    unresolved[one.id] = one
        return list(unresolved.values())

    def wait(
        self, workspace_id: UUID, rule_id: UUID, fingerprint: str, needed: OpenAfter, event: DeferredEvent
    ) -> Sequence[DeferredEvent]:
        """Adds an event to a rule's wait; returns the recent events, including this one, in the order of their times.

        The event that reaches the threshold ends the wait, and a new one begins.
        """
        of_fingerprint = self._waits.setdefault(fingerprint, {})
        events = sorted((*of_fingerprint.get(rule_id, ()), event), key=lambda waiting: waiting.at)
        recent = [one for one in events if events[-1].at - one.at <= needed.within][-needed.count :]
        counter = recent if len(recent) < needed.count else []
        of_fingerprint[rule_id] = counter
        self.open_after_updates[rule_id, fingerprint] = (workspace_id, counter)
        return recent

    def recover(self, workspace_id: UUID, fingerprints: Iterable[str]) -> int:
        """Ends the waits of these fingerprints; returns the number of waiting events."""
        reset_count = 0
        for fingerprint in fingerprints:
            for rule_id, waiting in self._waits.pop(fingerprint, {}).items():
                reset_count += len(waiting)
                self.open_after_updates[rule_id, fingerprint] = (workspace_id, ())
        return reset_count

    def join(self, waiting: Iterable[DeferredEvent], incident: IncidentRow) -> None:
        """Counts these waiting events on the incident."""
        self.incident_of_event.update({one.event_id: incident for one in waiting if one.event_id is not None})

    def match(self, workspace_id: UUID, result: Verdict, at: datetime) -> None:
        """Counts an event for the rules of this verdict. Many events share one verdict object."""
        if not self._hour <= at < self._next_hour:
            self._hour = at.replace(minute=0, second=0, microsecond=0)
            self._next_hour = self._hour + timedelta(hours=1)
            self._in_hour = self._counts_by_hour.setdefault(self._hour, {})
        previous = self._in_hour.get(result)
        if previous is None:
            self._in_hour[result] = _Count(workspace_id, 1, at)
        else:
            previous.events += 1
            previous.last_at = max(previous.last_at, at)

    def leave_out(self, workspace_id: UUID, silences: Sequence[CompiledSilence], at: datetime) -> None:
        """Counts silences that cost too much for an event."""
        self.left_out.extend(silences)
        hour = at.replace(minute=0, second=0, microsecond=0)
        for silence in silences:
            _add(self._costly_silences, MatchHour(workspace_id, silence.id, hour), 1, at)

    @property
    def costly_counts(self) -> dict[MatchHour, MatchCount]:
        """The number of events in each hour for which each rule or silence cost too much."""
        counts = dict(self._costly_silences)
        for hour, counts_of_rule in self._counts_by_hour.items():
            for result, count in counts_of_rule.items():
                for rule in result.left_out:
                    _add(counts, MatchHour(count.workspace_id, rule.id, hour), count.events, count.last_at)
        return counts

    @property
    def match_counts(self) -> dict[MatchHour, MatchCount]:
        """The number of events that each rule matched in each hour."""
        counts: dict[MatchHour, MatchCount] = {}
        for hour, counts_of_rule in self._counts_by_hour.items():
            for result, count in counts_of_rule.items():
                for rule in result.matched:
                    _add(counts, MatchHour(count.workspace_id, rule.id, hour), count.events, count.last_at)
        return counts


def _add(counts: dict[MatchHour, MatchCount], key: MatchHour, events: int, last_at: datetime) -> None:
    previous = counts.get(key, MatchCount(0, last_at))
    counts[key] = MatchCount(previous.events + events, max(previous.last_at, last_at))


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
        self._timeline: list[Entry] = []
        self._with_entries: set[UUID] = set()
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
        id, incident.last_entry_at = self.make_id(), self.make_id.time
        at = max(self.now, incident.last_entry_at)
        self._timeline.append(Entry(id, at, incident, kind, actor, event_id, details))
        return id

    @property
    def transitions(self) -> list[tuple[IncidentRow, Incident | None]]:
        """The changed incidents, each with its values before; None for a new one."""
        return [(self._incidents[id], before) for id, before in self._before.items()]

    def write_existing(self, *, named: bool = False) -> None:
        """Writes the changes of existing incidents, in the order of their ids, and all timeline entries.

        `named` is passed to `update` as `editable`.
        """
        old = sorted((one for one in self._incidents.values() if not one.is_new), key=lambda one: one.id.int)
        for one in old:
            one.rev += 1
        statements = self.done.statements
        incident_write.update_counters([one for one in old if one.id not in self._before], statements)
        changed = [one for one in old if one.id in self._before]
        incident_write.update([one for one in changed if not (named or one.is_renamed)], statements)
        incident_write.update([one for one in changed if named or one.is_renamed], statements, editable=True)
        incident_write.insert_entries(self._timeline, statements)
        self._publish(old)

    def write_new(self) -> None:
        """Writes the new incidents, last in the transaction: their numbers block other openings in the workspace."""
        new = [one for one in self._incidents.values() if one.is_new]
        incident_write.insert(new, self.done.statements)
        self._publish(new)

    def _publish(self, incidents: Sequence[IncidentRow]) -> None:
        for one in incidents:
            self.done.publish_change(
                "incident", one.id, one.workspace_id, op="created" if one.is_new else "changed", rev=one.rev
            )


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
