"""Telling: for an incident that moved, or an event that is told by itself, who hears of it and why, and what is sent."""

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
from inbox.flow import unheard
from inbox.flow.audience import Audience, Fallback, Telling, Verdict, first_rung
from inbox.flow.plans import Plans
from inbox.flow.work import Done
from inbox.models.deliveries import recipients as notice_recipients
from inbox.models.deliveries.recipients import NewDelivery, NewNotice
from inbox.models.events.queue import SourceContext
from inbox.models.timers import TimerSpec
from inbox.queue import Bell

_STATUS: Mapping[str, str] = {
    Cause.NOTIFY: "pending",
    Cause.STOPPED: "held",
    Cause.QUIET_HOURS: "held",
    Cause.DISABLED: "skipped",
}

OWNERS = "The owners"
"""What a fallback by mail names in place of a destination."""


@dataclass(frozen=True, slots=True)
class News:
    """An event of which a rule only wants to tell; to whom is as of an incident (`Plans.by`), of its first steps."""

    event_id: UUID
    source_id: UUID
    title: str
    severity: Severity
    resource: str | None
    at: datetime
    routing_profile_id: UUID | None
    destination_ids: Sequence[UUID]
    withheld: str | None = None
    """Why nobody is told of it, if so (`withheld.by_silence`)."""


def tell(
    tellings: Sequence[Telling],
    news: Sequence[News],
    origins: Mapping[UUID, SourceContext],
    plans: Plans,
    make_id: Callable[[], UUID],
    done: Done,
) -> list[TimerSpec]:
    """Decide for each destination of each notice and write notices and deliveries, in the order given.

    Specification 9.1.

    The incidents are written already, in this transaction. `origins` are by source. A notice that nobody is sent is
    written too, with the decisions that say why. Answers the timers that look whether an alarm was heard.
    """
    if not tellings and not news:
        return []
    of_news = [(one, plans.by(_home(one, origins), one.routing_profile_id, one.destination_ids)) for one in news]
    others = {id for _, plan in of_news for step in first_rung(plan) for id in step.destination_ids}
    audience = Audience.of(tellings, others, plans)
    written, deliveries, watched = [], [], list[TimerSpec]()
    for one in tellings:
        verdicts = audience.decided(one).verdicts
        notice = _of_incident(one, verdicts, origins[one.incident.source_id], plans.now, make_id())
        written.append(notice)
        deliveries += _owed(notice, verdicts, make_id)
        watched += unheard.watch(one, notice, verdicts, plans.now)
    for event, plan in of_news:
        origin = origins[event.source_id]
        verdicts = audience.decided_of_news(origin.workspace_id, plan, event.severity, event.withheld).verdicts
        notice = _of_event(event, verdicts, origin, plans.now, make_id())
        written.append(notice)
        deliveries += _owed(notice, verdicts, make_id)
    notice_recipients.insert(written, deliveries, plans.now)
    _announce(deliveries, done)
    return watched


def _home(event: News, origins: Mapping[UUID, SourceContext]) -> UUID:
    return origins[event.source_id].workspace_id


def _announce(deliveries: Sequence[NewDelivery], done: Done) -> None:
    for delivery in deliveries:
        done.changed("delivery", delivery.id, delivery.notice.workspace_id, op="created")
    if any(delivery.status != "skipped" and delivery.until is None for delivery in deliveries):
        done.ring(Bell.DELIVERY)
    for until in sorted({delivery.until for delivery in deliveries if delivery.until is not None}):
        done.ring(Bell.DELIVERY, at=until)


def _owed(notice: NewNotice, verdicts: Sequence[Verdict], make_id: Callable[[], UUID]) -> list[NewDelivery]:
    return [
        NewDelivery(make_id(), notice, ear.id, _STATUS[cause], None if cause is Cause.NOTIFY else cause, until)
        for ear, cause, until, _ in verdicts
        if cause in _STATUS
    ]


def _of_incident(
    one: Telling, verdicts: Sequence[Verdict], origin: SourceContext, now: datetime, id: UUID
) -> NewNotice:
    """No earlier than its timeline says: who was here before may have had a clock that is ahead."""
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
        decisions=_decisions(verdicts, one.fallback),
    )


def _of_event(event: News, verdicts: Sequence[Verdict], origin: SourceContext, now: datetime, id: UUID) -> NewNotice:
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
        decisions=_decisions(verdicts),
    )


def _decisions(verdicts: Sequence[Verdict], fallback: Fallback | None = None) -> str:
    because = None if fallback is None else fallback.because
    records: list[dict[str, Any]] = [verdict.record(because) for verdict in verdicts]
    if fallback is not None and fallback.mailed:
        records.append(notices.decision_record(None, OWNERS, Cause.MAILED, because=because))
    return orjson.dumps(records).decode()


def _facts(one: Telling, origin: SourceContext) -> NoticeFields:
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
