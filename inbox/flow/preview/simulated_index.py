"""What events meet in a course that is only played: a world of which parts go over into others (specification 6.9)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from uuid import UUID

from inbox.domain.rules import Verdict
from inbox.domain.state_machine import RESOLVED
from inbox.flow.routing.incident_index import IncidentIndex
from inbox.models.incidents.lock import IncidentRow
from inbox.models.open_after import DeferredEvent

Visit = Callable[[IncidentRow], IncidentRow]


class SimulatedIndex(IncidentIndex):
    """It begins empty. Before an incident is met somebody has a `visit` at it, who answers the same."""

    def __init__(self, visit: Visit) -> None:
        super().__init__()
        self._visit = visit

    def latest(self, source_id: UUID, fingerprint: str) -> IncidentRow | None:
        """As of any world."""
        one = self._newest.get((source_id.int, fingerprint))
        return one if one is None else self._visit(one)

    def unresolved(self, source_id: UUID, fingerprints: Iterable[str], dedup_key: str | None) -> list[IncidentRow]:
        """As of any world: none comes to be unresolved by a look."""
        found = super().unresolved(source_id, fingerprints, dedup_key)
        return [one for one in found if self._visit(one).state_values.state is not RESOLVED] if found else found

    def named(self, source_id: UUID, dedup_key: str) -> Sequence[IncidentRow]:
        """The incidents of this dedup key that events may still meet, in the order in which they opened."""
        return [self._visit(one) for one in self._named.get((source_id.int, dedup_key), ()) if self._may_end(one)]

    def match(self, workspace_id: UUID, verdict: Verdict, at: datetime) -> None:
        """Nobody asks how often rules match in what does not happen."""

    def join(self, held: Iterable[DeferredEvent], incident: IncidentRow) -> None:
        """Nobody asks to which incident an event was counted that does not happen."""

    def adopt_counters(self, rule_ids: Sequence[UUID], fingerprint: str, other: SimulatedIndex) -> None:
        """What these rules wait for elsewhere they wait for here."""
        for rule_id, held in other._waits.get(fingerprint, {}).items():
            if rule_id in rule_ids:
                self._waits.setdefault(fingerprint, {})[rule_id] = held

    def forget(self, incident: IncidentRow) -> None:
        """No event meets this incident any more, nor any other of its dedup key."""
        self._newest.pop(incident.key, None)
        if incident.dedup_key is not None:
            self._named.pop((incident.source_id.int, incident.dedup_key), None)
