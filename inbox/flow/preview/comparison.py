"""The comparison of two rule sets by a shared simulation and two split simulations (decision 0029)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from operator import attrgetter
from uuid import UUID

from inbox.domain.events.subject import Subject
from inbox.domain.routing.preview.verdict_cache import CachedRuleSets
from inbox.domain.routing.rule_action import INCIDENT
from inbox.flow.preview.recorder import Totals
from inbox.flow.preview.simulation import SimulatedEvent, Simulation
from inbox.flow.routing.evaluate import EvaluatedEvent, Event, evaluate
from inbox.flow.routing.routing_config import RoutingConfig, SourceRouting
from inbox.models.deliveries.recipients import Recipient
from inbox.models.events.preview_events import Period
from inbox.models.events.queue import SourceContext
from inbox.models.incidents.lock import IncidentRow

FINGERPRINT, NAME = "fingerprint", "dedupKey"

IncidentKey = tuple[str, str]
"""The kind (`FINGERPRINT` or `NAME`), and the fingerprint or dedup key, by which an event finds incidents."""


@dataclass(frozen=True, slots=True)
class SourceState:
    """The routing of a source, and its split fingerprints and dedup keys (`names`)."""

    routing: SourceRouting
    fingerprints: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)

    def is_shared(self, evaluated: EvaluatedEvent) -> bool:
        """Returns whether every incident that the event can match is in the shared simulation."""
        event, parted = evaluated.event, self.fingerprints
        is_parted = evaluated.fingerprint in parted or event.fingerprint in parted or event.dedup_key in self.names
        return not is_parted or not _concerns_incident(evaluated)

    def is_split(self, evaluated: EvaluatedEvent) -> bool:
        """Returns whether every incident that the event can match is in the split simulations."""
        event, parted = evaluated.event, self.fingerprints
        is_named = event.dedup_key is None or event.dedup_key in self.names
        return (is_named and evaluated.fingerprint in parted and event.fingerprint in parted) or not _concerns_incident(
            evaluated
        )

    def split(self, key: IncidentKey) -> bool:
        """Marks a key as split. Returns whether it was shared before."""
        kind, text = key
        parted = self.names if kind == NAME else self.fingerprints
        is_new = text not in parted
        parted.add(text)
        return is_new


class Comparison:
    """The results of the same events by the rules before and after.

    The `shared` simulation processes an event once while both rule sets give the same result. When the results differ,
    every incident that the event can match moves to both split simulations, `before` and `after`. Incidents with
    different fingerprints and dedup keys are independent. The totals therefore equal the totals of two simulations that
    are separate from the beginning.
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
        """Compares two configurations that differ only in their rules; `rules` evaluates both rule sets."""
        comparison = [
            Simulation(period.workspace_id, config, recipients, period.since) for config in (before, before, after)
        ]
        return cls(rules, *comparison)

    def add_source(self, origin: SourceContext) -> SourceState:
        """Prepares the source of the events that follow."""
        source = self.sources[origin.source_id.int] = SourceState(self._shared.config.source(origin))
        return source

    def process(self, event: Event, subject: Subject, source: SourceState) -> tuple[SimulatedEvent, SimulatedEvent]:
        """Processes the next event of a source. Returns its results before and after: one object if both are the same.

        1. Evaluate both rule sets.
        2. If the rules give the same result and the incidents are shared, process the event in the shared simulation.
        3. Otherwise split the shared incidents, and process the event in both split simulations.
        """
        verdict_before, instead = self._rules.verdicts(event, subject)
        before = after = evaluate(event, subject, source.routing, verdict_before)
        if verdict_before is not instead:
            after = evaluate(event, subject, source.routing, instead)
        elif source.is_shared(before):
            simulated = self._shared.process(before)
            return simulated, simulated
        if not (source.is_split(before) and source.is_split(after)):
            self._split(source, event, (*_incident_keys(before), *_incident_keys(after)))
        return self._before.process(before), self._after.process(after)

    def run_until(self, moment: datetime) -> Iterator[None]:
        """Runs all timers and silence changes up to a moment. Pauses now and then."""
        for simulation in (self._shared, self._before, self._after):
            yield from simulation.run_until(moment)

    def drop_finished(self) -> None:
        """Runs the last timers of incidents that no event can match, and removes the incidents.

        The caller calls it regularly.
        """
        for simulation in (self._shared, self._before, self._after):
            simulation.drop_finished()

    def totals(self) -> tuple[Totals, Totals]:
        """Returns the totals before and after."""
        shared = self._shared.recorder.totals
        return shared + self._before.recorder.totals, shared + self._after.recorder.totals

    @property
    def fingerprints(self) -> int:
        """The number of fingerprints with incidents, in the larger split simulation. It bounds the memory."""
        split = max(simulation.index.fingerprints for simulation in (self._before, self._after))
        return self._shared.index.fingerprints + split

    def _split(self, source: SourceState, event: Event, keys: Iterable[IncidentKey]) -> None:
        """Moves the incidents of these keys, and all incidents linked to them, from the shared to the split simulations.

        1. Advance all simulations to the moment of the event.
        2. Collect the incidents of each key. Each incident adds its own keys.
        3. Copy the incidents, in the order of their ids, into both split simulations and remove them from the shared
           one.
        """
        for simulation in (self._shared, self._before, self._after):
            deque(simulation.advance_to(event.received_at), maxlen=0)
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
    """Returns whether the event opens or resolves an incident. Other events match no incident."""
    decision = evaluated.decision
    return decision.recovers or decision.target is INCIDENT


def _incident_keys(evaluated: EvaluatedEvent) -> tuple[IncidentKey, ...]:
    """Returns the keys of all incidents that the event can match."""
    if not _concerns_incident(evaluated):
        return ()
    event = evaluated.event
    keys: tuple[IncidentKey, ...] = ((FINGERPRINT, evaluated.fingerprint), (FINGERPRINT, event.fingerprint))
    return keys if event.dedup_key is None else (*keys, (NAME, event.dedup_key))


def _keys_of(incident: IncidentRow) -> tuple[IncidentKey, ...]:
    """Returns the keys by which events find the incident."""
    return (FINGERPRINT, incident.fingerprint), *((NAME, key) for key in incident.alerts)
