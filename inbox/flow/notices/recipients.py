"""Whom a notice concerns, and what is decided for each of them: by the plan's steps, what was heard, and the hour."""

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
"""The causes after which a destination counts as having heard: it is sent now, or when what holds it is over."""


CACHED = 1_000
"""Decisions that are remembered; then it begins anew."""


@dataclass(frozen=True, slots=True)
class Fallback:
    """To whom a `fallback` goes, why there is one, and whether the owners are mailed."""

    to: tuple[UUID, ...]
    because: FallbackReason
    mailed: bool = False


class PendingNotice(NamedTuple):
    """A notice that is owed: of which incident, as it stood, by which plan, why, and as its how-manieth.

    `steps` are those of the plan that it tells, None: all that are reached. `change` is what a person changed.
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
        """Whether a person did what it tells of, so that a silence does not keep it."""
        return passes_silence(self.reason, self.by, undone=self.traits.undone)

    @property
    def reaches_notified(self) -> bool:
        """Whether it also goes to who was notified of the incident before and has left its route."""
        return self.traits.flapping_ended or self.traits.is_update(self.reason)

    @property
    def concerned(self) -> dict[UUID, bool]:
        """The destinations, in their order, and whether their steps want the severity.

        While none is reached, those that would be told first: so that there is an answer to why they were not.
        """
        if self.fallback is not None:
            return dict.fromkeys(self.fallback.to, True)
        return step_recipients(self.candidate_steps, self.then.severity)

    @property
    def candidate_steps(self) -> Sequence[Step]:
        """The steps of which it is asked whether they want the severity."""
        steps = taken_steps(self.plan, self.then) if self.steps is None else self.steps
        return steps or first_steps(self.plan)


class RecipientDecision(NamedTuple):
    """What is decided for a destination; `until` is when what quiet hours hold leaves, `min_severity` the severity that was not
    reached."""

    recipient: Recipient
    cause: str
    until: datetime | None = None
    min_severity: Floor | None = None

    def record(self, because: FallbackReason | None = None) -> dict[str, object]:
        """As a line of the notice's explanation."""
        id = ids.encode(Prefix.DESTINATION, self.recipient.id)
        return notices.decision_record(
            id, self.recipient.name, self.cause, until=self.until, because=because, floor=self.min_severity
        )


class NoticeDecision(NamedTuple):
    """What is decided of a notice for each whom it concerns, of whom so many hear it at once (`sent`) or later (`deferred`).

    `notified_before` are all who have heard of the incident then. The plan and who `notified_before` before are kept, so that no others come to
    be at their place.
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
        """Counted."""
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
    """The steps that are told first, all at one time."""
    return tuple(step for step in plan.steps if step.after == plan.steps[0].after)


def _with_min_severity(decision: RecipientDecision, steps: Iterable[Step], severity: Severity) -> RecipientDecision:
    """With the least severity that the destination, or else the step that names it, takes."""
    if decision.cause != Cause.BELOW_MIN_SEVERITY:
        return decision
    min_severity = missed_floor(decision.recipient.id, decision.recipient.min_severity, steps, severity)
    return decision._replace(min_severity=min_severity)


class RecipientResolver:
    """The destinations that are concerned and those that heard before; what is heard grows while notices are decided."""

    def __init__(
        self, recipients: Mapping[UUID, Recipient], notified: Iterable[tuple[UUID, UUID]], plans: Plans
    ) -> None:
        """`notified_before` are (incident, destination); the hour is that of `plans`, which may move on."""
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
        """Who heard of an incident elsewhere has heard of it here."""
        if incident_id in other._hearers:
            self._hearers[incident_id] = other._hearers[incident_id]

    def forget(self, incident_id: UUID) -> None:
        """Nothing is told of this incident any more."""
        self._hearers.pop(incident_id, None)

    def resolve(self, one: PendingNotice) -> NoticeDecision:
        """What is decided for whom the notice concerns: the steps, and for updates and the end also who heard before.

        Of notices that are alike in all that counts it is decided once.
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
        """What is decided of an informational notice for whom its plan tells first; `withheld` is why nobody is told."""
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
        """Quiet hours begin and end with whole minutes, so within one minute the answer is one."""
        now, quiet = self._plans.now, self._plans.config(workspace_id).quiet
        if not quiet.enabled:
            return None
        candidate = (workspace_id, int(now.timestamp()) // 60)
        if candidate not in self._quiet_until:
            self._quiet_until[candidate] = quiet.until(now)
        return self._quiet_until[candidate]
