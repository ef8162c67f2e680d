"""One course of events by one set of rules: judged in order as routing does, with clocks and silences in between."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from datetime import datetime
from operator import itemgetter
from typing import NamedTuple
from uuid import UUID

from inbox.domain.routing import RoutingOutcome
from inbox.domain.silences import CompiledSilence, active_silence, views
from inbox.domain.state_machine import RESOLVED, SILENCED
from inbox.domain.subject import Subject
from inbox.flow.coverage import hush, release
from inbox.flow.hearing import Case, Court
from inbox.flow.judge import judge
from inbox.flow.preview.clock import Clock
from inbox.flow.preview.realm import Realm
from inbox.flow.preview.tally import Listener, Tally
from inbox.flow.rulebook import Rulebook
from inbox.models.deliveries.recipients import Recipient
from inbox.models.events.preview_events import StoredEvent
from inbox.models.incidents.lock import IncidentRow


class Come(NamedTuple):
    """What was decided of an event, and what came of it."""

    case: Case
    fate: RoutingOutcome


class Course:
    """What would have happened from `since` on, nothing being open then and nobody reacting.

    Events come in the order of time, each is routed at the moment at which it was received. Without `clocks` no timer
    rings and no silence turns. The `listener` hears of each notice; of each incident they come in their order.
    """

    def __init__(
        self,
        workspace_id: UUID,
        book: Rulebook,
        ears: Mapping[UUID, Recipient],
        since: datetime,
        *,
        clocks: bool = True,
        listener: Listener | None = None,
    ) -> None:
        self.book = book
        self.tally = Tally(workspace_id, book, ears, since, listener)
        self._has_clocks, self._clock = clocks, Clock(self.tally)
        self.world = Realm(self._clock.ring if clocks else lambda incident: incident)
        self._turns = deque(_turns(book.hushes, since) if clocks else ())

    def meet(self, case: Case) -> Come:
        """The next event."""
        at, tally = case.event.received_at, self.tally
        if self._turns:
            self.arrive(at)
        elif at > tally.now:
            tally.now = tally.plans.now = at
        fate = judge(case, self.world, tally)
        if self.book.hushes and fate.incident_id is not None:
            life = tally.lives[fate.incident_id]
            life.latest = None if life.incident.state_values.state is RESOLVED else case
        return tuple.__new__(Come, (case, fate))

    def take_over(self, incident: IncidentRow, other: Course) -> None:
        """An incident goes on here as it stands in another course of this moment."""
        own = copy(incident)
        self.world.know(own)
        self.tally.take_over(own, other.tally)

    def forget(self, incident: IncidentRow) -> None:
        """An incident goes on elsewhere only."""
        self.world.forget(incident)
        self.tally.forget(incident.id)

    def arrive(self, moment: datetime) -> None:
        """It is this time, and never goes back: silences turn at theirs, timers ring when their incident is looked at."""
        turns, tally = self._turns, self.tally
        while turns and turns[0][0] <= moment:
            at, silence = turns.popleft()
            for _ in self._clock.ring_all(at - datetime.resolution):
                pass
            tally.set_to(max(at, tally.now))
            self._turn(silence)
        if moment > tally.now:
            tally.set_to(moment)

    def pass_to(self, moment: datetime) -> Iterator[None]:
        """Time goes by, and all that is due rings; pauses now and then."""
        self.arrive(moment)
        if self._has_clocks:
            yield from self._clock.ring_all(moment)

    def let_go(self) -> None:
        """Incidents that no event meets any more ring for the last time; call it now and then."""
        if self._has_clocks:
            self._clock.let_go()

    def _turn(self, silence: CompiledSilence) -> None:
        """As `silences.turn`: it lets go what it does not cover any more, then takes what it matches."""
        tally, holds = self.tally, silence.active.covers(self.tally.now)
        others = [each for each in self.book.hushes if each.id != silence.id]
        for life in tally.lives.values():
            incident = life.incident
            if incident.state_values.state is RESOLVED:
                continue
            assert life.latest is not None
            seen = _views(incident, life.latest)
            takes = holds and silence.matches_source_and_event(seen, incident.source_id)
            if incident.state_values.silenced_by == silence.id and not takes:
                release(incident, active_silence(others, seen, incident.source_id, tally.now), tally)
            elif takes and incident.state_values.state is not SILENCED:
                hush(incident, silence.id, tally)


def _turns(hushes: Iterable[CompiledSilence], since: datetime) -> list[tuple[datetime, CompiledSilence]]:
    """When each silence begins and ends, in the order of time."""
    every = ((moment, hush) for hush in hushes for piece in hush.active.periods for moment in piece if moment >= since)
    return sorted(every, key=itemgetter(0))


def _views(incident: IncidentRow, case: Case) -> tuple[Subject, ...]:
    """An incident as silences see it (`silences.Seen`): by itself and by its newest event, with what rules made of that."""
    assert case.subject is not None
    return views(
        incident, incident.state_values.severity, case.subject._replace(severity=incident.state_values.last_severity)
    )


def subject_of(event: StoredEvent, court: Court) -> Subject:
    """The event as rules see it: from severity to tags it is the same in the same order."""
    return tuple.__new__(Subject, event[4:11] + court.names + event.details)
