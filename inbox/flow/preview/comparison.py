"""Both courses of the same events: one for as long as all is the same in both, two for what parts (decision 0023)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from operator import attrgetter
from uuid import UUID

from inbox.domain.preview.verdict_cache import CachedRuleSets
from inbox.domain.rule_action import INCIDENT
from inbox.domain.subject import Subject
from inbox.flow.preview.recorder import Totals
from inbox.flow.preview.simulation import SimulatedEvent, Simulation
from inbox.flow.routing.evaluate import EvaluatedEvent, Event, SourceRouting, evaluate
from inbox.flow.routing.routing_config import RoutingConfig
from inbox.models.deliveries.recipients import Recipient
from inbox.models.events.preview_events import Period
from inbox.models.events.queue import SourceContext
from inbox.models.incidents.lock import IncidentRow

FINGERPRINT, NAME = "fingerprint", "dedupKey"

IncidentKey = tuple[str, str]
"""By what an event finds what it meets: `FINGERPRINT` or `NAME`, and the fingerprint or the dedup key, of its source."""


@dataclass(frozen=True, slots=True)
class SourceState:
    """A source: how its events are heard, and what of it the courses do not share any more."""

    routing: SourceRouting
    fingerprints: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)

    def is_shared(self, evaluated: EvaluatedEvent) -> bool:
        """Whether the courses share all that the event may meet."""
        event, parted = evaluated.event, self.fingerprints
        is_parted = evaluated.fingerprint in parted or event.fingerprint in parted or event.dedup_key in self.names
        return not is_parted or not _concerns_incident(evaluated)

    def is_split(self, evaluated: EvaluatedEvent) -> bool:
        """Whether they share none of it."""
        event, parted = evaluated.event, self.fingerprints
        is_named = event.dedup_key is None or event.dedup_key in self.names
        return (is_named and evaluated.fingerprint in parted and event.fingerprint in parted) or not _concerns_incident(
            evaluated
        )

    def split(self, key: IncidentKey) -> bool:
        """The courses do not share this any more; whether they did."""
        kind, text = key
        parted = self.names if kind == NAME else self.fingerprints
        is_new = text not in parted
        parted.add(text)
        return is_new


class Comparison:
    """What comes of events by the one set of rules and by the other.

    Of what rules say the same, and what stands the same in both courses, all is played once, `shared`. Where they say
    something else, everything that the event can meet goes over into both courses that are `split`, and stays there.
    Incidents of different fingerprints and dedup keys have nothing to do with each other, so nobody can tell the
    difference from two courses that are apart from the beginning.
    """

    def __init__(self, rules: CachedRuleSets, shared: Simulation, before: Simulation, after: Simulation) -> None:
        self._rules = rules
        self._shared, self._before, self._after = shared, before, after
        waiting = (rule.id for each in (before, after) for rule in each.config.rules.rules if rule.open_after)
        self._waiting = tuple(dict.fromkeys(waiting))
        self.sources: dict[int, SourceState] = {}

    @classmethod
    def of(
        cls,
        rules: CachedRuleSets,
        before: RoutingConfig,
        after: RoutingConfig,
        recipients: Mapping[UUID, Recipient],
        period: Period,
    ) -> Comparison:
        """By these books, which differ in their rules alone; these `rules`."""
        comparison = [
            Simulation(period.workspace_id, config, recipients, period.since) for config in (before, before, after)
        ]
        return cls(rules, *comparison)

    def add_source(self, origin: SourceContext) -> SourceState:
        """Events of this source may come."""
        source = self.sources[origin.source_id.int] = SourceState(SourceRouting.of(self._shared.config, origin))
        return source

    def process(self, event: Event, subject: Subject, source: SourceState) -> tuple[SimulatedEvent, SimulatedEvent]:
        """The next event, of this source: what comes of it before and after, which is one where it is the same."""
        said, instead = self._rules.verdicts(event, subject)
        before = after = evaluate(event, subject, source.routing, said)
        if said is not instead:
            after = evaluate(event, subject, source.routing, instead)
        elif source.is_shared(before):
            simulated = self._shared.process(before)
            return simulated, simulated
        if not (source.is_split(before) and source.is_split(after)):
            self._split(source, event, (*_incident_keys(before), *_incident_keys(after)))
        return self._before.process(before), self._after.process(after)

    def run_until(self, moment: datetime) -> Iterator[None]:
        """Time goes by, and all that is due rings; pauses now and then."""
        for simulation in (self._shared, self._before, self._after):
            yield from simulation.run_until(moment)

    def drop_finished(self) -> None:
        """Incidents that no event meets any more ring for the last time; call it now and then."""
        for simulation in (self._shared, self._before, self._after):
            simulation.drop_finished()

    def totals(self) -> tuple[Totals, Totals]:
        """What came of it all, before and after."""
        shared = self._shared.recorder.totals
        return shared + self._before.recorder.totals, shared + self._after.recorder.totals

    @property
    def fingerprints(self) -> int:
        """Of how many there are incidents by now, in the course that has more: that much is in memory."""
        split = max(simulation.index.fingerprints for simulation in (self._before, self._after))
        return self._shared.index.fingerprints + split

    def _split(self, source: SourceState, event: Event, keys: Iterable[IncidentKey]) -> None:
        """What these marks find goes over as it stands at this event, with all that hangs together with it."""
        for simulation in (self._shared, self._before, self._after):
            simulation.advance_to(event.received_at)
        left = [key for key in keys if source.split(key)]
        index, found = self._shared.index, dict[UUID, IncidentRow]()
        while left:
            kind, text = left.pop()
            met: Sequence[IncidentRow | None]
            if kind == NAME:
                met = index.named(event.source_id, text)
            else:
                met = [index.latest(event.source_id, text)]
                for simulation in (self._before, self._after):
                    simulation.index.adopt_counters(self._waiting, text, index)
            for incident in filter(None, met):
                found[incident.id] = incident
                left += [mark for mark in _keys_of(incident) if source.split(mark)]
        for incident in sorted(found.values(), key=attrgetter("id")):
            for simulation in (self._before, self._after):
                simulation.adopt(incident, self._shared)
            self._shared.forget(incident)


def _concerns_incident(evaluated: EvaluatedEvent) -> bool:
    """Whether the event is to open an incident or to end one: it meets none else."""
    decision = evaluated.decision
    return decision.recovers or decision.target is INCIDENT


def _incident_keys(evaluated: EvaluatedEvent) -> tuple[IncidentKey, ...]:
    """All that the event may meet."""
    if not _concerns_incident(evaluated):
        return ()
    event = evaluated.event
    keys: tuple[IncidentKey, ...] = ((FINGERPRINT, evaluated.fingerprint), (FINGERPRINT, event.fingerprint))
    return keys if event.dedup_key is None else (*keys, (NAME, event.dedup_key))


def _keys_of(incident: IncidentRow) -> tuple[IncidentKey, ...]:
    """By which events find it."""
    own = (FINGERPRINT, incident.fingerprint)
    return (own,) if incident.dedup_key is None else (own, (NAME, incident.dedup_key))
