"""Creates notices of incidents and of informational events, with their decisions and deliveries."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import orjson

from inbox import settings
from inbox.domain import ids, notices
from inbox.domain.ids import Prefix
from inbox.domain.notices import Cause, NoticeFields
from inbox.domain.severity import Severity
from inbox.domain.state_machine import Reason
from inbox.flow.notices import fallback_watch
from inbox.flow.notices.recipients import Fallback, PendingNotice, RecipientDecision, RecipientResolver, first_steps
from inbox.flow.timers.incident_schedule import Plans
from inbox.flow.unit_of_work import AfterCommit
from inbox.live.feed import Parents
from inbox.models.deliveries import recipients as notice_recipients
from inbox.models.deliveries.recipients import NewDelivery, NewNotice
from inbox.models.events.queue import SourceContext
from inbox.models.timers import TimerSpec
from inbox.queue import QueueName

_STATUS: Mapping[str, str] = {
    Cause.NOTIFY: "pending",
    Cause.STOPPED: "held",
    Cause.QUIET_HOURS: "held",
    Cause.DISABLED: "skipped",
}

OWNERS = "The owners"
"""The recipient name of a fallback by mail."""


@dataclass(frozen=True, slots=True)
class InformationalNotice:
    """The notice of an event that causes no incident. Its recipients are the first steps of its plan (`Plans.by`)."""

    event_id: UUID
    source_id: UUID
    title: str
    severity: Severity
    resource: str | None
    at: datetime
    routing_profile_id: UUID | None
    destination_ids: Sequence[UUID]
    withheld: str | None = None
    """The cause why nobody is notified, if any (`suppression.silenced_cause`)."""


def create_notices(
    tellings: Sequence[PendingNotice],
    informational: Sequence[InformationalNotice],
    origins: Mapping[UUID, SourceContext],
    plans: Plans,
    make_id: Callable[[], UUID],
    done: AfterCommit,
) -> list[TimerSpec]:
    """Decide about each destination of each notice; write notices and deliveries in the given order.

    Specification 9.1. The transaction has already written the incidents. `origins` are by source. A notice without
    deliveries is written too, with its decisions. Returns the timers of fallback checks.
    """
    if not tellings and not informational:
        return []
    of_informational = [
        (one, plans.by(_workspace_of(one, origins), one.routing_profile_id, one.destination_ids))
        for one in informational
    ]
    others = {id for _, plan in of_informational for step in first_steps(plan) for id in step.destination_ids}
    audience = RecipientResolver.of(tellings, others, plans)
    created, deliveries, watched = [], [], list[TimerSpec]()
    for one in tellings:
        decisions = audience.resolve(one).decisions
        notice = _of_incident(one, decisions, origins[one.incident.source_id], plans.now, make_id())
        created.append(notice)
        deliveries += _new_deliveries(notice, decisions, make_id)
        watched += fallback_watch.timers_for(one, notice, decisions, plans.now)
    for event, plan in of_informational:
        origin = origins[event.source_id]
        decisions = audience.resolve_informational(origin.workspace_id, plan, event.severity, event.withheld).decisions
        notice = _of_event(event, decisions, origin, plans.now, make_id())
        created.append(notice)
        deliveries += _new_deliveries(notice, decisions, make_id)
    notice_recipients.insert(created, deliveries, plans.now)
    _announce(deliveries, done)
    return watched


def _workspace_of(event: InformationalNotice, origins: Mapping[UUID, SourceContext]) -> UUID:
    return origins[event.source_id].workspace_id


def _announce(deliveries: Sequence[NewDelivery], done: AfterCommit) -> None:
    for delivery in deliveries:
        parents = Parents(incident_id=delivery.notice.incident_id, destination_id=delivery.destination_id)
        done.publish_change("delivery", delivery.id, delivery.notice.workspace_id, op="created", parents=parents)
    if any(delivery.status != "skipped" and delivery.until is None for delivery in deliveries):
        done.wake(QueueName.DELIVERY)
    for until in sorted({delivery.until for delivery in deliveries if delivery.until is not None}):
        done.wake(QueueName.DELIVERY, at=until)


def _new_deliveries(
    notice: NewNotice, decisions: Sequence[RecipientDecision], make_id: Callable[[], UUID]
) -> list[NewDelivery]:
    return [
        NewDelivery(make_id(), notice, recipient.id, _STATUS[cause], None if cause is Cause.NOTIFY else cause, until)
        for recipient, cause, until, _ in decisions
        if cause in _STATUS
    ]


def _of_incident(
    one: PendingNotice, decisions: Sequence[RecipientDecision], origin: SourceContext, now: datetime, id: UUID
) -> NewNotice:
    """The notice's time is never before its last timeline entry: the clock of another worker may be ahead."""
    at = max(now, one.incident.last_entry_at or now)
    return NewNotice(
        id=id,
        at=at,
        workspace_id=one.incident.workspace_id,
        incident_id=one.incident.id,
        event_id=one.event_id,
        seq=one.seq,
        reason=one.reason,
        body=notices.body_text(notices.payload(one.reason, _facts(one, origin), at)),
        decisions=_decisions(decisions, one.fallback),
    )


def _of_event(
    event: InformationalNotice, decisions: Sequence[RecipientDecision], origin: SourceContext, now: datetime, id: UUID
) -> NewNotice:
    facts = NoticeFields(
        title=event.title,
        severity=event.severity,
        state="",
        source_name=origin.source_name,
        workspace_name=origin.workspace_name,
        incident_id="",
        first_seen_at=event.at,
        url=f"{_address(origin.workspace_slug)}/events/{ids.encode(Prefix.EVENT, event.event_id)}",
        resource=event.resource or "",
        event_id=ids.encode(Prefix.EVENT, event.event_id),
    )
    return NewNotice(
        id=id,
        at=now,
        workspace_id=origin.workspace_id,
        incident_id=None,
        event_id=event.event_id,
        seq=0,
        reason=Reason.INFORMATIONAL,
        body=notices.body_text(notices.payload(Reason.INFORMATIONAL, facts, now)),
        decisions=_decisions(decisions),
    )


def _decisions(decisions: Sequence[RecipientDecision], fallback: Fallback | None = None) -> str:
    because = None if fallback is None else fallback.because
    records: list[dict[str, Any]] = [decision.record(because) for decision in decisions]
    if fallback is not None and fallback.mailed:
        records.append(notices.decision_record(None, OWNERS, Cause.MAILED, because=because))
    return orjson.dumps(records).decode()


def _facts(one: PendingNotice, origin: SourceContext) -> NoticeFields:
    incident, then = one.incident, one.then
    return NoticeFields(
        title=incident.title,
        severity=then.severity,
        state=then.state,
        source_name=origin.source_name,
        workspace_name=origin.workspace_name,
        incident_id=ids.encode(Prefix.INCIDENT, incident.id),
        first_seen_at=then.first_seen_at,
        url=incident_url(origin.workspace_slug, incident.id),
        resource=incident.resource or "",
        escalation=one.escalation,
        resolved_by=then.resolved_by if one.reason is Reason.RESOLVED else None,
        by=one.by,
        snoozed_until=then.snoozed_until if one.reason is Reason.SNOOZED else None,
        change=one.change,
        undone=one.traits.undone,
        flapping_ended=one.traits.flapping_ended,
    )


def incident_url(slug: str, incident_id: UUID) -> str:
    """The incident's page in the dashboard (specification 7.1)."""
    return f"{_address(slug)}/incidents/{ids.encode(Prefix.INCIDENT, incident_id)}"


def _address(slug: str) -> str:
    return f"{settings.current().base_url}/w/{slug}"
