"""Decides who is notified. These are the questions, in their order:

1. Does the delay of the plan hold the notice back? (`prepare`)
2. Is the notice withheld from everybody, because a silence covers the incident or because it flaps? (`withheld_cause`)
3. Which destinations are considered? The destinations of the fallback, or of the plan's steps. An update and the end
   of flapping add those that were notified before. An alert adds the phones of members, and the contacts of the people
   whom its steps page. (`considered`, `_phones`, `paging`)
4. Do quiet hours hold the notice for a destination, or does it wait for a digest? (`_quiet_until`, `_decision`)
5. Does the destination receive the notice? It is enabled and receives updates and notes. It was notified before, if
   that is needed. The severity reaches its minimum and its step's. (`_decision`)
6. Which destinations count as notified from now on? (`resolve`)
7. Nobody can receive the alert: who receives the fallback? (`fallback`)

The rules behind the questions are pure functions of `domain`: `suppression`, `notification_plan`, `quiet_hours`,
`notices`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID
from zoneinfo import ZoneInfo

from cachetools import LRUCache

from inbox.domain.deliveries import notices
from inbox.domain.deliveries.notices import NO_TRAITS, Cause, NoticeTraits, RecipientState
from inbox.domain.deliveries.notification_plan import (
    NotificationPlan,
    count_taken,
    first_steps,
    missed_min_severity,
    step_recipients,
)
from inbox.domain.deliveries.pages import Page
from inbox.domain.deliveries.suppression import mark_notified
from inbox.domain.incidents.incident import replace_fast
from inbox.domain.incidents.state_machine import Reason
from inbox.domain.routing.profiles import Step
from inbox.domain.values import wallclock
from inbox.domain.values.severity import Severity
from inbox.flow.notices.notice import (
    EventNotice,
    IncidentNotice,
    RecipientDecision,
    candidate_steps,
    is_by_person,
    withheld_cause,
)
from inbox.flow.notices.paging import NO_PAGES, NoticePages, as_paged
from inbox.flow.timers.incident_schedule import Plans
from inbox.models.deliveries import recipients as notice_recipients
from inbox.models.deliveries.recipients import Recipient

COUNTS_AS_NOTIFIED = frozenset({Cause.NOTIFY, Cause.STOPPED, Cause.QUIET_HOURS, Cause.DIGEST})
"""The causes after which a destination counts as notified: it is sent now, or after its hold ends."""

MAX_CACHED = 1_000
"""The maximum number of cached decisions. Incidents of a batch often have the same deciding values."""


def prepare(notice: IncidentNotice, plan: NotificationPlan, now: datetime) -> bool:
    """Returns whether the notice is created now. The plan may delay it.

    Gives the notice the incident's values, its plan and its number. Marks the incident as notified.
    """
    incident = notice.incident
    notice.then, notice.plan = incident.state_values, plan
    by_person, undone = is_by_person(notice), notice.traits.undone
    marked = mark_notified(notice.then, notice.reason, now, by_person=by_person, undone=undone)
    if marked is None and notice.is_page:
        marked = notice.then  # the first notice of the plan still comes
    if marked is None:
        return False
    notice.alerts_people = marked is not notice.then
    if notice.alerts_people and marked.alerts.joined:
        notice.joined, marked = marked.alerts.waiting, replace_fast(marked, alerts=marked.alerts.told(now))
    incident.state_values = marked
    incident.notice_count += 1
    notice.seq = incident.notice_count
    return True


class RecipientResolver:
    """Resolves notices to decisions. Destinations that a notice reaches count as notified for later notices."""

    def __init__(
        self,
        recipients: Mapping[UUID, Recipient],
        notified: Iterable[tuple[UUID, UUID]],
        plans: Plans,
        phones: Mapping[UUID, tuple[UUID, ...]] | None = None,
        pages: NoticePages | None = None,
    ) -> None:
        """`notified` are pairs (incident, destination). The time is the time of `plans`, which may advance.

        `phones` are by workspace. Previews have none, because phones are on no route.
        """
        self._recipients = recipients
        self._has_digests = any(each.digest is not None for each in recipients.values())
        self._phones_by_workspace = phones or {}
        self.pages = pages or NO_PAGES
        self._notified: dict[UUID, tuple[UUID, ...]] = {}
        for incident_id, destination_id in sorted(set(notified)):
            self._notified[incident_id] = (*self._notified.get(incident_id, ()), destination_id)
        self._plans = plans
        self._decisions: LRUCache[tuple[Any, ...], tuple[Sequence[RecipientDecision], tuple[UUID, ...]]]
        self._decisions = LRUCache(MAX_CACHED)

    @classmethod
    def of(cls, pending: Sequence[IncidentNotice], of_events: Sequence[EventNotice], plans: Plans) -> RecipientResolver:
        """Loads the stored destinations, phones and earlier recipients for these notices."""
        incident_ids = {one.incident.id for one in pending if _reaches_notified(one) and not one.incident.is_new}
        notified = notice_recipients.notified_before(sorted(incident_ids))
        alerted = {one.workspace_id for one in pending if _alerts_phones(one)}
        phones = notice_recipients.phones(sorted(alerted)) if alerted else {}
        pages = NoticePages.of(pending, plans) if any(one.may_page for one in pending) else NO_PAGES
        ids = {id for found in phones.values() for id in found} | {
            destination_id for _, destination_id in notified
        }.union(pages.destination_ids if pages.by_step else (), *(considered(one) for one in pending))
        ids.update(
            id for one in of_events for step in first_steps(_plan_of_event(one, plans)) for id in step.destination_ids
        )
        return cls(notice_recipients.recipients(sorted(ids)), notified, plans, phones, pages)

    def adopt(self, incident_id: UUID, other: RecipientResolver) -> None:
        """Takes over the notified destinations of an incident from another resolver."""
        if incident_id in other._notified:
            self._notified[incident_id] = other._notified[incident_id]

    def forget(self, incident_id: UUID) -> None:
        """Removes an incident that causes no more notices."""
        self._notified.pop(incident_id, None)

    def resolve(self, one: IncidentNotice) -> Sequence[RecipientDecision]:
        """Decides about the destinations of a notice. Notices with the same key share their decisions."""
        incident_id, then = one.incident.id, one.then
        notified, withheld = self._notified.get(incident_id, ()), withheld_cause(one)
        until = None if withheld else self._quiet_until(one.workspace_id)
        steps = count_taken(one.plan, then) if one.steps is None else tuple(one.steps)
        facts = (id(one.plan), one.reason, one.traits, then.severity, steps, notified, withheld, until)
        key = (*facts, self._phones(one), self._minute(), *self._paged(one))
        cached = None if one.fallback else self._decisions.get(key)
        if cached is None:
            cached = self._resolve(one, notified, withheld, until)
            if not one.fallback:
                self._decisions[key] = cached
        decisions, now_notified = cached
        if now_notified:
            self._notified[incident_id] = now_notified
        return decisions

    def resolve_event(self, one: EventNotice) -> Sequence[RecipientDecision]:
        """Decides about the destinations in the first steps of an event's plan."""
        steps = first_steps(plan := _plan_of_event(one, self._plans))
        considered = self._available(step_recipients(steps, one.severity), one.workspace_id)
        if one.withheld is not None:
            return [RecipientDecision(recipient, one.withheld) for recipient, _ in considered]
        until, clock = self._quiet_until(one.workspace_id), self._clock(one.workspace_id)
        notice = _NoticeFacts(plan, one.reason, one.severity, steps, self._plans.now, until, clock)
        return [_decision(recipient, notice, is_candidate=is_candidate) for recipient, is_candidate in considered]

    def _resolve(
        self, one: IncidentNotice, notified: tuple[UUID, ...], withheld: str | None, until: datetime | None
    ) -> tuple[Sequence[RecipientDecision], tuple[UUID, ...]]:
        """Returns the decisions, and all destinations that count as notified afterwards."""
        also = (*self._phones(one), *(notified if _reaches_notified(one) else ()))
        pages, waiting = self._paged(one)
        paged = {id for page in pages for id in page.destination_ids if id not in waiting}
        later = {id: at for page in pages for id, at in page.due_at if id not in also}
        candidates = considered(one) | dict.fromkeys((*also, *sorted(paged)), True)
        available = [
            (as_paged(recipient) if paged and recipient.id in paged else recipient, is_candidate)
            for recipient, is_candidate in self._available(candidates, one.workspace_id)
        ]
        if withheld is not None:
            return [RecipientDecision(recipient, withheld) for recipient, _ in available], notified
        clock = self._clock(one.workspace_id)
        facts = (one.plan, one.reason, one.then.severity, candidate_steps(one), self._plans.now)
        notice = _NoticeFacts(*facts, until, clock, one.traits)
        decisions = [
            _decision(recipient, notice, is_candidate=is_candidate, was_notified=recipient.id in notified)
            for recipient, is_candidate in available
        ]
        decisions = [
            each._replace(until=later[each.recipient.id])
            if each.cause == Cause.NOTIFY and each.recipient.id in later
            else each
            for each in decisions
        ]
        reached = (
            each.recipient.id
            for each in decisions
            if each.cause in COUNTS_AS_NOTIFIED and not (each.cause == Cause.NOTIFY and each.until is not None)
        )
        return decisions, tuple(dict.fromkeys((*notified, *reached)))

    def _paged(self, one: IncidentNotice) -> tuple[tuple[Page, ...], frozenset[UUID]]:
        """Returns the pages of the notice, and the destinations that an earlier page reaches later."""
        if not self.pages.by_step:
            return (), frozenset()
        return self.pages.of_notice(one), self.pages.waiting_of(one)

    def _phones(self, one: IncidentNotice) -> tuple[UUID, ...]:
        """Returns the phones that the notice addresses besides its route."""
        return self._phones_by_workspace.get(one.workspace_id, ()) if _alerts_phones(one) else ()

    def _available(self, considered: Mapping[UUID, bool], workspace_id: UUID) -> list[tuple[Recipient, bool]]:
        """Returns the existing destinations among these, and whether one of their steps accepts the severity."""
        recipients = ((self._recipients.get(id), is_candidate) for id, is_candidate in considered.items())
        return [
            (recipient, is_candidate)
            for recipient, is_candidate in recipients
            if recipient is not None and recipient.workspace_id == workspace_id
        ]

    def _quiet_until(self, workspace_id: UUID) -> datetime | None:
        """Returns the end of the quiet hours of the workspace, if they cover the time of the notices."""
        return self._plans.quiet_until(workspace_id) if self._plans.has_quiet_hours else None

    def _clock(self, workspace_id: UUID) -> tuple[datetime, ZoneInfo] | None:
        """Returns the time of the notices, and the time zone of the workspace, if a destination gathers notices."""
        if not self._has_digests:
            return None
        return self._plans.now, wallclock.zone_of(self._plans.config(workspace_id).timezone)

    def _minute(self) -> datetime | None:
        """Returns the minute of the notices, if a destination gathers notices. Digests are due at full minutes."""
        return self._plans.now.replace(second=0, microsecond=0) if self._has_digests else None


def considered(one: IncidentNotice) -> dict[UUID, bool]:
    """Returns the destinations in order, and whether their steps accept the severity."""
    fallback = one.fallback
    return dict.fromkeys(fallback.to, True) if fallback else step_recipients(candidate_steps(one), one.then.severity)


def _reaches_notified(one: IncidentNotice) -> bool:
    """Returns whether the notice also goes to destinations that were notified before and have left the route."""
    return one.traits.flapping_ended or one.traits.is_update(one.reason)


def _alerts_phones(one: IncidentNotice) -> bool:
    """Returns whether the notice alerts everybody: it is no update, no step of a profile, and no fallback."""
    return one.fallback is None and one.steps is None and not one.traits.is_update(one.reason)


def _plan_of_event(one: EventNotice, plans: Plans) -> NotificationPlan:
    return plans.by(one.workspace_id, one.routing_profile_id, one.destination_ids)


class _NoticeFacts(NamedTuple):
    """The facts of a notice that apply to all its destinations."""

    plan: NotificationPlan
    reason: Reason
    severity: Severity
    steps: Sequence[Step]
    now: datetime
    quiet_until: datetime | None
    """The end of the quiet hours of the workspace."""
    clock: tuple[datetime, ZoneInfo] | None
    traits: NoticeTraits = NO_TRAITS

    def held_until(self, recipient: Recipient) -> datetime | None:
        """Returns until when quiet hours of the workspace or of the recipient's person hold the notice."""
        if self.quiet_until is None and recipient.own_quiet is None:
            return None
        return recipient.quiet_until(self.quiet_until, self.severity, self.now, obeys=self.plan.obeys_quiet_hours)


def _decision(
    recipient: Recipient, notice: _NoticeFacts, *, is_candidate: bool, was_notified: bool = False
) -> RecipientDecision:
    """Returns the decision, with the time until which the notice is held, or with the severity that was not reached."""
    state = _state(recipient, notice, is_candidate=is_candidate, was_notified=was_notified)
    cause = notices.decide(state, notice.reason, notice.severity, notice.traits)
    if cause is Cause.BELOW_MIN_SEVERITY:
        floor = missed_min_severity(recipient.id, recipient.min_severity, notice.steps, notice.severity)
        return RecipientDecision(recipient, cause, min_severity=floor)
    if cause is Cause.DIGEST and recipient.digest is not None and notice.clock is not None:
        return RecipientDecision(recipient, cause, recipient.digest.next_at(*notice.clock))
    return RecipientDecision(recipient, cause, notice.held_until(recipient) if cause is Cause.QUIET_HOURS else None)


def _state(recipient: Recipient, notice: _NoticeFacts, *, is_candidate: bool, was_notified: bool) -> RecipientState:
    """Returns the state of a destination at the time of the notice."""
    return RecipientState(
        enabled=recipient.enabled,
        stopped=recipient.stopped,
        send_updates=recipient.send_updates,
        send_notes=recipient.send_notes,
        gathers=recipient.digest is not None,
        min_severity=recipient.min_severity,
        notified_before=was_notified,
        step_accepts=is_candidate,
        deferred=notice.held_until(recipient) is not None,
    )
