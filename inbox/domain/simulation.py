"""What would be told of an incident to which nobody reacts: its plan played ahead, by the rules that route (decision 8)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

from inbox.domain.incident import Actor, Incident, over
from inbox.domain.ladder import climbed, follow
from inbox.domain.moves import Reason, State
from inbox.domain.notices import UPDATES, Cause, Listener, consider
from inbox.domain.plan import AUTO_RESOLVE, HOLD, RENOTIFY, STEP, Plan, concerned, due, reached
from inbox.domain.profiles import Step
from inbox.domain.quiet import is_hushed
from inbox.domain.severity import Severity
from inbox.domain.windows import QuietHours

AHEAD = timedelta(hours=24)
"""How far it looks."""

_IN_ORDER = (AUTO_RESOLVE, HOLD, STEP, RENOTIFY)


@dataclass(frozen=True, slots=True)
class Place:
    """A destination as it is set now; `threshold` is that of quiet hours."""

    id: UUID
    name: str
    listener: Listener
    threshold: Severity | None


@dataclass(frozen=True, slots=True)
class Considered:
    """What becomes of a notice for one destination; `held_until` is the end of the quiet hours for which it waits."""

    id: UUID
    name: str
    decision: Cause
    held_until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Foreseen:
    """A notice at its time. `step` is the last one that it reaches; None when it is not for a step that it is sent."""

    at: datetime
    reason: Reason
    step: Step | None
    destinations: tuple[Considered, ...]


@dataclass(slots=True)
class _Play:
    plan: Plan
    places: Mapping[UUID, Place]
    quiet: QuietHours
    incident: Incident
    heard: set[UUID]

    def step(self, reason: Reason, before: Incident, at: datetime) -> Foreseen | None:
        """What the steps that were just passed are told; None when none of them wants it."""
        passed = self.plan.steps[before.steps_taken : self.incident.steps_taken]
        wanting = [step for step in passed if step.wants(self.incident.severity)]
        if not passed or (reason is Reason.ESCALATED and not wanting):
            return None
        return self.tell(reason, passed, at, (wanting or passed)[-1])

    def tell(self, reason: Reason, steps: Iterable[Step], at: datetime, step: Step | None = None) -> Foreseen:
        """A notice of the incident to the destinations of these steps, which counts as told."""
        self.incident = replace(self.incident, told_at=at)
        wanted = concerned(steps, self.incident.severity)
        told = [self._consider(self.places[id], reason, at, wants) for id, wants in wanted.items() if id in self.places]
        return Foreseen(at, reason, step, tuple(told))

    def _consider(self, place: Place, reason: Reason, at: datetime, wants: bool) -> Considered:
        severity = self.incident.severity
        cause = consider(replace(place.listener, heard=place.id in self.heard), reason, severity)
        if cause is not Cause.DISABLED and reason not in UPDATES and not wants:
            cause = Cause.BELOW_MIN_SEVERITY
        if cause in (Cause.SENT_TO, Cause.STOPPED):
            self.heard.add(place.id)
        waits = cause is Cause.SENT_TO and is_hushed(place.threshold, severity, obeys=self.plan.obeys_quiet_hours)
        until = self.quiet.until(at) if waits else None
        return Considered(place.id, place.name, Cause.QUIET_HOURS if until else cause, until)


def foresee(
    plan: Plan, severity: Severity, at: datetime, places: Mapping[UUID, Place], quiet: QuietHours
) -> list[Foreseen]:
    """The notices of an incident of this severity that opens at `at`, for the next `AHEAD`, in the order of their times.

    Nobody reacts and no other event comes. Destinations that are not among `places` are passed over.
    """
    born = Incident(State.OPEN, severity, severity, first_seen_at=at, last_seen_at=at, opened_at=at)
    play = _Play(plan, places, quiet, follow(plan, None, born, at), set())
    notices = [play.step(Reason.OPENED, born, at)]
    while play.incident.state is State.OPEN:
        timers = due(plan, play.incident)
        if not timers:
            break
        kind = min(timers, key=lambda kind: (timers[kind], _IN_ORDER.index(kind)))
        if timers[kind] > at + AHEAD:
            break
        notices.append(_ring(play, kind, timers[kind]))
    return [notice for notice in notices if notice is not None]


def _ring(play: _Play, kind: str, at: datetime) -> Foreseen | None:
    before = play.incident
    if kind == AUTO_RESOLVE:
        play.incident = replace(before, state=State.RESOLVED, **over(at, Actor("timer")))
        return play.tell(Reason.RESOLVED, reached(play.plan, before), at)
    if kind == RENOTIFY:
        play.incident = replace(before, renotified=before.renotified + 1)
        return play.tell(Reason.RENOTIFY, reached(play.plan, before), at)
    play.incident = climbed(play.plan, before, at)
    return play.step(Reason.OPENED if kind == HOLD else Reason.ESCALATED, before, at)
