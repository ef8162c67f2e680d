"""Decides which destinations receive a notice: by the plan's steps, earlier notices, and quiet hours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from inbox.domain import ids, notices
from inbox.domain.ids import Prefix
from inbox.domain.incident import Actor, Escalation, Incident
from inbox.domain.notices import PLAIN, Cause, Change, FallbackReason, Floor, RecipientState, Traits
from inbox.domain.notification_plan import NotificationPlan, missed_floor, step_recipients, taken_steps
from inbox.domain.profiles import Step
from inbox.domain.quiet_hours import is_deferred
from inbox.domain.severity import Severity
from inbox.domain.state_machine import Reason
from inbox.domain.suppression import passes_silence, suppression_cause
from inbox.flow.timers.incident_schedule import Plans
from inbox.models.deliveries import recipients as notice_recipients
from inbox.models.deliveries.recipients import Recipient
from inbox.models.incidents.lock import IncidentRow

COUNTS_AS_NOTIFIED = frozenset({Cause.NOTIFY, Cause.STOPPED, Cause.QUIET_HOURS})
"""The causes after which a destination counts as notified: it is sent now, or after its hold ends."""


CACHED = 1_000
"""The maximum number of cached decisions; a full cache is cleared."""


@dataclass(frozen=True, slots=True)
class Fallback:
    """The destinations of a `fallback`, its reason, and whether the owners get a mail."""

    to: tuple[UUID, ...]
    because: FallbackReason
    mailed: bool = False


class PendingNotice(NamedTuple):
    """A notice to create, with the incident's values, its plan, its reason and its number.

    `steps` are the plan's steps that it notifies; None means all steps reached. `change` is a person's change.
    """

    incident: IncidentRow
    then: Incident
    plan: NotificationPlan
    reason: Reason
    seq: int
    escalation: Escalation | None = None
    by: Actor | None = None
    event_id: UUID | None = None
    steps: Sequence[Step] | None = None
    fallback: Fallback | None = None
    traits: Traits = PLAIN
    change: Change | None = None

    @property
    def is_by_person(self) -> bool:
        """Whether a person caused the notice, so that a silence does not suppress it."""
        return passes_silence(self.reason, self.by, undone=self.traits.undone)

    @property
    def reaches_notified(self) -> bool:
        """Whether it also goes to destinations that were notified before and have left the route."""
        return self.traits.flapping_ended or self.traits.is_update(self.reason)

    @property
    def concerned(self) -> dict[UUID, bool]:
        """The destinations in order, and whether their steps accept the severity.

        Before any step is reached, the first steps count, so that the decision names a cause for each of their
        destinations.
        """
        if self.fallback is not None:
            return dict.fromkeys(self.fallback.to, True)
        return step_recipients(self.candidate_steps, self.then.severity)

    @property
    def candidate_steps(self) -> Sequence[Step]:
        """The steps whose minimum severity is checked."""
        steps = taken_steps(self.plan, self.then) if self.steps is None else self.steps
        return steps or first_steps(self.plan)


class RecipientDecision(NamedTuple):
    """The decision about a destination.

    `until` is the time at which a deferred delivery leaves. `min_severity` is the severity that was not reached.
    """

    recipient: Recipient
    cause: str
    until: datetime | None = None
    min_severity: Floor | None = None

    def record(self, because: FallbackReason | None = None) -> dict[str, object]:
        """As an entry of the notice's explanation."""
        id = ids.encode(Prefix.DESTINATION, self.recipient.id)
        return notices.decision_record(
            id, self.recipient.name, self.cause, until=self.until, because=because, floor=self.min_severity
        )


class NoticeDecision(NamedTuple):
    """The decisions about a notice, with the number of deliveries sent now (`sent`) and deferred (`deferred`).

    `notified` are all destinations that are notified afterwards. The plan and `notified_before` stay referenced,
    because the cache key has their `id()`, which another object could get otherwise.
    """

    plan: NotificationPlan
    notified_before: tuple[UUID, ...]
    decisions: Sequence[RecipientDecision]
    notified: tuple[UUID, ...]
    sent: int
    deferred: int

    @classmethod
    def of(
        cls,
        plan: NotificationPlan,
        decisions: Sequence[RecipientDecision],
        notified_before: tuple[UUID, ...] = (),
        newly: tuple[UUID, ...] = (),
    ) -> NoticeDecision:
        """With the counts of the causes."""
        causes = [decision.cause for decision in decisions]
        return cls(
            plan,
            notified_before,
            decisions,
            notified_before + newly if newly else notified_before,
            causes.count(Cause.NOTIFY),
            causes.count(Cause.QUIET_HOURS),
        )


def first_steps(plan: NotificationPlan) -> tuple[Step, ...]:
    """The steps that are due first, all at the same time."""
    return tuple(step for step in plan.steps if step.after == plan.steps[0].after)


def _with_min_severity(decision: RecipientDecision, steps: Iterable[Step], severity: Severity) -> RecipientDecision:
    """With the lowest severity that the destination, or else its step, accepts."""
    if decision.cause != Cause.BELOW_MIN_SEVERITY:
        return decision
    min_severity = missed_floor(decision.recipient.id, decision.recipient.min_severity, steps, severity)
    return decision._replace(min_severity=min_severity)


class RecipientResolver:
    """Resolves notices to decisions. Destinations that a notice reaches count as notified for later notices."""

    def __init__(
        self, recipients: Mapping[UUID, Recipient], notified: Iterable[tuple[UUID, UUID]], plans: Plans
    ) -> None:
        """`notified` are pairs (incident, destination). The time is that of `plans`, which may advance."""
        self._recipients = recipients
        self._hearers: dict[UUID, tuple[UUID, ...]] = {}
        for incident_id, destination_id in sorted(set(notified)):
            self._hearers[incident_id] = (*self._hearers.get(incident_id, ()), destination_id)
        incident_ids = {heard: heard for heard in self._hearers.values()}
        self._hearers = {incident_id: incident_ids[heard] for incident_id, heard in self._hearers.items()}
        self._plans = plans
        self._notified_before: dict[tuple[Any, ...], NoticeDecision] = {}
        self._quiet_until: dict[tuple[UUID, int], datetime | None] = {}

    @classmethod
    def of(cls, tellings: Sequence[PendingNotice], others: Iterable[UUID], plans: Plans) -> RecipientResolver:
        """As stored, for these notices and other destinations."""
        notified_before = {one.incident.id for one in tellings if one.reaches_notified and not one.incident.is_new}
        notified = notice_recipients.notified_before(sorted(notified_before))
        ids = {destination_id for _, destination_id in notified}.union(others, *(one.concerned for one in tellings))
        return cls(notice_recipients.recipients(sorted(ids)), notified, plans)

    def adopt(self, incident_id: UUID, other: RecipientResolver) -> None:
        """Take over the notified destinations of an incident from another resolver."""
        if incident_id in other._hearers:
            self._hearers[incident_id] = other._hearers[incident_id]

    def forget(self, incident_id: UUID) -> None:
        """Remove an incident that causes no more notices."""
        self._hearers.pop(incident_id, None)

    def resolve(self, one: PendingNotice) -> NoticeDecision:
        """Decide about the destinations of the steps; for updates and the end also about those notified before.

        Notices with the same key share one decision.
        """
        incident, then = one.incident, one.then
        notified = self._hearers.get(incident.id, ())
        withheld = suppression_cause(then, one.reason, by_person=one.is_by_person)
        until = self._quiet(incident.workspace_id) if self._plans.has_quiet_hours and not withheld else None
        steps = then.steps_taken if one.steps is None else tuple(one.steps)
        counts = (id(one.plan), one.reason, one.traits, then.severity, steps, id(notified), withheld, until)
        notified_before = None if one.fallback else self._notified_before.get(counts)
        if notified_before is None:
            if len(self._notified_before) >= CACHED:
                self._notified_before.clear()
            notified_before = self._notified_before[counts] = self._consider(one, notified, withheld)
        if notified_before.notified is not notified:
            self._hearers[incident.id] = notified_before.notified
        return notified_before

    def resolve_informational(
        self, workspace_id: UUID, plan: NotificationPlan, severity: Severity, withheld: str | None
    ) -> NoticeDecision:
        """Decide about the destinations of the first steps; `withheld` is the cause why nobody is notified."""
        obeys, recipients = (
            plan.obeys_quiet_hours,
            self._available(step_recipients(first_steps(plan), severity), workspace_id),
        )
        if withheld is not None:
            return NoticeDecision.of(plan, [RecipientDecision(ear, withheld) for ear, _ in recipients])
        decide, reason = self._decide, Reason.INFORMATIONAL
        decisions = [decide(recipient, reason, severity, is_candidate, obeys) for recipient, is_candidate in recipients]
        return NoticeDecision.of(
            plan, [_with_min_severity(decision, first_steps(plan), severity) for decision in decisions]
        )

    def _available(self, candidates: Mapping[UUID, bool], workspace_id: UUID) -> list[tuple[Recipient, bool]]:
        recipients = ((self._recipients.get(id), is_candidate) for id, is_candidate in candidates.items())
        return [
            (recipient, is_wanted)
            for recipient, is_wanted in recipients
            if recipient is not None and recipient.workspace_id == workspace_id
        ]

    def _consider(self, one: PendingNotice, notified: tuple[UUID, ...], withheld: str | None) -> NoticeDecision:
        candidates = one.concerned
        if one.reaches_notified:
            candidates |= dict.fromkeys(notified, True)
        listening = self._available(candidates, one.incident.workspace_id)
        if withheld is not None:
            return NoticeDecision.of(one.plan, [RecipientDecision(ear, withheld) for ear, _ in listening], notified)
        severity, obeys = one.then.severity, one.plan.obeys_quiet_hours
        decisions = [
            self._decide(recipient, one.reason, severity, is_candidate, obeys, recipient.id in notified, one.traits)
            for recipient, is_candidate in listening
        ]
        decisions = [_with_min_severity(decision, one.candidate_steps, severity) for decision in decisions]
        newly = tuple(
            each.recipient.id
            for each in decisions
            if each.cause in COUNTS_AS_NOTIFIED and each.recipient.id not in notified
        )
        return NoticeDecision.of(one.plan, decisions, notified, newly)

    def _decide(
        self,
        recipient: Recipient,
        reason: Reason,
        severity: Severity,
        is_candidate: bool,
        obeys: bool,
        notified: bool = False,
        traits: Traits = PLAIN,
    ) -> RecipientDecision:
        until = (
            self._quiet(recipient.workspace_id)
            if is_deferred(recipient.quiet_hours_threshold, severity, respects_quiet_hours=obeys)
            else None
        )
        listener = RecipientState(
            enabled=recipient.enabled,
            stopped=recipient.stopped,
            send_updates=recipient.send_updates,
            send_notes=recipient.send_notes,
            min_severity=recipient.min_severity,
            heard=notified,
            wanted=is_candidate,
            quiet=until is not None,
        )
        cause = notices.decide(listener, reason, severity, traits)
        return RecipientDecision(recipient, cause, until if cause is Cause.QUIET_HOURS else None)

    def _quiet(self, workspace_id: UUID) -> datetime | None:
        """The end of quiet hours, cached per minute: quiet hours begin and end with whole minutes."""
        now, quiet = self._plans.now, self._plans.config(workspace_id).quiet
        if not quiet.enabled:
            return None
        candidate = (workspace_id, int(now.timestamp()) // 60)
        if candidate not in self._quiet_until:
            self._quiet_until[candidate] = quiet.until(now)
        return self._quiet_until[candidate]
