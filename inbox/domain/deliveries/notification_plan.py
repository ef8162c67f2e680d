"""The notification plan of an incident: profile merged over workspace settings, timers, and the escalation of its steps.

Specification 6.7.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import groupby
from uuid import UUID

from inbox.domain.deliveries.notices import SeverityFloor
from inbox.domain.incidents.flapping import stable_at
from inbox.domain.incidents.incident import Incident, replace_fast
from inbox.domain.incidents.last_step import LastStep, StepProgress
from inbox.domain.incidents.state_machine import ACKNOWLEDGED, OPEN, RESOLVED, SILENCED, UNRESOLVED
from inbox.domain.routing.people import PageTarget
from inbox.domain.routing.profiles import Profile, Step
from inbox.domain.values.severity import Severity
from inbox.domain.workspaces.settings import WorkspaceSettings

DELAY = "incident.hold"
STEP = "incident.step"
RENOTIFY = "incident.renotify"
ACK_TIMEOUT = "incident.ack_timeout"
AUTO_RESOLVE = "incident.auto_resolve"
FLAPPING_END = "incident.flapping_end"
JOINED = "incident.joined"
TIMERS = frozenset({DELAY, STEP, RENOTIFY, ACK_TIMEOUT, AUTO_RESOLVE, FLAPPING_END, JOINED})
"""The kinds of timers of an incident. An incident has at most one timer of each kind."""

MIN_RENOTIFY_INTERVAL = timedelta(minutes=5)
"""The minimum time between the last step of a round and the first step of the next."""

_MINUTE = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class NotificationPlan:
    """The recipients of an incident and the times of its notices.

    Zero means never. Severities without an entry in `renotify` have no reminders. `steps` contains all repeats, in the
    order of their times. `after` of each step counts from the end of `delay`. Nobody is notified before the first step.
    """

    delay: timedelta
    steps: tuple[Step, ...]
    renotify: Mapping[Severity, timedelta]
    renotify_max: int
    ack_timeout: timedelta
    auto_resolve: timedelta
    reopen_window: timedelta
    reoccur_quiet: timedelta
    joined_quiet: timedelta
    obeys_quiet_hours: bool
    fallback_destination_id: UUID | None

    @property
    def pages_people(self) -> bool:
        """Whether a step names people."""
        return any(step.people for step in self.steps)

    @property
    def first_notice_delay(self) -> timedelta:
        """The time from the opening of an incident to the first step."""
        return self.delay + self.steps[0].after


def plan_of(
    settings: WorkspaceSettings,
    profile: Profile | None,
    destination_ids: Sequence[UUID],
    people: Sequence[PageTarget] = (),
) -> NotificationPlan:
    """Returns the plan of an incident. Without a profile its only step notifies these destinations and people at once.

    With a profile, these recipients were added by rules and are notified at once as well. The caller passes only
    destinations that the profile does not name.
    """
    chosen = profile if profile is not None else Profile(UUID(int=0), "", timedelta(), ())
    at_once = Step(timedelta(), None, tuple(dict.fromkeys(destination_ids)), number=0, people=tuple(people))
    steps = (at_once, *chosen.steps) if destination_ids or people or not chosen.steps else chosen.steps
    every = {Severity(name): timedelta(minutes=m) for name, m in settings.renotify_minutes.items()}
    renotify = {**every, **(chosen.renotify or {})}
    return NotificationPlan(
        delay=chosen.delay,
        steps=expand_repeats(steps, chosen.repeat),
        renotify={severity: pause for severity, pause in renotify.items() if pause},
        renotify_max=settings.renotify_max if chosen.renotify_max is None else chosen.renotify_max,
        ack_timeout=_minutes_or(chosen.ack_timeout, settings.ack_timeout_minutes),
        auto_resolve=_minutes_or(chosen.auto_resolve, settings.auto_resolve_minutes),
        reopen_window=_minutes_or(chosen.reopen_window, settings.reopen_window_minutes),
        reoccur_quiet=timedelta(minutes=settings.reoccur_quiet_minutes),
        joined_quiet=timedelta(minutes=settings.joined_quiet_minutes),
        obeys_quiet_hours=chosen.obeys_quiet_hours,
        fallback_destination_id=chosen.fallback_destination_id or settings.fallback_destination_id,
    )


def _minutes_or(chosen: timedelta | None, minutes: int) -> timedelta:
    return timedelta(minutes=minutes) if chosen is None else chosen


def expand_repeats(steps: Sequence[Step], repeat: int) -> tuple[Step, ...]:
    """Returns the steps once, followed by `repeat` repetitions.

    The pause between two rounds is as long as a round, but at least five minutes.
    """
    took = steps[-1].after - steps[0].after
    period = took + max(took, MIN_RENOTIFY_INTERVAL)
    return tuple(
        replace(step, after=step.after + done * period, round=done + 1) for done in range(repeat + 1) for step in steps
    )


def steps_start(plan: NotificationPlan, incident: Incident) -> datetime:
    """Returns the time from which the steps count: the end of the delay, moved by pauses and late timers.

    Before the first step it follows the present plan, which may have changed since the incident opened.
    """
    last = last_step(incident)
    if last is None or incident.held_until is None:
        return incident.opened_at + plan.delay
    return incident.held_until - timedelta(minutes=last.first_minutes)


def last_step(progress: StepProgress) -> LastStep | None:
    """Returns the last step taken; None before the first one."""
    return None if progress.last_step is None else LastStep(*progress.last_step)


def count_taken(plan: NotificationPlan, progress: StepProgress) -> int:
    """Returns the number of the plan's steps at or before the last step taken.

    The time decides, because the plan changes: a removed or inserted step lets no other step be skipped or repeated.
    """
    last = last_step(progress)
    return 0 if last is None else bisect_right(plan.steps, last.minutes, key=lambda step: whole_minutes(step.after))


def whole_minutes(time: timedelta) -> int:
    """Returns the time in minutes. Steps are due at whole minutes after the delay."""
    return time // _MINUTE


def due(plan: NotificationPlan, incident: Incident) -> dict[str, datetime]:
    """Returns the timers that the incident must have, by kind, with their due times. A time in the past is due at once.

    No other timer exists. Each timer is due only once: a late timer moves the following ones.
    """
    state = incident.state
    timers = _timers_of_open(plan, incident) if state is OPEN else {}
    if state is ACKNOWLEDGED and plan.ack_timeout and incident.acknowledged_at is not None:
        timers[ACK_TIMEOUT] = incident.acknowledged_at + plan.ack_timeout
    if plan.auto_resolve and state in UNRESOLVED:
        timers[AUTO_RESOLVE] = max(incident.last_seen_at, incident.opened_at) + plan.auto_resolve
    joined_at = joined_due_at(plan, incident)
    if joined_at is not None:
        timers[JOINED] = joined_at
    if incident.flapping:
        timers[FLAPPING_END] = stable_at(incident.flips) if incident.flips else incident.opened_at
        if RENOTIFY in timers and timers[RENOTIFY] >= timers[FLAPPING_END]:
            del timers[RENOTIFY]  # the end of flapping is a reminder, too
    return timers


def joined_due_at(plan: NotificationPlan, incident: Incident) -> datetime | None:
    """Returns when the notice about joined alerts is due; None if no alert waits for it or nobody was notified before.

    A silence, flapping and the wait for the first notice keep them waiting: the next notice of the incident names them.
    """
    counts = incident.alerts
    if not counts.joined or incident.flapping or incident.state in (SILENCED, RESOLVED):
        return None
    if incident.notified_at is None or (incident.state is OPEN and not incident.steps_taken):
        return None
    return incident.last_seen_at if counts.joined_at is None else counts.joined_at + plan.joined_quiet


def _timers_of_open(plan: NotificationPlan, incident: Incident) -> dict[str, datetime]:
    notified_at, start, taken = incident.notified_at, steps_start(plan, incident), count_taken(plan, incident)
    if not incident.steps_taken:
        return {DELAY: start + plan.steps[0].after}
    timers = {STEP: start + plan.steps[taken].after} if taken < len(plan.steps) else {}
    pause = plan.renotify.get(incident.severity)
    if pause and notified_at is not None and incident.renotified < plan.renotify_max:
        timers[RENOTIFY] = max(notified_at, incident.opened_at) + pause
    return timers


def taken_steps(plan: NotificationPlan, incident: StepProgress) -> tuple[Step, ...]:
    """Returns the steps taken since the incident last opened, at any severity; empty during the delay.

    Notices go to the steps that `accepts` the current severity. So a raised severity reaches passed steps.
    """
    return plan.steps[: count_taken(plan, incident)]


def first_steps(plan: NotificationPlan) -> tuple[Step, ...]:
    """Returns the steps that are due first, all at the same time."""
    return tuple(step for step in plan.steps if step.after == plan.steps[0].after)


def step_recipients(steps: Iterable[Step], severity: Severity) -> dict[UUID, bool]:
    """Returns the destinations of these steps in order, each once, and whether one of its steps accepts this severity."""
    found: dict[UUID, bool] = {}
    for step in steps:
        for id in step.destination_ids:
            found[id] = found.get(id, False) or step.accepts(severity)
    return found


def missed_min_severity(
    destination_id: UUID, own: Severity | None, steps: Iterable[Step], severity: Severity
) -> SeverityFloor | None:
    """Returns the missed minimum severity: the destination's `own`, else the lowest of the steps that name it."""
    if own is not None and own.rank > severity.rank:
        return SeverityFloor(str(own))
    floors = [
        (step.min_severity, step.number)
        for step in steps
        if step.min_severity is not None and destination_id in step.destination_ids
    ]
    lowest = min(floors, key=lambda floor: floor[0].rank, default=None)
    return None if lowest is None else SeverityFloor(str(lowest[0]), lowest[1])


def start_or_resume(plan: NotificationPlan, before: Incident | None, after: Incident, now: datetime) -> Incident:
    """Starts or resumes the escalation of an incident after an act; returns the incident.

    The caller calls it after every transition, before notices are created and rows are written. An incident that opens
    or reopens starts with the first step. While it is acknowledged, snoozed or silenced, escalation pauses. When it is
    open again, the next step follows at its original distance from the step before.
    """
    if before is None or (before.state is RESOLVED and after.state is not RESOLVED):
        return _started(plan, after, now)
    if after.state is OPEN and before.state is not OPEN:
        return _resumed(plan, after, now)
    return after


def advance(plan: NotificationPlan, incident: Incident, now: datetime) -> Incident:
    """Takes the next due group of steps, for the timers `incident.delay` and `incident.step`; returns the incident.

    1. An incident that is not open stays unchanged.
    2. Steps with the same time form one group. Due groups that do not accept the severity are passed without a notice.
    3. At most one accepting group is taken, even when the timer is late.

    The caller notifies `plan.steps[count_taken(plan, before):count_taken(plan, after)]`.
    """
    if incident.state is not OPEN:
        return incident
    start, last, taken = steps_start(plan, incident), last_step(incident), incident.steps_taken
    minutes = 0 if last is None else last.minutes
    for after, step_group in groupby(plan.steps[count_taken(plan, incident) :], key=lambda step: step.after):
        if start + after > now:
            break
        steps, minutes = list(step_group), whole_minutes(after)
        taken += len(steps)
        if any(step.accepts(incident.severity) for step in steps):
            start = max(start, now - after)
            break
    return _progressed(plan, incident, start, taken, minutes)


def _started(plan: NotificationPlan, incident: Incident, now: datetime) -> Incident:
    start, first = incident.opened_at + plan.delay, plan.steps[0]
    is_due = start + first.after <= now and incident.state is OPEN
    fresh = replace_fast(incident, steps_taken=0, last_step=None, renotified=0)
    if len(plan.steps) == 1 and is_due and first.accepts(incident.severity):
        # the common case, without the loop: a batch may open many incidents
        return _progressed(plan, fresh, now - first.after, 1, whole_minutes(first.after))
    return advance(plan, fresh, now)


def _resumed(plan: NotificationPlan, incident: Incident, now: datetime) -> Incident:
    last = last_step(incident)
    if last is None:
        return advance(plan, incident, now)
    start = max(steps_start(plan, incident), now - timedelta(minutes=last.minutes))
    after = _progressed(plan, incident, start, last.number, last.minutes)
    return replace_fast(after, notified_at=incident.notified_at and now)


def _progressed(plan: NotificationPlan, incident: Incident, start: datetime, taken: int, minutes: int) -> Incident:
    """Returns the incident with this progress: steps count from `start`, `taken` of them are taken, the last at `minutes`."""
    first = plan.steps[0].after
    last = LastStep(taken, minutes, whole_minutes(first)) if taken else None
    return replace_fast(incident, steps_taken=taken, last_step=last, held_until=start + first)
