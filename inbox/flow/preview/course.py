"""One course of events by one set of rules: judged in order as routing does, with clocks and silences in between."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from inbox.domain.moves import SILENCED
from inbox.domain.routing import Fate
from inbox.domain.silences import Hush, silencer
from inbox.flow.clocks import ACTS, Turn
from inbox.flow.hearing import Case, Court, Subject
from inbox.flow.judge import judge
from inbox.flow.plans import timers_of
from inbox.flow.preview.clock import Clock
from inbox.flow.preview.realm import Realm
from inbox.flow.preview.tally import Listener, Tally
from inbox.flow.rulebook import Rulebook
from inbox.flow.silences import hush, release
from inbox.models.past import Past
from inbox.models.standing import Standing
from inbox.models.telling import Ear


class Come(NamedTuple):
    """What was decided of an event, and what came of it."""

    case: Case
    fate: Fate


class Course:
    """What would have happened from `since` on, nothing being open then and nobody reacting.

    Events come in the order of time, each is routed at the moment at which it was received. Without `clocks` no timer
    rings and no silence turns. The `listener` hears of each notice.
    """

    def __init__(
        self,
        workspace_id: UUID,
        book: Rulebook,
        ears: Mapping[UUID, Ear],
        since: datetime,
        *,
        clocks: bool = True,
        listener: Listener | None = None,
    ) -> None:
        self.book = book
        self._clock = Clock(book.hushes, since) if clocks else None
        self.tally = Tally(workspace_id, book, ears, since, self._clock, listener)
        self.world = Realm()
        self._latest: dict[UUID, Case] = {}

    def meet(self, case: Case) -> Come:
        """The next event."""
        at = case.event.received_at
        if self._clock is not None and self._clock.rings_by(at):
            self.pass_to(at)
        else:
            self.tally.pass_to(at)
        fate = judge(case, self.world, self.tally)
        self.tally.wind()
        if fate.incident_id is not None and self._clock is not None and self.book.hushes:
            if fate.incident_id in self.tally.unresolved:
                self._latest[fate.incident_id] = case
            else:
                self._latest.pop(fate.incident_id, None)
        return tuple.__new__(Come, (case, fate))

    def take_over(self, incident: Standing, other: Course) -> None:
        """An incident goes on here as it stands in another course of this moment."""
        own = copy(incident)
        self.world.know(own)
        self.tally.take_over(own, other.tally)
        if self._clock is not None and other._clock is not None:
            self._clock.take_over(own, other._clock)
        if own.id in other._latest:
            self._latest[own.id] = other._latest[own.id]

    def forget(self, incident: Standing) -> None:
        """An incident goes on elsewhere only."""
        self.world.forget(incident)
        self.tally.forget(incident.id)
        if self._clock is not None:
            self._clock.forget(incident.id)
        self._latest.pop(incident.id, None)

    def pass_to(self, moment: datetime) -> None:
        """Time goes by; what is due rings at its time."""
        tally = self.tally
        if self._clock is not None:
            for at, _, kind, subject in self._clock.rung(moment):
                tally.pass_to(at)
                self._ring(kind, subject)
                tally.wind()
        tally.pass_to(moment)

    def _ring(self, kind: str, subject: Standing | Hush) -> None:
        """As `clocks.on_turn`: what is due by now is done, what is due later is set anew."""
        if isinstance(subject, Hush):
            self._turn(subject)
            return
        incident, tally = subject, self.tally
        plan = tally.plan_of(incident)
        due_at = timers_of(plan, incident.now).get(kind)
        if due_at is not None and due_at <= tally.now:
            ACTS[kind](Turn(incident, plan, tally))
        elif due_at is not None and self._clock is not None:
            self._clock.wind(incident, plan)

    def _turn(self, silence: Hush) -> None:
        """As `silences.turn`: it lets go what it does not cover any more, then takes what it matches."""
        tally, holds = self.tally, silence.span.covers(self.tally.now)
        others = [each for each in self.book.hushes if each.id != silence.id]
        for incident in list(tally.unresolved.values()):
            subject = self._newest(incident)
            takes = holds and silence.takes(subject, incident.source_id)
            if incident.now.silenced_by == silence.id and not takes:
                release(incident, silencer(others, subject, incident.source_id, tally.now), tally)
            elif takes and incident.now.state is not SILENCED:
                hush(incident, silence.id, tally)

    def _newest(self, incident: Standing) -> Subject:
        """An incident as silences see it (`silences.Newest`): by its newest event, with what rules made of it."""
        case = self._latest[incident.id]
        assert case.subject is not None
        tags = tuple({*incident.tags, *case.event.tags})
        return case.subject._replace(severity=incident.now.last_severity, tags=tags)


def subject_of(event: Past, court: Court) -> Subject:
    """The event as rules see it: from severity to tags it is the same in the same order."""
    return tuple.__new__(Subject, (*event[4:11], court.source_id, court.source_name, *event.details))
