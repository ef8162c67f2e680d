"""The in-memory index of incidents and waits, with counters. Routing loads it; a preview builds its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

from inbox.domain.rules import OpenAfter, Verdict
from inbox.domain.state_machine import RESOLVED
from inbox.models.incidents.lock import IncidentRow
from inbox.models.open_after import DeferredEvent, Wait
from inbox.models.rule_match_counts import Count, Hour


@dataclass(slots=True)
class _Count:
    """The number of events with one verdict within an hour, and the time of the last receipt."""

    workspace_id: UUID
    events: int
    last_at: datetime


class IncidentIndex:
    """Incidents by fingerprint and by dedup key, waits of rules, and counters of a batch."""

    def __init__(
        self, incidents: Iterable[IncidentRow] = (), waits: Mapping[Wait, Sequence[DeferredEvent]] | None = None
    ) -> None:
        self._newest: dict[tuple[int, str], IncidentRow] = {}
        self._named: dict[tuple[int, str], list[IncidentRow]] = {}
        self._waits: dict[str, dict[UUID, Sequence[DeferredEvent]]] = {}
        for (rule_id, fingerprint), waiting in (waits or {}).items():
            self._waits.setdefault(fingerprint, {})[rule_id] = waiting
        self.open_after_updates: dict[Wait, tuple[UUID, Sequence[DeferredEvent]]] = {}
        self.joined: dict[UUID, IncidentRow] = {}
        self._matched: dict[datetime, dict[Verdict, _Count]] = {}
        self._hour = self._next_hour = datetime.max.replace(tzinfo=UTC)
        self._in_hour: dict[Verdict, _Count] = {}
        self.silenced_counts: Counter[UUID] = Counter()
        for incident in incidents:
            self.add(incident)

    @property
    def fingerprints(self) -> int:
        """The number of fingerprints with an incident."""
        return len(self._newest)

    def add(self, incident: IncidentRow) -> None:
        """Add the incident as the newest of its fingerprint."""
        self._newest[incident.key] = incident
        if incident.dedup_key is not None:
            name = (incident.source_id.int, incident.dedup_key)
            self._named[name] = [*filter(self._may_end, self._named.get(name, ())), incident]

    def _may_end(self, incident: IncidentRow) -> bool:
        """Unresolved, or the incident of its fingerprint that may reopen."""
        return incident.state_values.state is not RESOLVED or self._newest.get(incident.key) is incident

    def latest(self, source_id: UUID, fingerprint: str) -> IncidentRow | None:
        """The unresolved incident of a fingerprint, else the one resolved last."""
        return self._newest.get((source_id.int, fingerprint))

    def unresolved(self, source_id: UUID, fingerprints: Iterable[str], dedup_key: str | None) -> list[IncidentRow]:
        """The incidents that a recovery ends: unresolved, by fingerprint, then by dedup key, each once."""
        source, is_over = source_id.int, dict[UUID, IncidentRow]()
        for fingerprint in fingerprints:
            one = self._newest.get((source, fingerprint))
            if one is not None and one.state_values.state is not RESOLVED:
                is_over[one.id] = one
        if dedup_key is not None:
            for one in self._named.get((source, dedup_key), ()):
                if one.state_values.state is not RESOLVED:
                    is_over[one.id] = one
        return list(is_over.values())

    def wait(
        self, workspace_id: UUID, rule_id: UUID, fingerprint: str, needed: OpenAfter, event: DeferredEvent
    ) -> Sequence[DeferredEvent]:
        """Add an event to the wait of a rule; returns the recent events, with this one, in the order of their times.

        The event that reaches the threshold ends the wait, and a new one begins.
        """
        of_fingerprint = self._waits.setdefault(fingerprint, {})
        seen = sorted((*of_fingerprint.get(rule_id, ()), event), key=_received)
        recent = [one for one in seen if seen[-1].at - one.at <= needed.within][-needed.count :]
        counter = recent if len(recent) < needed.count else []
        of_fingerprint[rule_id] = counter
        self.open_after_updates[rule_id, fingerprint] = (workspace_id, counter)
        return recent

    def recover(self, workspace_id: UUID, fingerprints: Iterable[str]) -> int:
        """End the waits of these fingerprints; returns the number of waiting events."""
        emptied = 0
        for fingerprint in fingerprints:
            for rule_id, waiting in self._waits.pop(fingerprint, {}).items():
                emptied += len(waiting)
                self.open_after_updates[rule_id, fingerprint] = (workspace_id, ())
        return emptied

    def join(self, waiting: Iterable[DeferredEvent], incident: IncidentRow) -> None:
        """Count these waiting events to the incident."""
        self.joined.update({one.event_id: incident for one in waiting if one.event_id is not None})

    def match(self, workspace_id: UUID, result: Verdict, at: datetime) -> None:
        """Count an event for the rules of this verdict. Many events share one verdict object."""
        if not self._hour <= at < self._next_hour:
            self._hour = at.replace(minute=0, second=0, microsecond=0)
            self._next_hour = self._hour + timedelta(hours=1)
            self._in_hour = self._matched.setdefault(self._hour, {})
        previous = self._in_hour.get(result)
        if previous is None:
            self._in_hour[result] = _Count(workspace_id, 1, at)
        else:
            previous.events += 1
            previous.last_at = max(previous.last_at, at)

    @property
    def match_counts(self) -> dict[Hour, Count]:
        """The number of events that each rule matched in each hour."""
        counts: dict[Hour, Count] = {}
        for hour, counts_of_rule in self._matched.items():
            for result, count in counts_of_rule.items():
                for rule in result.matched:
                    rule_position = Hour(count.workspace_id, rule.id, hour)
                    previous = counts.get(rule_position, Count(0, count.last_at))
                    counts[rule_position] = Count(previous.events + count.events, max(previous.last_at, count.last_at))
        return counts


def _received(waiting: DeferredEvent) -> datetime:
    return waiting.at
