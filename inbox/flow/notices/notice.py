"""A notice, from the event or act that causes it to the stored row.

1. An event, a timer or a person's act creates it.
2. `recipients.prepare` adds the incident's values, its plan and its number, unless the plan's delay holds the notice
   back.
3. `create.create_notices` adds its recipients, its id, its time and its body, and stores it. An alert that may reach
   nobody gets a timer for a fallback check, so that somebody notices.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

import orjson

from inbox.domain.deliveries import notices, storms
from inbox.domain.deliveries.fallback import ALERTS, GRACE
from inbox.domain.deliveries.fallback_reasons import FallbackReason
from inbox.domain.deliveries.notices import NO_TRAITS, Cause, Change, NoticeTraits, SeverityFloor
from inbox.domain.deliveries.notification_plan import NotificationPlan, count_taken, first_steps, taken_steps
from inbox.domain.deliveries.pages import Page, has_nobody
from inbox.domain.deliveries.suppression import passes_silence, suppression_cause
from inbox.domain.incidents.alerts import JoinedAlerts
from inbox.domain.incidents.incident import Actor, Escalation, Incident
from inbox.domain.incidents.state_machine import Reason
from inbox.domain.routing.profiles import Step
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.domain.values.severity import Severity
from inbox.models.deliveries.fallback_checks import CHECK
from inbox.models.deliveries.recipients import Recipient
from inbox.models.incidents.lock import IncidentRow
from inbox.models.incidents.timers import TimerSpec

OWNERS = "The owners"
"""The recipient name of a fallback by mail."""

UNREACHABLE = frozenset({Cause.DISABLED, Cause.STOPPED})
"""The causes for which a destination cannot receive an alert."""


class RecipientDecision(NamedTuple):
    """The decision about a destination.

    `until` is the time at which a deferred delivery leaves. `min_severity` is the severity that was not reached.
    """

    recipient: Recipient
    cause: str
    until: datetime | None = None
    min_severity: SeverityFloor | None = None

    def record(self, because: FallbackReason | None = None) -> dict[str, object]:
        """Returns the decision as an entry of the notice's explanation."""
        id = ids.encode(Prefix.DESTINATION, self.recipient.id)
        return notices.decision_record(
            id, self.recipient.name, self.cause, until=self.until, fallback_reason=because, floor=self.min_severity
        )


@dataclass(frozen=True, slots=True)
class Fallback:
    """The destinations of a `fallback`, its reason, and whether the owners get a mail."""

    to: tuple[UUID, ...]
    because: FallbackReason
    mailed: bool = False


@dataclass(slots=True)
class IncidentNotice:
    """A notice of an incident's current values.

    `steps` are the plan's steps that it notifies; None means all reached steps. `change` is a person's change.
    """

    incident: IncidentRow
    reason: Reason
    escalation: Escalation | None = None
    by: Actor | None = None
    event_id: UUID | None = None
    steps: Sequence[Step] | None = None
    fallback: Fallback | None = None
    traits: NoticeTraits = NO_TRAITS
    change: Change | None = None
    joined: JoinedAlerts | None = None
    """The alerts that joined since the last notice about them."""

    is_page: bool = False
    """Whether a person pages people by it. A delay of the plan does not hold it."""

    alerts_people: bool = field(init=False, default=False)
    """Whether it is an alert that nothing withholds, so that it also tells of joined alerts."""

    then: Incident = field(init=False)
    """The incident's values at the time of the notice."""
    plan: NotificationPlan = field(init=False)
    seq: int = field(init=False)

    recipients: Sequence[RecipientDecision] = field(init=False)
    pages: Sequence[Page] = ()
    """The pages of the steps that are due with this notice."""
    id: UUID = field(init=False)
    at: datetime = field(init=False)
    body: str = field(init=False)
    """The exact JSON for webhooks."""

    @property
    def may_page(self) -> bool:
        """Whether its steps may name people."""
        return self.is_page or self.plan.pages_people

    @property
    def workspace_id(self) -> UUID:
        """The workspace of the incident."""
        return self.incident.workspace_id

    @property
    def incident_id(self) -> UUID:
        """The id of the incident."""
        return self.incident.id

    def fallback_timers(self, now: datetime, *, can_send_mail: bool) -> list[TimerSpec]:
        """Returns the fallback check of an alert: at once if no destination is reachable, in two minutes if critical.

        Undone acts and alerts withheld by flapping have no check. An alert has none either when both the fallback
        destination and the mail server are missing.
        """
        if (
            self.reason not in ALERTS
            or self.traits.undone
            or suppression_cause(self.then, self.reason) == Cause.FLAPPING
            or (self.plan.fallback_destination_id is None and not can_send_mail)
        ):
            return []
        if self.reaches_nobody:
            return [TimerSpec(CHECK, self.id, self.workspace_id, now)]
        if self.then.severity is Severity.CRITICAL and Cause.NOTIFY in self._causes:
            return [TimerSpec(CHECK, self.id, self.workspace_id, now + GRACE)]
        return []

    @property
    def reaches_nobody(self) -> bool:
        """Returns whether the notice is an alert that no destination can receive now, and no later step has a destination."""
        causes = self._causes
        if self.reason not in ALERTS or not causes <= UNREACHABLE:
            return False
        return bool(causes) or not (self._has_later_recipient or self._pages_somebody)

    @property
    def _pages_somebody(self) -> bool:
        """Returns whether a step of the notice names people and reaches one. Previews have no destinations for them."""
        named = any(step.people and step.accepts(self.then.severity) for step in candidate_steps(self))
        return named and not has_nobody(self.pages)

    @property
    def _causes(self) -> set[str]:
        """The causes of the decisions, except for phones: a push service may accept a message that nobody sees."""
        return {decision.cause for decision in self.recipients if not decision.recipient.is_phone}

    @property
    def _has_later_recipient(self) -> bool:
        """Returns whether a later step of the plan has destinations or people.

        After a step that paged nobody, the steps of the same round count alone, because they follow at once.
        """
        taken = count_taken(self.plan, self.then)
        later = self.plan.steps[taken:]
        if self.pages and has_nobody(self.pages) and taken:
            later = tuple(step for step in later if step.round == self.plan.steps[taken - 1].round)
        return any((step.destination_ids or step.people) and step.accepts(self.then.severity) for step in later)

    @property
    def urgency(self) -> int:
        """The order among the notices that wait for a destination with a pace."""
        return storms.URGENCY[self.reason][self.then.severity]

    @property
    def decisions(self) -> str:
        """The explanation as JSON."""
        because = None if self.fallback is None else self.fallback.because
        records = [decision.record(because) for decision in self.recipients]
        records += [notices.decision_record(None, page.name, page.cause) for page in self.pages if page.cause]
        if self.fallback is not None and self.fallback.mailed:
            records.append(notices.decision_record(None, OWNERS, Cause.MAILED, fallback_reason=because))
        return orjson.dumps(records).decode()


def candidate_steps(one: IncidentNotice) -> Sequence[Step]:
    """Returns the steps whose minimum severity is checked.

    Before any step is reached, the first steps count. So the decision names a cause for each of their destinations. If
    the reached steps have left the plan, the next ones still come at their times.
    """
    steps = taken_steps(one.plan, one.then) if one.steps is None else one.steps
    return steps if steps or one.then.steps_taken else first_steps(one.plan)


def withheld_cause(one: IncidentNotice) -> str | None:
    """Returns why the notice goes to nobody: a silence covers the incident, or it flaps."""
    return suppression_cause(one.then, one.reason, by_person=is_by_person(one))


def is_by_person(one: IncidentNotice) -> bool:
    """Returns whether a person caused the notice, so that a silence does not suppress it."""
    return passes_silence(one.reason, one.by, undone=one.traits.undone)


@dataclass(slots=True)
class EventNotice:
    """The informational notice of an event that causes no incident."""

    event_id: UUID
    workspace_id: UUID
    source_id: UUID
    title: str
    severity: Severity
    resource: str | None
    received_at: datetime
    routing_profile_id: UUID | None
    destination_ids: Sequence[UUID]
    withheld: str | None = None
    """The cause why nobody is notified, if any (`suppression.silenced_cause`)."""

    reason = Reason.INFORMATIONAL
    incident_id = None
    seq = 0
    recipients: Sequence[RecipientDecision] = field(init=False)
    id: UUID = field(init=False)
    at: datetime = field(init=False)
    body: str = field(init=False)
    """The exact JSON for webhooks."""

    @property
    def urgency(self) -> int:
        """The order among the notices that wait for a destination with a pace."""
        return storms.URGENCY[self.reason][self.severity]

    @property
    def decisions(self) -> str:
        """The explanation as JSON."""
        return orjson.dumps([decision.record() for decision in self.recipients]).decode()
