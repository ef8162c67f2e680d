"""What would be told of an incident to which nobody reacts: its plan played ahead, by the rules that route.

Specification 6.10.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

from inbox.domain.incident import Actor, Incident, changed, over
from inbox.domain.ladder import climbed, follow
from inbox.domain.moves import Reason, State
from inbox.domain.notices import UPDATES, Cause, Floor, Listener, consider
from inbox.domain.plan import AUTO_RESOLVE, HOLD, RENOTIFY, STEP, Plan, concerned, due, missed_floor, reached
from inbox.domain.profiles import Step
from inbox.domain.quiet import is_hushed
from inbox.domain.severity import Severity
from inbox.domain.unheard import ALARMS
from inbox.domain.windows import QuietHours

AHEAD = timedelta(hours=24)
"""How far it looks."""

_IN_ORDER = (AUTO_RESOLVE, HOLD, STEP, RENOTIFY)
_DEAF = frozenset({Cause.DISABLED, Cause.STOPPED})


@dataclass(frozen=True, slots=True)
class Place:
    """A destination as it is set now; `threshold` is that of quiet hours."""

    id: UUID
    name: str
    listener: Listener
    threshold: Severity | None


@dataclass(frozen=True, slots=True)
class Scene:
    """What the plan is played in. `fallbacks` are asked in their order, `owners` is what they are called if mail can reach
    them."""

    places: Mapping[UUID, Place]
    quiet: QuietHours
    fallbacks: tuple[UUID, ...] = ()
    owners: str | None = None


@dataclass(frozen=True, slots=True)
class Considered:
    """What becomes of a notice for one destination; `held_until` is the end of the quiet hours for which it waits, `floor`
    the severity that was not reached.

    Without an id it is a mail to the owners.
    """

    id: UUID | None
    name: str
    decision: Cause
    held_until: datetime | None = None
    floor: Floor | None = None


@dataclass(frozen=True, slots=True)
class Foreseen:
    """A notice at its time. `step` is the last one that it reaches; None when it is not for a step that it is sent."""

    at: datetime
    reason: Reason
    step: Step | None
    destinations: tuple[Considered, ...]


def foresee(plan: Plan, severity: Severity, at: datetime, scene: Scene) -> list[Foreseen]:
    """The notices of an incident of this severity that opens at `at`, for the next `AHEAD`, in the order of their times.

    Nobody reacts and no other event comes. Destinations that are not among the places are passed over.
    """
    born = Incident(State.OPEN, severity, severity, first_seen_at=at, last_seen_at=at, opened_at=at)
    play = _Play(plan, scene, follow(plan, None, born, at))
    if play.incident.steps_taken:
        play.tell(Reason.OPENED, reached(plan, play.incident), at)
    while play.incident.state is State.OPEN:
        timers = due(plan, play.incident)
        kind = min(timers, key=lambda kind: (timers[kind], _IN_ORDER.index(kind)), default=None)
        if kind is None or timers[kind] > at + AHEAD:
            break
        play.ring(kind, timers[kind])
    return play.notices


@dataclass(slots=True)
class _Play:
    plan: Plan
    scene: Scene
    incident: Incident
    heard: dict[UUID, None] = field(default_factory=dict)
    notices: list[Foreseen] = field(default_factory=list)

    def ring(self, kind: str, at: datetime) -> None:
        """What a timer of the incident does."""
        before = self.incident
        if kind == AUTO_RESOLVE:
            self.incident = changed(before, state=State.RESOLVED, **over(at, Actor("timer")))
            self.tell(Reason.RESOLVED, reached(self.plan, before), at)
        elif kind == RENOTIFY:
            self.incident = changed(before, renotified=before.renotified + 1)
            self.tell(Reason.RENOTIFY, reached(self.plan, before), at)
        else:
            self.incident = climbed(self.plan, before, at)
            passed = self.plan.steps[before.steps_taken : self.incident.steps_taken]
            if kind == HOLD:
                self.tell(Reason.OPENED, passed, at)
            elif any(step.wants(before.severity) for step in passed):
                self.tell(Reason.ESCALATED, passed, at)

    def tell(self, reason: Reason, steps: Sequence[Step], at: datetime) -> None:
        """A notice to the destinations of these steps and, of the end, to all that heard; with its fallback."""
        wanted = concerned(steps, self.incident.severity)
        if reason in UPDATES:
            wanted |= dict.fromkeys(self.heard, True)
        told = self._considered(reason, wanted, at, steps)
        step = steps[-1] if reason in (Reason.OPENED, Reason.ESCALATED) else None
        self.notices.append(Foreseen(at, reason, step, told))
        if reason not in ALARMS:
            return
        self.incident = changed(self.incident, told_at=at)
        if _DEAF.issuperset(one.decision for one in told) and (told or not self._is_told_later()):
            self._fall_back(wanted, at)

    def _is_told_later(self) -> bool:
        later = self.plan.steps[self.incident.steps_taken :]
        return any(step.destination_ids and step.wants(self.incident.severity) for step in later)

    def _fall_back(self, tried: Container[UUID], at: datetime) -> None:
        """Once: to the first that can hear and was not asked already, else to the owners, else it is tried in vain."""
        if any(notice.reason is Reason.FALLBACK for notice in self.notices):
            return
        untried = [self.scene.places[id] for id in self.scene.fallbacks if id in self.scene.places and id not in tried]
        fit = [place for place in untried if place.listener.enabled and not place.listener.stopped]
        meant = {place.id: True for place in (fit if fit or self.scene.owners else untried)[:1]}
        told = self._considered(Reason.FALLBACK, meant, at, ())
        if not fit and self.scene.owners:
            told = (Considered(None, self.scene.owners, Cause.MAILED),)
        if told:
            self.notices.append(Foreseen(at, Reason.FALLBACK, None, told))

    def _considered(
        self, reason: Reason, wanted: Mapping[UUID, bool], at: datetime, steps: Sequence[Step]
    ) -> tuple[Considered, ...]:
        known = ((self.scene.places[id], is_wanted) for id, is_wanted in wanted.items() if id in self.scene.places)
        return tuple(self._consider(place, reason, is_wanted, at, steps) for place, is_wanted in known)

    def _consider(
        self, place: Place, reason: Reason, is_wanted: bool, at: datetime, steps: Sequence[Step]
    ) -> Considered:
        severity = self.incident.severity
        hushed = is_hushed(place.threshold, severity, obeys=self.plan.obeys_quiet_hours)
        until = self.scene.quiet.until(at) if hushed else None
        listener = place.listener._replace(heard=place.id in self.heard, wanted=is_wanted, quiet=until is not None)
        cause = consider(listener, reason, severity)
        if cause in (Cause.NOTIFY, Cause.STOPPED, Cause.QUIET_HOURS):
            self.heard[place.id] = None
        is_below = cause is Cause.BELOW_MIN_SEVERITY
        floor = missed_floor(place.id, listener.min_severity, steps, severity) if is_below else None
        return Considered(place.id, place.name, cause, until if cause is Cause.QUIET_HOURS else None, floor)
