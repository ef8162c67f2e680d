"""What events meet: the incidents as they stand and what rules wait for, in memory; routing loads it, a preview makes it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from inbox.domain.moves import State
from inbox.domain.rules import OpenAfter, Rule
from inbox.models.matches import Count, Hour
from inbox.models.standing import Standing
from inbox.models.waits import Wait


class World:
    """Incidents by fingerprint and by dedup key, waits, and what was counted while events met them."""

    def __init__(
        self, incidents: Iterable[Standing] = (), waits: Mapping[Wait, Sequence[datetime]] | None = None
    ) -> None:
        self._newest: dict[tuple[UUID, str], Standing] = {}
        self._named: dict[tuple[UUID, str], list[Standing]] = {}
        self._waits: dict[Wait, Sequence[datetime]] = dict(waits or {})
        self.waited: dict[Wait, tuple[UUID, Sequence[datetime]]] = {}
        self._matched: dict[tuple[tuple[Rule, ...], datetime], tuple[UUID, Count]] = {}
        self.hushed: Counter[UUID] = Counter()
        for incident in incidents:
            self.know(incident)

    @property
    def fingerprints(self) -> int:
        """Of how many it knows an incident."""
        return len(self._newest)

    def know(self, incident: Standing) -> None:
        """From now on this is the newest of its fingerprint."""
        self._newest[incident.key] = incident
        if incident.dedup_key is not None:
            name = (incident.source_id, incident.dedup_key)
            self._named[name] = [*filter(self._may_end, self._named.get(name, ())), incident]

    def _may_end(self, incident: Standing) -> bool:
        """Unresolved, or the one of its fingerprint that may open again."""
        return incident.now.state is not State.RESOLVED or self._newest.get(incident.key) is incident

    def newest(self, source_id: UUID, fingerprint: str) -> Standing | None:
        """The unresolved incident of a fingerprint, else the one resolved last."""
        return self._newest.get((source_id, fingerprint))

    def unresolved(self, source_id: UUID, fingerprints: Iterable[str], dedup_key: str | None) -> list[Standing]:
        """All that a recovery ends: the unresolved ones of these fingerprints, then of this dedup key, each once."""
        found = [self._newest.get((source_id, fingerprint)) for fingerprint in fingerprints]
        if dedup_key is not None:
            found += self._named.get((source_id, dedup_key), ())
        ended = {one.id: one for one in found if one is not None and one.now.state is not State.RESOLVED}
        return list(ended.values())

    def wait(
        self, workspace_id: UUID, rule_id: UUID, fingerprint: str, wanted: OpenAfter, at: datetime
    ) -> Sequence[datetime]:
        """One more event that a rule holds back: when the last ones came, this one among them.

        With the one that makes them enough, the wait is over and begins anew.
        """
        wait = (rule_id, fingerprint)
        seen = sorted((*self._waits.get(wait, ()), at))
        recent = [moment for moment in seen if seen[-1] - moment <= wanted.within][-wanted.count :]
        kept = recent if len(recent) < wanted.count else []
        self._waits[wait] = kept
        self.waited[wait] = (workspace_id, kept)
        return recent

    def match(self, workspace_id: UUID, rules: tuple[Rule, ...], at: datetime) -> None:
        """These rules matched an event."""
        together = (rules, at.replace(minute=0, second=0, microsecond=0))
        _, known = self._matched.get(together, (None, None))
        count = Count(1, at) if known is None else Count(known.events + 1, max(known.last_at, at))
        self._matched[together] = (workspace_id, count)

    @property
    def matched(self) -> dict[Hour, Count]:
        """How many events each rule matched in each hour."""
        found: dict[Hour, Count] = {}
        for (rules, at), (workspace_id, count) in self._matched.items():
            for rule in rules:
                hour = Hour(workspace_id, rule.id, at)
                known = found.get(hour, Count(0, count.last_at))
                found[hour] = Count(known.events + count.events, max(known.last_at, count.last_at))
        return found
