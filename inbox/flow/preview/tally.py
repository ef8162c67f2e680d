"""A preview's book: what comes of incidents and who would be told, counted instead of written (decision 8)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any
from uuid import UUID

from inbox.domain import ladder
from inbox.domain.answers import Answers
from inbox.domain.incident import Actor, Escalation, Incident
from inbox.domain.moves import RESOLVED, Reason
from inbox.domain.plan import Plan
from inbox.domain.preview.night import Night
from inbox.domain.profiles import Step
from inbox.domain.withheld import owed
from inbox.flow.audience import Audience, Decided, Telling, Verdict
from inbox.flow.notify import News
from inbox.flow.plans import Plans
from inbox.flow.preview.clock import Clock
from inbox.flow.rulebook import Rulebook
from inbox.models.standing import Standing
from inbox.models.telling import Ear

KEPT = 1_000
"""Of so many sources it is remembered how they are named."""

Listener = Callable[[Reason, Sequence[Verdict], Standing | None], None]
"""Is told of each notice as it would be written; of no incident: of an event by itself."""


@dataclass(slots=True)
class Totals:
    """How many incidents there would be and how often one opened again; how many notices that somebody gets, at once or
    when quiet hours end (`held`), and how many of those that are sent at once at night; `deliveries` counts each
    destination."""

    incidents: int = 0
    reopened: int = 0
    notices: int = 0
    at_night: int = 0
    held: int = 0
    deliveries: int = 0
    reasons: Counter[str] = field(default_factory=Counter)

    def __add__(self, other: Totals) -> Totals:
        return Totals(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(self)))

    def count(self, reason: Reason, told: Decided, *, night: bool) -> None:
        """One more notice that somebody gets."""
        self.notices += 1
        self.deliveries += told.sent + told.held
        self.reasons[reason] += 1
        if not told.sent:
            self.held += 1
        elif night:
            self.at_night += 1


class _Id(UUID):
    """Of an incident in a course: made once and handed on, so it is known again by itself, which is five times faster."""

    __hash__ = object.__hash__
    __eq__ = object.__eq__


class Tally:
    """What happens to incidents in one course of events; `now` moves on with it (`judge.Book`).

    Only what is unresolved is kept, by id, with the clock of its timers.
    """

    def __init__(
        self,
        workspace_id: UUID,
        book: Rulebook,
        ears: Mapping[UUID, Ear],
        since: datetime,
        clock: Clock | None,
        listener: Listener | None = None,
    ) -> None:
        self.now = since
        self.plans = Plans({workspace_id: book}, since)
        self.totals = Totals()
        self.unresolved: dict[UUID, Standing] = {}
        self._workspace_id = workspace_id
        self._audience = Audience(ears, (), self.plans)
        self._night = Night(book.timezone, book.quiet)
        self._clock = clock
        self._listener = listener
        self._moved: dict[UUID, Standing] = {}
        self._plans_of: dict[UUID, Plan] = {}
        self._made = 0
        self._senders = Answers[str, Actor](lambda source_name: Actor("event", "", source_name), KEPT)

    def pass_to(self, moment: datetime) -> None:
        """Time goes by, and never back."""
        if moment > self.now:
            self.now = self.plans.now = moment

    def wind(self) -> None:
        """Set the timers of what moved, once all that was done is done."""
        if not self._moved:
            return
        if self._clock is not None:
            for id, incident in self._moved.items():
                self._clock.wind(incident, self._plans_of[id])
        self._moved.clear()

    def make_id(self) -> UUID:
        """An id for this course only."""
        self._made += 1
        return _Id(int=self._made)

    def sender(self, event_id: UUID, source_name: str) -> Actor:
        """An event; nobody reads which."""
        return self._senders[source_name]

    def plan_of(self, incident: Standing) -> Plan:
        """The plan by which it opened: what it is made of changes only then."""
        return self._plans_of[incident.id]

    def moved(self, incident: Standing, after: Incident) -> None:
        """As `Ledger.moved`."""
        id, before = incident.id, None if incident.is_new else incident.now
        if before is None or before.state is RESOLVED:
            plan = self._plans_of[id] = self.plans.of(incident)
            if after.state is not RESOLVED:
                self.totals.incidents += before is None
                self.totals.reopened += before is not None
                self.unresolved[id] = incident
        else:
            plan = self._plans_of[id]
            if after.state is RESOLVED:
                del self.unresolved[id]
        incident.is_new = False
        incident.now = ladder.follow(plan, before, after, self.now)
        self._moved[id] = incident

    def counted(self, incident: Standing, after: Incident) -> None:
        """As `Ledger.counted`."""
        incident.now = after

    def enter(
        self, incident: Standing, kind: str, actor: Actor, details: Mapping[str, Any], *, event_id: UUID | None = None
    ) -> None:
        """Nobody reads the timeline of what does not happen."""

    def tell_of(
        self,
        incident: Standing,
        reason: Reason,
        *,
        escalation: Escalation | None = None,
        by: Actor | None = None,
        event_id: UUID | None = None,
        steps: Sequence[Step] | None = None,
    ) -> None:
        """As `Ledger.tell_of`, decided at once."""
        then = incident.now
        told = owed(then, reason, self.now)
        if told is None:
            return
        incident.now = told
        incident.notice_count += 1
        plan, seq = self._plans_of[incident.id], incident.notice_count
        telling = Telling(incident, then, plan, reason, seq, None, None, None, steps)
        self._notice(reason, self._audience.decided(telling), incident)

    def inform(self, news: News) -> None:
        """As `Ledger.inform`, decided at once."""
        plan = self.plans.by(self._workspace_id, news.routing_profile_id, news.destination_ids)
        decided = self._audience.decided_of_news(self._workspace_id, plan, news.severity, news.withheld)
        self._notice(Reason.INFORMATIONAL, decided, None)

    def take_over(self, incident: Standing, other: Tally) -> None:
        """What is known elsewhere of an incident is known here."""
        self._plans_of[incident.id] = other._plans_of[incident.id]
        self._audience.take_over(incident.id, other._audience)
        if incident.id in other.unresolved:
            self.unresolved[incident.id] = incident

    def forget(self, incident_id: UUID) -> None:
        """Nothing happens to this incident any more."""
        del self._plans_of[incident_id]
        self._audience.forget(incident_id)
        self.unresolved.pop(incident_id, None)

    def _notice(self, reason: Reason, told: Decided, incident: Standing | None) -> None:
        if told.sent or told.held:
            self.totals.count(reason, told, night=self._night.covers(self.now))
        if self._listener is not None:
            self._listener(reason, told.verdicts, incident)
