"""Simulation of the notices of an incident to which nobody reacts, with the same rules as routing.

Specification 6.10.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

from inbox.domain.escalation import advance, start_or_resume
from inbox.domain.fallback import ALARMS
from inbox.domain.incident import Actor, Incident, replace_fast, resolve_values
from inbox.domain.notices import UPDATES, Cause, Floor, RecipientState, decide
from inbox.domain.notification_plan import (
    AUTO_RESOLVE,
    DELAY,
    RENOTIFY,
    STEP,
    NotificationPlan,
    due,
    missed_floor,
    step_recipients,
    taken_steps,
)
from inbox.domain.profiles import Step
from inbox.domain.quiet_hours import is_deferred
from inbox.domain.severity import Severity
from inbox.domain.state_machine import Reason, State
from inbox.domain.windows import QuietHours

AHEAD = timedelta(hours=24)
"""The simulated period."""

_IN_ORDER = (AUTO_RESOLVE, DELAY, STEP, RENOTIFY)
_UNREACHABLE = frozenset({Cause.DISABLED, Cause.STOPPED})


@dataclass(frozen=True, slots=True)
class SimulatedDestination:
    """A destination with its current settings; `threshold` is that of quiet hours."""

    id: UUID
    name: str
    listener: RecipientState
    threshold: Severity | None


@dataclass(frozen=True, slots=True)
class SimulationInput:
    """The input of the simulation. `fallbacks` are tried in their order. `owners` is the name of the owners' mail when
    mail can be sent."""

    destinations: Mapping[UUID, SimulatedDestination]
    quiet: QuietHours
    fallbacks: tuple[UUID, ...] = ()
    owners: str | None = None


@dataclass(frozen=True, slots=True)
class ConsideredDestination:
    """The decision for one destination of a notice.

    `held_until` is the end of the quiet hours that defer the notice, `floor` the missed minimum severity. Without an id
    it is a mail to the owners.
    """

    id: UUID | None
    name: str
    decision: Cause
    held_until: datetime | None = None
    floor: Floor | None = None


@dataclass(frozen=True, slots=True)
class PredictedNotice:
    """A notice with its time. `step` is the last step that it reaches; None for a notice without a step."""

    at: datetime
    reason: Reason
    step: Step | None
    destinations: tuple[ConsideredDestination, ...]


def predict(plan: NotificationPlan, severity: Severity, at: datetime, scene: SimulationInput) -> list[PredictedNotice]:
    """The notices of an incident of this severity that opens at `at`, for the next `AHEAD`, in the order of time.

    Nobody reacts and no other event arrives. Destinations missing in the input are skipped.
    """
    born = Incident(State.OPEN, severity, severity, first_seen_at=at, last_seen_at=at, opened_at=at)
    play = _Simulation(plan, scene, start_or_resume(plan, None, born, at))
    if play.incident.steps_taken:
        play.notify(Reason.OPENED, taken_steps(plan, play.incident), at)
    while play.incident.state is State.OPEN:
        timers = due(plan, play.incident)
        kind = min(timers, key=lambda kind: (timers[kind], _IN_ORDER.index(kind)), default=None)
        if kind is None or timers[kind] > at + AHEAD:
            break
        play.run_timer(kind, timers[kind])
    return play.notices


@dataclass(slots=True)
class _Simulation:
    plan: NotificationPlan
    input: SimulationInput
    incident: Incident
    notified: dict[UUID, None] = field(default_factory=dict)
    notices: list[PredictedNotice] = field(default_factory=list)

    def run_timer(self, kind: str, at: datetime) -> None:
        """Run one timer of the incident."""
        before = self.incident
        if kind == AUTO_RESOLVE:
            self.incident = replace_fast(before, state=State.RESOLVED, **resolve_values(at, Actor("timer")))
            self.notify(Reason.RESOLVED, taken_steps(self.plan, before), at)
        elif kind == RENOTIFY:
            self.incident = replace_fast(before, renotified=before.renotified + 1)
            self.notify(Reason.RENOTIFY, taken_steps(self.plan, before), at)
        else:
            self.incident = advance(self.plan, before, at)
            passed = self.plan.steps[before.steps_taken : self.incident.steps_taken]
            if kind == DELAY:
                self.notify(Reason.OPENED, passed, at)
            elif any(step.accepts(before.severity) for step in passed):
                self.notify(Reason.ESCALATED, passed, at)

    def notify(self, reason: Reason, steps: Sequence[Step], at: datetime) -> None:
        """Add a notice to the destinations of these steps. An end goes to all destinations notified before. A fallback
        follows if needed."""
        wanted = step_recipients(steps, self.incident.severity)
        if reason in UPDATES:
            wanted |= dict.fromkeys(self.notified, True)
        told = self._considered(reason, wanted, at, steps)
        step = steps[-1] if reason in (Reason.OPENED, Reason.ESCALATED) else None
        self.notices.append(PredictedNotice(at, reason, step, told))
        if reason not in ALARMS:
            return
        self.incident = replace_fast(self.incident, told_at=at)
        if _UNREACHABLE.issuperset(one.decision for one in told) and (told or not self._is_notified_later()):
            self._fall_back(wanted, at)

    def _is_notified_later(self) -> bool:
        later = self.plan.steps[self.incident.steps_taken :]
        return any(step.destination_ids and step.accepts(self.incident.severity) for step in later)

    def _fall_back(self, tried: Container[UUID], at: datetime) -> None:
        """Add the fallback once: to the first reachable untried destination, else to the owners.

        Without both, the first untried destination is recorded although it is unreachable.
        """
        if any(notice.reason is Reason.FALLBACK for notice in self.notices):
            return
        untried = [
            self.input.destinations[id]
            for id in self.input.fallbacks
            if id in self.input.destinations and id not in tried
        ]
        fit = [place for place in untried if place.listener.enabled and not place.listener.stopped]
        meant = {place.id: True for place in (fit if fit or self.input.owners else untried)[:1]}
        told = self._considered(Reason.FALLBACK, meant, at, ())
        if not fit and self.input.owners:
            told = (ConsideredDestination(None, self.input.owners, Cause.MAILED),)
        if told:
            self.notices.append(PredictedNotice(at, Reason.FALLBACK, None, told))

    def _considered(
        self, reason: Reason, wanted: Mapping[UUID, bool], at: datetime, steps: Sequence[Step]
    ) -> tuple[ConsideredDestination, ...]:
        known = (
            (self.input.destinations[id], is_wanted)
            for id, is_wanted in wanted.items()
            if id in self.input.destinations
        )
        return tuple(self._consider(place, reason, is_wanted, at, steps) for place, is_wanted in known)

    def _consider(
        self, place: SimulatedDestination, reason: Reason, is_wanted: bool, at: datetime, steps: Sequence[Step]
    ) -> ConsideredDestination:
        severity = self.incident.severity
        hushed = is_deferred(place.threshold, severity, respects_quiet_hours=self.plan.obeys_quiet_hours)
        until = self.input.quiet.until(at) if hushed else None
        listener = place.listener._replace(heard=place.id in self.notified, wanted=is_wanted, quiet=until is not None)
        cause = decide(listener, reason, severity)
        if cause in (Cause.NOTIFY, Cause.STOPPED, Cause.QUIET_HOURS):
            self.notified[place.id] = None
        is_below = cause is Cause.BELOW_MIN_SEVERITY
        floor = missed_floor(place.id, listener.min_severity, steps, severity) if is_below else None
        return ConsideredDestination(place.id, place.name, cause, until if cause is Cause.QUIET_HOURS else None, floor)
