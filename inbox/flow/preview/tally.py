"""A preview's book: what comes of incidents and who would be told, counted instead of written (specification 6.9)."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any
from uuid import UUID

from inbox.domain import escalation as domain_escalation
from inbox.domain.bounded_cache import BoundedCache
from inbox.domain.incident import Actor, Escalation, Incident
from inbox.domain.notices import PLAIN, Traits
from inbox.domain.preview.night_hours import Night
from inbox.domain.profiles import Step
from inbox.domain.state_machine import RESOLVED, Reason
from inbox.domain.suppression import mark_notified
from inbox.flow.audience import Audience, Decided, Telling, Verdict
from inbox.flow.notify import News
from inbox.flow.plans import Plans
from inbox.flow.preview.life import NEVER, Life
from inbox.flow.rulebook import Rulebook
from inbox.models.deliveries.recipients import Recipient
from inbox.models.incidents.lock import IncidentRow

KEPT = 1_000
"""Of so many sources it is remembered how they are named."""

Listener = Callable[[Reason, Sequence[Verdict], IncidentRow | None], None]
"""Is told of each notice as it would be written; of no incident: of an event by itself."""


Alike = tuple[Reason, int, int, bool]
"""Notices of one reason that so many get at once, and so many later, at night or not."""


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

    def with_notices(self, counted: Mapping[Alike, int]) -> Totals:
        """With so many notices more."""
        more = Totals()
        for (reason, sent, held, night), n in counted.items():
            more.notices += n
            more.deliveries += n * (sent + held)
            more.reasons[reason] += n
            more.held += 0 if sent else n
            more.at_night += n if sent and night else 0
        return self + more


class _Id(UUID):
    """Of an incident in a course: made once and handed on, so it is known again by itself, which is five times faster."""

    __hash__ = object.__hash__
    __eq__ = object.__eq__


class Tally:
    """What happens to incidents in one course of events, at `state_values` (`judge.Book`).

    `lives` are the incidents by id, `left` those of them that no event meets any more and that wait to be calm.
    """

    keeps_timelines = False

    def __init__(
        self,
        workspace_id: UUID,
        book: Rulebook,
        ears: Mapping[UUID, Recipient],
        since: datetime,
        listener: Listener | None = None,
    ) -> None:
        self.now = since
        self.plans = Plans({workspace_id: book}, since)
        self.lives: dict[UUID, Life] = {}
        self.left: deque[Life] = deque()
        self._workspace_id = workspace_id
        self._audience = Audience(ears, (), self.plans)
        self._night = Night(book.timezone, book.quiet)
        self._listener = listener
        self._made = self._reopened = 0
        self._counted: Counter[Alike] = Counter()
        self._senders = BoundedCache[str, Actor](lambda source_name: Actor("event", "", source_name), KEPT)

    @property
    def totals(self) -> Totals:
        """All of it in numbers."""
        return Totals(incidents=self._made, reopened=self._reopened).with_notices(self._counted)

    def set_to(self, moment: datetime) -> None:
        """What is done next is done at this time."""
        self.now = self.plans.now = moment

    def make_id(self) -> UUID:
        """An id for this course only."""
        self._made += 1
        return _Id(int=self._made)

    def sender(self, event_id: UUID, source_name: str) -> Actor:
        """An event; nobody reads which."""
        return self._senders[source_name]

    def moved(self, incident: IncidentRow, after: Incident) -> None:
        """As `Ledger.moved`. It goes by the plan by which it opened: what that is made of changes only then."""
        before = None if incident.is_new else incident.state_values
        if before is None:
            life = self._begin(incident)
        else:
            life = self.lives[incident.id]
            if before.state is RESOLVED and after.state is not RESOLVED:
                life.plan = self.plans.of(incident)
                self._reopened += 1
        life.due = self.now
        incident.state_values = domain_escalation.start_or_resume(life.plan, before, after, self.now)

    def counted(self, incident: IncidentRow, after: Incident) -> None:
        """As `Ledger.counted`."""
        incident.state_values = after

    def enter(
        self,
        incident: IncidentRow,
        kind: str,
        actor: Actor,
        details: Mapping[str, Any],
        *,
        event_id: UUID | None = None,
    ) -> None:
        """Nobody reads the timeline of what does not happen."""

    def tell_of(
        self,
        incident: IncidentRow,
        reason: Reason,
        *,
        escalation: Escalation | None = None,
        by: Actor | None = None,
        event_id: UUID | None = None,
        steps: Sequence[Step] | None = None,
        traits: Traits = PLAIN,
    ) -> None:
        """As `Ledger.tell_of`, decided at once."""
        then = incident.state_values
        told = mark_notified(then, reason, self.now)
        if told is None:
            return
        incident.state_values = told
        incident.notice_count += 1
        plan, seq = self.lives[incident.id].plan, incident.notice_count
        telling = Telling(incident, then, plan, reason, seq, steps=steps, traits=traits)
        self._notice(reason, self._audience.decided(telling), incident)

    def inform(self, news: News) -> None:
        """As `Ledger.inform`, decided at once."""
        plan = self.plans.by(self._workspace_id, news.routing_profile_id, news.destination_ids)
        decided = self._audience.decided_of_news(self._workspace_id, plan, news.severity, news.withheld)
        self._notice(Reason.INFORMATIONAL, decided, None)

    def take_over(self, incident: IncidentRow, other: Tally) -> None:
        """What is known elsewhere of an incident is known here."""
        life = other.lives[incident.id]
        self.lives[incident.id] = Life(incident, life.plan, life.due, life.latest)
        self._audience.take_over(incident.id, other._audience)

    def forget(self, incident_id: UUID) -> None:
        """Nothing happens to this incident any more."""
        del self.lives[incident_id]
        self._audience.forget(incident_id)

    def _begin(self, incident: IncidentRow) -> Life:
        """A new incident; the one that it follows, if any, is met by no event any more."""
        followed = incident.related_incident_id
        if followed is not None:
            life = self.lives[followed]
            life.left = True
            if life.due is NEVER:
                self.forget(followed)
            else:
                self.left.append(life)
        incident.is_new = False
        life = self.lives[incident.id] = Life(incident, self.plans.of(incident), self.now)
        return life

    def _notice(self, reason: Reason, told: Decided, incident: IncidentRow | None) -> None:
        if told.sent or told.held:
            self._counted[reason, told.sent, told.held, self._night.covers(self.now)] += 1
        if self._listener is not None:
            self._listener(reason, told.verdicts, incident)
