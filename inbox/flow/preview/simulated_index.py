"""The incident index of a simulation. Incidents can be copied from one simulation to another (specification 6.9)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from uuid import UUID

from inbox.domain.rules import Verdict
from inbox.domain.state_machine import RESOLVED
from inbox.flow.routing.incidents import IncidentIndex
from inbox.models.events.routing_results import DeferredEvent
from inbox.models.incidents.lock import IncidentRow

Visit = Callable[[IncidentRow], IncidentRow]


class SimulatedIndex(IncidentIndex):
    """An index that starts empty. It calls `visit` with each incident before it returns the incident."""

    def __init__(self, visit: Visit) -> None:
        super().__init__()
        self._visit = visit

    def latest(self, source_id: UUID, fingerprint: str) -> IncidentRow | None:
        """As in `IncidentIndex`, after the visit."""
        one = self._by_fingerprint.get((source_id.int, fingerprint))
        return one if one is None else self._visit(one)

    def unresolved(self, source_id: UUID, fingerprints: Iterable[str], dedup_key: str | None) -> list[IncidentRow]:
        """As in `IncidentIndex`. A visit never reopens an incident, so only the found ones are checked again."""
        found = super().unresolved(source_id, fingerprints, dedup_key)
        return [one for one in found if self._visit(one).state_values.state is not RESOLVED] if found else found

    def named(self, source_id: UUID, dedup_key: str) -> Sequence[IncidentRow]:
        """The incidents of a dedup key that events can still match, in the order in which they opened."""
        return [
            self._visit(one) for one in self._by_dedup_key.get((source_id.int, dedup_key), ()) if self._may_end(one)
        ]

    def match(self, workspace_id: UUID, verdict: Verdict, at: datetime) -> None:
        """Do nothing: match counts of rules are not needed in a simulation."""

    def join(self, held: Iterable[DeferredEvent], incident: IncidentRow) -> None:
        """Do nothing: the incident of a deferred event is not needed in a simulation."""

    def adopt_counters(self, rule_ids: Sequence[UUID], fingerprint: str, other: SimulatedIndex) -> None:
        """Copy the deferred events of these rules for a fingerprint from another index."""
        for rule_id, held in other._waits.get(fingerprint, {}).items():
            if rule_id in rule_ids:
                self._waits.setdefault(fingerprint, {})[rule_id] = held

    def forget(self, incident: IncidentRow) -> None:
        """Remove the incident and all incidents of its dedup key."""
        self._by_fingerprint.pop(incident.key, None)
        if incident.dedup_key is not None:
            self._by_dedup_key.pop((incident.source_id.int, incident.dedup_key), None)
