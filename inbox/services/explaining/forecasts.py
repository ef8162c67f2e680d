"""The present status of an incident, and its next notices without any act, from its timers and its plan.

Specification 7.7.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import groupby
from typing import Any, NamedTuple
from uuid import UUID

from inbox.domain.deliveries.notices import Cause
from inbox.domain.deliveries.notification_plan import (
    DELAY,
    FLAPPING_END,
    RENOTIFY,
    STEP,
    NotificationPlan,
    count_taken,
    step_recipients,
    taken_steps,
)
from inbox.domain.deliveries.quiet_hours import resolve_deferred
from inbox.domain.explaining.forecast import KINDS, IncidentStatus, Upcoming, UpcomingKind, status_text
from inbox.domain.explaining.throttled_text import MAX_COUNTED, ThrottledRepeats
from inbox.domain.incidents.state_machine import State
from inbox.domain.routing.profiles import Step
from inbox.domain.values.severity import Severity
from inbox.domain.workspaces.settings import effective_settings
from inbox.flow.notices.fallback import fallback_target
from inbox.flow.timers.incident_schedule import SNOOZE_END, Plans, timers_of
from inbox.models.deliveries import recipients as notice_recipients
from inbox.models.deliveries.fallback_checks import status
from inbox.models.incidents import lock as incident_lock
from inbox.models.incidents.tables import Incident
from inbox.models.insight import explanations
from inbox.models.insight.explanations import DestinationSettings
from inbox.models.routing import routing_config
from inbox.models.workspaces.tables import Workspace
from inbox.services.explaining import digest_forecasts, page_forecasts
from inbox.services.explaining.explanations import silence_refs_of
from inbox.services.routing.silences import active_periods


class Route(NamedTuple):
    """The present plan of an incident, the name of its routing profile, and the destinations of its workspace by id.

    `has_phone`: a phone of a member is notified, too.
    """

    plan: NotificationPlan
    profile: str | None
    receivers: Mapping[UUID, DestinationSettings]
    has_phone: bool

    @property
    def has_destination(self) -> bool:
        """Whether anybody is notified: a step names an existing destination or people, or there is a phone."""
        if self.has_phone or self.plan.pages_people:
            return True
        return any(id in self.receivers for step in self.plan.steps for id in step.destination_ids)

    def recipients(self, steps: Iterable[Step], severity: str) -> list[str]:
        """Return the names of these steps' destinations that accept this severity, in their order."""
        by_id, level = self.receivers, Severity(severity)
        step_receivers = [
            by_id[id] for id, is_wanted in step_recipients(steps, level).items() if is_wanted and id in by_id
        ]
        return list(dict.fromkeys(each.name for each in step_receivers if each.accepts(level)))


def forecast(incident: Incident, now: datetime) -> dict[str, Any]:
    """Build the forecast.

    `text` describes the status. `upcoming` lists `{kind, at, text}` in the order of time. `throttled` describes events
    without notices.
    """
    route = _route_of(incident, now)
    upcoming = sorted(_upcoming(incident, route, now), key=lambda one: one.at)
    throttled = _throttled(incident, route.plan, upcoming)
    return {
        "text": status_text(_status(incident, route)),
        "upcoming": [{"kind": one.kind, "at": one.at, "text": one.sentence} for one in upcoming],
        "throttled": throttled
        and {
            "cause": Cause.THROTTLED,
            "events": throttled.events,
            "since": throttled.since,
            "next_at": throttled.next_at,
            "text": throttled.sentence(now),
        },
    }


def _throttled(incident: Incident, plan: NotificationPlan, upcoming: Sequence[Upcoming]) -> ThrottledRepeats | None:
    """Return the events of an open incident since its last notice, or None. Flapping incidents are excluded."""
    since = incident.notified_at
    if incident.state != State.OPEN or incident.flapping or since is None or not incident.steps_taken:
        return None
    events = explanations.counted_since(incident.id, since, MAX_COUNTED)
    if not events:
        return None
    next_notices = [one.at for one in upcoming if one.kind in (UpcomingKind.STEP, UpcomingKind.RENOTIFY)]
    quiet_at = incident.last_seen_at + plan.reoccur_quiet
    return ThrottledRepeats(events, since, plan.reoccur_quiet, quiet_at, min(next_notices, default=None))


def _status(incident: Incident, route: Route) -> IncidentStatus:
    state, silence, taker = State(incident.state), incident.silenced_by, incident.acknowledged_by
    return IncidentStatus(
        state=state,
        flapping=incident.flapping,
        wait=route.plan.first_notice_delay if state is State.OPEN and not incident.steps_taken else None,
        profile=route.profile,
        by=explanations.people({taker}).get(taker) if state is State.ACKNOWLEDGED else None,
        until=incident.snoozed_until,
        silence=silence_refs_of(incident.workspace_id, {silence}).get(silence) if silence else None,
        has_destination=route.has_destination,
    )


def _upcoming(incident: Incident, route: Route, now: datetime) -> list[Upcoming]:
    silence, status = _silence_ends(incident, now), incident_lock.read(incident.id)
    plan = route.plan
    clocks = {} if status is None else timers_of(plan, status.state_values)
    if silence and clocks.get(SNOOZE_END, silence[0].at) <= silence[0].at:
        clocks.pop(SNOOZE_END, None)  # the snooze ends with the silence
    if RENOTIFY in clocks and STEP in clocks:
        clocks = {**clocks, RENOTIFY: _reminder_after_steps(plan, incident, clocks)}
    found = [_of_timer(incident, route, kind, at) for kind, at in clocks.items()]
    sent = [one for one in found if one.recipient_names or one.kind not in _TO_RECIPIENTS]
    digests = digest_forecasts.of_incident(incident, silence, now)
    return [*sent, *_fallback(incident, plan, route, now), *_quiet_hours_ends(incident, silence), *digests, *silence]


def _reminder_after_steps(plan: NotificationPlan, incident: Incident, clocks: Mapping[str, datetime]) -> datetime:
    """Return when the reminder is due. Each step before it moves it, even a step whose destinations are switched off."""
    at, severity = clocks[RENOTIFY], Severity(incident.severity)
    left = plan.steps[count_taken(plan, incident) :]
    start = clocks[STEP] - left[0].after
    for step in left:
        if step.accepts(severity) and start + step.after < at:
            at = start + step.after + plan.renotify[severity]
    return at


_TO_RECIPIENTS = frozenset({UpcomingKind.DELAY_ENDS, UpcomingKind.STEP, UpcomingKind.RENOTIFY})
"""The kinds that are omitted when no destination accepts them."""


def _fallback(incident: Incident, plan: NotificationPlan, route: Route, now: datetime) -> list[Upcoming]:
    """Return the fallback in case no destination accepts the alert.

    Empty when a fallback already followed the opening, or when no fallback is left.
    """
    watched = explanations.pending_check(incident.id)
    if watched is None or incident.state != State.OPEN:
        return []
    notice_id, at = watched
    found = status(notice_id, now)
    if found.fell_back_at is not None and found.fell_back_at >= incident.opened_at:
        return []
    settings = effective_settings(Workspace.get_by_id(incident.workspace_id).settings)
    named = (plan.fallback_destination_id, settings.fallback_destination_id)
    last = fallback_target(incident.workspace_id, named, found.tried)
    if last.mailed:
        return [Upcoming(UpcomingKind.FALLBACK, at, ["the owners"])]
    to = [each.name for each in route.receivers.values() if last.recipients and each.id == last.destination_id]
    return [Upcoming(UpcomingKind.FALLBACK, at, to)] if to else []


def _quiet_hours_ends(incident: Incident, silence: Sequence[Upcoming]) -> list[Upcoming]:
    """Return the ends of quiet hours with the destinations that are notified then.

    The result assumes that nothing happens before, except the end of a silence.
    """
    names_by_end: dict[datetime, list[str]] = {}
    waiting = explanations.deferred(incident.workspace_id, incident.id)
    for (_, name), line in groupby(waiting, lambda one: (one.destination_id, one.name)):
        held = list(line)
        until, state = min(one.until for one in held), State(incident.state)
        if state is State.SILENCED and silence and silence[0].at <= until:
            state = State(incident.state_before_silence or State.OPEN)
        decisions = resolve_deferred(
            [one.notice for one in held], state, flapping=incident.flapping, last_notified_seq=held[0].last_notified_seq
        )
        if None in decisions.values():
            names_by_end.setdefault(until, []).append(name)
    return [Upcoming(UpcomingKind.QUIET_HOURS_END, until, names) for until, names in names_by_end.items()]


def _silence_ends(incident: Incident, now: datetime) -> list[Upcoming]:
    if incident.silenced_by is None:
        return []
    by_id = explanations.silences(incident.workspace_id, {incident.silenced_by})
    silence = silence_refs_of(incident.workspace_id, {incident.silenced_by})
    ends = {id: active_periods(silence).next_change(now) for id, (silence, _) in by_id.items()}
    return [Upcoming(UpcomingKind.SILENCE_ENDS, at, silence=silence[id]) for id, at in ends.items() if at is not None]


def _route_of(incident: Incident, now: datetime) -> Route:
    here, named = incident.workspace_id, incident.destination_ids
    plans = Plans.at(routing_config.revisions([here]), now)
    profile = plans.profile(here, incident.routing_profile_id, named)
    plan = plans.by(here, incident.routing_profile_id, named)
    has_phone = bool(notice_recipients.phones([here]))
    receivers = {each.id: each for each in explanations.destinations(here)}
    return Route(plan, None if profile is None else profile.name, receivers, has_phone)


def _of_timer(incident: Incident, route: Route, kind: str, at: datetime) -> Upcoming:
    plan = route.plan
    if kind == SNOOZE_END:
        return Upcoming(UpcomingKind.SNOOZE_ENDS, at)
    if kind == RENOTIFY:
        times = (incident.renotify_count + 1, plan.renotify_max)
        names = [
            *(page_forecasts.paged(incident.id, incident.opened_at) if plan.pages_people else ()),
            *route.recipients(taken_steps(plan, incident), incident.severity),
        ]
        return Upcoming(UpcomingKind.RENOTIFY, at, names, reminder_counts=times)
    if kind == FLAPPING_END:
        return Upcoming(
            UpcomingKind.FLAPPING_ENDS, at, _when_flapping_ends(incident, route), state=State(incident.state)
        )
    if kind not in (DELAY, STEP):
        return Upcoming(KINDS[kind], at)
    step_group, names, due_at = _next_step_group(incident, route, at)
    only_worse = incident.flapping and incident.notified_severity is not None
    number = step_group[-1].number if step_group else 0
    return Upcoming(KINDS[kind], due_at, names, step=number, only_worse=only_worse)


def _when_flapping_ends(incident: Incident, route: Route) -> list[str]:
    """Return the names of the destinations that are notified when flapping ends, if nothing changes before.

    For an open incident, they include those that were notified before.
    """
    by_id = explanations.notified(incident.id)
    if incident.state == State.OPEN and incident.steps_taken:
        accepting = route.recipients(taken_steps(route.plan, incident), incident.severity)
        return [
            each.name
            for each in route.receivers.values()
            if each.enabled and (each.id in by_id or each.name in accepting)
        ]
    if incident.state == State.RESOLVED:
        return [
            each.name for each in route.receivers.values() if each.enabled and each.send_updates and each.id in by_id
        ]
    return []


def _next_step_group(incident: Incident, route: Route, at: datetime) -> tuple[Sequence[Step], list[str], datetime]:
    """Return the next steps of one time that notify somebody of this severity, whom, and when. The first are due at `at`.

    Steps before them pass silently. Steps that would page nobody are followed by the next ones of the round at once.
    """
    left = route.plan.steps[count_taken(route.plan, incident) :]
    severity, earlier, skipped = Severity(incident.severity), timedelta(), None
    for after, steps in groupby(left, key=lambda step: step.after):
        step_group = list(steps)
        if skipped is not None and step_group[0].round == skipped.round:
            earlier += after - skipped.after
        due_at = at + (after - left[0].after) - earlier
        people = page_forecasts.of_steps(incident.workspace_id, step_group, incident.severity, due_at)
        if names := [*people, *route.recipients(step_group, incident.severity)]:
            return step_group, names, due_at
        names_people = any(step.people and step.accepts(severity) for step in step_group)
        skipped = step_group[-1] if names_people else None
    return (), [], at
