"""The incidents that the events of a batch can concern, found in memory, and the counters of the batch.

Routing loads the index, and a preview builds its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from operator import attrgetter
from uuid import UUID

from inbox.domain.events.subject import Subject
from inbox.domain.incidents.lateness import SenderTimes
from inbox.domain.incidents.state_machine import RESOLVED
from inbox.domain.routing.rules import OpenAfter, Verdict
from inbox.domain.routing.silences import CompiledSilence, coverage, views
from inbox.domain.values.severity import higher
from inbox.flow.routing.evaluate import EvaluatedEvent
from inbox.models.incidents.lock import IncidentRow
from inbox.models.routing.routing_results import CounterKey, DeferredEvent, MatchCount, MatchHour


@dataclass(slots=True)
class _Count:
    """The number of events with one verdict within an hour, and the time of the last receipt."""

    workspace_id: UUID
    events: int
    last_at: datetime


class IncidentIndex:
    """Incidents by fingerprint and by the keys of their alerts, waits of rules, and counters of a batch."""

    def __init__(
        self, incidents: Iterable[IncidentRow] = (), waits: Mapping[CounterKey, Sequence[DeferredEvent]] | None = None
    ) -> None:
        self._by_fingerprint: dict[tuple[int, str], IncidentRow] = {}
        self._by_key: dict[tuple[int, str], list[IncidentRow]] = {}
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
        for key in incident.alerts:
            self.add_key(incident, key)

    def add_key(self, incident: IncidentRow, key: str) -> None:
        """Adds the incident as one with an alert of this key."""
        name = (incident.source_id.int, key)
        self._by_key[name] = [*filter(self._may_end, self._by_key.get(name, ())), incident]

    def _may_end(self, incident: IncidentRow) -> bool:
        """Returns whether the incident is unresolved, or is the one of its fingerprint that may reopen."""
        return incident.state_values.state is not RESOLVED or self._by_fingerprint.get(incident.key) is incident

    def latest(self, source_id: UUID, fingerprint: str) -> IncidentRow | None:
        """Returns the unresolved incident of a fingerprint, else the one resolved last."""
        return self._by_fingerprint.get((source_id.int, fingerprint))

    def incident_of(self, evaluated: EvaluatedEvent) -> IncidentRow | None:
        """Returns the incident that takes an event. In a group of the tool, an alert that fires stays where it fires."""
        event = evaluated.event
        fires = self.firing(event.source_id, event.dedup_key) if evaluated.is_of_group else None
        return fires or self.latest(event.source_id, evaluated.fingerprint)

    def firing(self, source_id: UUID, dedup_key: str | None) -> IncidentRow | None:
        """Returns the oldest unresolved incident in which the alert of a key fires."""
        found = self.unresolved(source_id, (), dedup_key)
        return next((one for one in found if one.has_firing(dedup_key)), None)

    def unresolved(self, source_id: UUID, fingerprints: Iterable[str], dedup_key: str | None) -> list[IncidentRow]:
        """Returns the incidents that a recovery ends: unresolved, by fingerprint, then by key in their order, each once."""
        source, unresolved = source_id.int, dict[UUID, IncidentRow]()
        for fingerprint in fingerprints:
            one = self._by_fingerprint.get((source, fingerprint))
            if one is not None and one.state_values.state is not RESOLVED:
                unresolved[one.id] = one
        if dedup_key is not None:
            for one in sorted(self._by_key.get((source, dedup_key), ()), key=_BY_ID):
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

    def covering(
        self, evaluated: EvaluatedEvent, now: datetime, incident: IncidentRow | None
    ) -> CompiledSilence | None:
        """Returns the silence that covers the incident after this event; None as incident means a new one.

        The time is now, not the receipt of the event: only a currently active silence can release the incident later.
        Silences that cost too much for the event are counted. In a group of a tool only the event counts, because the
        incident is named like another of its alerts.
        """
        silences = evaluated.routing.config.silences
        if not silences or evaluated.subject is None:
            return None
        subjects: tuple[Subject, ...]
        severity = evaluated.decision.severity
        subject = evaluated.subject._replace(severity=severity)
        if incident is None or evaluated.is_of_group:
            subjects = (subject._replace(tags=evaluated.tags),)
        else:
            values = incident.state_values
            rises = values.state is RESOLVED or higher(values.severity, severity) != values.severity
            title = evaluated.event.title if rises and not incident.title_edited else None
            subjects = views(incident, severity if rises else values.severity, subject, title)
        found = coverage(silences, subjects, evaluated.event.source_id, now)
        if found.left_out:
            self.leave_out(evaluated.event.workspace_id, found.left_out, evaluated.event.received_at)
        return found.silence

    def leave_out(self, workspace_id: UUID, silences: Sequence[CompiledSilence], at: datetime) -> None:
        """Counts silences that cost too much for an event, each once."""
        hour = at.replace(minute=0, second=0, microsecond=0)
        for silence in [each for each in silences if each not in self.left_out]:
            self.left_out.append(silence)
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


_BY_ID = attrgetter("id")


def _add(counts: dict[MatchHour, MatchCount], key: MatchHour, events: int, last_at: datetime) -> None:
    previous = counts.get(key, MatchCount(0, last_at))
    counts[key] = MatchCount(previous.events + events, max(previous.last_at, last_at))
