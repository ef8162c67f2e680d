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
from inbox.flow.plans import Plans
from inbox.models.deliveries import recipients as notice_recipients
from inbox.models.deliveries.recipients import Recipient
from inbox.models.incidents.lock import IncidentRow

MEANT = frozenset({Cause.NOTIFY, Cause.STOPPED, Cause.QUIET_HOURS})
"""The causes after which a destination counts as having heard: it is sent now, or when what holds it is over."""


KEPT = 1_000
"""Decisions that are remembered; then it begins anew."""


@dataclass(frozen=True, slots=True)
class Fallback:
    """To whom a `fallback` goes, why there is one, and whether the owners are mailed."""

    to: tuple[UUID, ...]
    because: FallbackReason
    mailed: bool = False


class Telling(NamedTuple):
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
        return step_recipients(self.asked_steps, self.then.severity)

    @property
    def asked_steps(self) -> Sequence[Step]:
        """The steps of which it is asked whether they want the severity."""
        steps = taken_steps(self.plan, self.then) if self.steps is None else self.steps
        return steps or first_rung(self.plan)


class Verdict(NamedTuple):
    """What is decided for a destination; `until` is when what quiet hours hold leaves, `floor` the severity that was not
    reached."""

    ear: Recipient
    cause: str
    until: datetime | None = None
    floor: Floor | None = None

    def record(self, because: FallbackReason | None = None) -> dict[str, object]:
        """As a line of the notice's explanation."""
        id = ids.encode(Prefix.DESTINATION, self.ear.id)
        return notices.decision_record(
            id, self.ear.name, self.cause, until=self.until, because=because, floor=self.floor
        )


class Decided(NamedTuple):
    """What is decided of a notice for each whom it concerns, of whom so many hear it at once (`sent`) or later (`held`).

    `notified_before` are all who have heard of the incident then. The plan and who `knew` before are kept, so that no others come to
    be at their place.
    """

    plan: NotificationPlan
    knew: tuple[UUID, ...]
    verdicts: Sequence[Verdict]
    heard: tuple[UUID, ...]
    sent: int
    held: int

    @classmethod
    def of(
        cls,
        plan: NotificationPlan,
        verdicts: Sequence[Verdict],
        knew: tuple[UUID, ...] = (),
        newly: tuple[UUID, ...] = (),
    ) -> Decided:
        """Counted."""
        causes = [verdict.cause for verdict in verdicts]
        return cls(
            plan,
            knew,
            verdicts,
            knew + newly if newly else knew,
            causes.count(Cause.NOTIFY),
            causes.count(Cause.QUIET_HOURS),
        )


def first_rung(plan: NotificationPlan) -> tuple[Step, ...]:
    """The steps that are told first, all at one time."""
    return tuple(step for step in plan.steps if step.after == plan.steps[0].after)


def _with_floor(verdict: Verdict, steps: Iterable[Step], severity: Severity) -> Verdict:
    """With the least severity that the destination, or else the step that names it, takes."""
    if verdict.cause != Cause.BELOW_MIN_SEVERITY:
        return verdict
    floor = missed_floor(verdict.ear.id, verdict.ear.min_severity, steps, severity)
    return verdict._replace(floor=floor)


class Audience:
    """The destinations that are concerned and those that heard before; what is heard grows while notices are decided."""

    def __init__(self, ears: Mapping[UUID, Recipient], heard: Iterable[tuple[UUID, UUID]], plans: Plans) -> None:
        """`notified_before` are (incident, destination); the hour is that of `plans`, which may move on."""
        self._ears = ears
        self._hearers: dict[UUID, tuple[UUID, ...]] = {}
        for incident_id, destination_id in sorted(set(heard)):
            self._hearers[incident_id] = (*self._hearers.get(incident_id, ()), destination_id)
        alike = {heard: heard for heard in self._hearers.values()}
        self._hearers = {incident_id: alike[heard] for incident_id, heard in self._hearers.items()}
        self._plans = plans
        self._known: dict[tuple[Any, ...], Decided] = {}
        self._quiet_until: dict[tuple[UUID, int], datetime | None] = {}

    @classmethod
    def of(cls, tellings: Sequence[Telling], others: Iterable[UUID], plans: Plans) -> Audience:
        """As stored, for these notices and other destinations."""
        known = {one.incident.id for one in tellings if one.reaches_notified and not one.incident.is_new}
        heard = notice_recipients.notified_before(sorted(known))
        ids = {destination_id for _, destination_id in heard}.union(others, *(one.concerned for one in tellings))
        return cls(notice_recipients.recipients(sorted(ids)), heard, plans)

    def take_over(self, incident_id: UUID, other: Audience) -> None:
        """Who heard of an incident elsewhere has heard of it here."""
        if incident_id in other._hearers:
            self._hearers[incident_id] = other._hearers[incident_id]

    def forget(self, incident_id: UUID) -> None:
        """Nothing is told of this incident any more."""
        self._hearers.pop(incident_id, None)

    def decided(self, one: Telling) -> Decided:
        """What is decided for whom the notice concerns: the steps, and for updates and the end also who heard before.

        Of notices that are alike in all that counts it is decided once.
        """
        incident, then = one.incident, one.then
        heard = self._hearers.get(incident.id, ())
        withheld = suppression_cause(then, one.reason, by_person=one.is_by_person)
        until = self._quiet(incident.workspace_id) if self._plans.has_quiet_hours and not withheld else None
        steps = then.steps_taken if one.steps is None else tuple(one.steps)
        counts = (id(one.plan), one.reason, one.traits, then.severity, steps, id(heard), withheld, until)
        known = None if one.fallback else self._known.get(counts)
        if known is None:
            if len(self._known) >= KEPT:
                self._known.clear()
            known = self._known[counts] = self._considered(one, heard, withheld)
        if known.heard is not heard:
            self._hearers[incident.id] = known.heard
        return known

    def decided_of_news(
        self, workspace_id: UUID, plan: NotificationPlan, severity: Severity, withheld: str | None
    ) -> Decided:
        """What is decided of an informational notice for whom its plan tells first; `withheld` is why nobody is told."""
        obeys, found = (
            plan.obeys_quiet_hours,
            self._listening(step_recipients(first_rung(plan), severity), workspace_id),
        )
        if withheld is not None:
            return Decided.of(plan, [Verdict(ear, withheld) for ear, _ in found])
        decide, reason = self._decide, Reason.INFORMATIONAL
        verdicts = [decide(ear, reason, severity, is_wanted, obeys) for ear, is_wanted in found]
        return Decided.of(plan, [_with_floor(verdict, first_rung(plan), severity) for verdict in verdicts])

    def _listening(self, wanted: Mapping[UUID, bool], workspace_id: UUID) -> list[tuple[Recipient, bool]]:
        found = ((self._ears.get(id), is_wanted) for id, is_wanted in wanted.items())
        return [(ear, is_wanted) for ear, is_wanted in found if ear is not None and ear.workspace_id == workspace_id]

    def _considered(self, one: Telling, heard: tuple[UUID, ...], withheld: str | None) -> Decided:
        wanted = one.concerned
        if one.reaches_notified:
            wanted |= dict.fromkeys(heard, True)
        listening = self._listening(wanted, one.incident.workspace_id)
        if withheld is not None:
            return Decided.of(one.plan, [Verdict(ear, withheld) for ear, _ in listening], heard)
        severity, obeys = one.then.severity, one.plan.obeys_quiet_hours
        verdicts = [
            self._decide(ear, one.reason, severity, is_wanted, obeys, ear.id in heard, one.traits)
            for ear, is_wanted in listening
        ]
        verdicts = [_with_floor(verdict, one.asked_steps, severity) for verdict in verdicts]
        newly = tuple(each.ear.id for each in verdicts if each.cause in MEANT and each.ear.id not in heard)
        return Decided.of(one.plan, verdicts, heard, newly)

    def _decide(
        self,
        ear: Recipient,
        reason: Reason,
        severity: Severity,
        is_wanted: bool,
        obeys: bool,
        heard: bool = False,
        traits: Traits = PLAIN,
    ) -> Verdict:
        until = (
            self._quiet(ear.workspace_id)
            if is_deferred(ear.quiet_hours_threshold, severity, respects_quiet_hours=obeys)
            else None
        )
        listener = RecipientState(
            enabled=ear.enabled,
            stopped=ear.stopped,
            send_updates=ear.send_updates,
            send_notes=ear.send_notes,
            min_severity=ear.min_severity,
            heard=heard,
            wanted=is_wanted,
            quiet=until is not None,
        )
        cause = notices.decide(listener, reason, severity, traits)
        return Verdict(ear, cause, until if cause is Cause.QUIET_HOURS else None)

    def _quiet(self, workspace_id: UUID) -> datetime | None:
        """Quiet hours begin and end with whole minutes, so within one minute the answer is one."""
        now, quiet = self._plans.now, self._plans.book(workspace_id).quiet
        if not quiet.enabled:
            return None
        asked = (workspace_id, int(now.timestamp()) // 60)
        if asked not in self._quiet_until:
            self._quiet_until[asked] = quiet.until(now)
        return self._quiet_until[asked]
