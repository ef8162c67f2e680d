"""Creates notices of incidents and of informational events, with their decisions and deliveries."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from inbox.config import settings
from inbox.destinations import PAID
from inbox.domain.deliveries import notices
from inbox.domain.deliveries.hastening import NOBODY_PAGED
from inbox.domain.deliveries.notices import Cause, NoticeFields
from inbox.domain.deliveries.notification_plan import first_steps, step_recipients
from inbox.domain.deliveries.pages import ACKNOWLEDGED, NOTIFICATION_RULE
from inbox.domain.incidents.incident import Actor, ActorType
from inbox.domain.incidents.state_machine import Reason
from inbox.domain.incidents.timeline import EntryKind
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.flow.notices.notice import EventNotice, IncidentNotice
from inbox.flow.notices.paging import reaches_nobody
from inbox.flow.notices.recipients import RecipientResolver, considered
from inbox.flow.timers.incident_schedule import Plans
from inbox.flow.unit_of_work import AfterCommit
from inbox.live.feed import Parents
from inbox.models.deliveries import pages as stored_pages
from inbox.models.deliveries import recipients as notice_recipients
from inbox.models.deliveries.recipients import NewDelivery
from inbox.models.events.queue import SourceContext
from inbox.models.incidents.timers import TimerSpec
from inbox.models.incidents.write import Entry, insert_entries
from inbox.runtime.queue import QueueName

_ENDS_PAGES = frozenset({Reason.ACKNOWLEDGED, Reason.SNOOZED, Reason.RESOLVED})
"""The reasons of notices that end what of notification rules is not sent yet."""

_CLOCK = Actor(ActorType.TIMER, "", "Clock")
"""The actor of pages: their step was due."""

_STATUS: Mapping[str, str] = {
    Cause.NOTIFY: "pending",
    Cause.STOPPED: "held",
    Cause.QUIET_HOURS: "held",
    Cause.DIGEST: "held",
    Cause.DISABLED: "skipped",
}


def create_notices(
    pending: Sequence[IncidentNotice],
    of_events: Sequence[EventNotice],
    origins: Mapping[UUID, SourceContext],
    plans: Plans,
    make_id: Callable[[], UUID],
    done: AfterCommit,
) -> list[TimerSpec]:
    """Creates the notices in the given order, and returns the timers of fallback checks (specification 9.1).

    1. Decide who receives each notice (`recipients`).
    2. Complete each notice with its id, its time and its body, and make its deliveries.
    3. Store all notices and deliveries. A notice without deliveries is stored too, with its decisions.

    The transaction has already written the incidents. `origins` are by source.
    """
    if not pending and not of_events:
        return []
    _stop_waiting(pending, plans.now, done)
    resolver = RecipientResolver.of(pending, of_events, plans)
    deliveries, checks, entries = list[NewDelivery](), list[TimerSpec](), list[Entry]()
    can_send_mail = settings.current().can_send_mail
    for one in pending:
        one.recipients, one.id = resolver.resolve(one), make_id()
        if resolver.pages.fresh:
            checks += _store_pages(one, resolver, plans, make_id, done)
            entries += _paged_entry(one, plans.now, make_id)
        one.at = max(plans.now, one.incident.last_entry_at or plans.now)  # the clock of another worker may be ahead
        one.body = _body(one, _fields_of_incident(one, origins[one.incident.source_id], plans))
        deliveries += _new_deliveries(one, make_id)
        checks += one.fallback_timers(plans.now, can_send_mail=can_send_mail)
    for news in of_events:
        news.recipients, news.id, news.at = resolver.resolve_event(news), make_id(), plans.now
        news.body = _body(news, _fields_of_event(news, origins[news.source_id]))
        deliveries += _new_deliveries(news, make_id)
    notice_recipients.insert([*pending, *of_events], deliveries, plans.now, done.statements)
    insert_entries(entries, done.statements)
    _announce(deliveries, done)
    return checks


def _store_pages(
    one: IncidentNotice, resolver: RecipientResolver, plans: Plans, make_id: Callable[[], UUID], done: AfterCommit
) -> list[TimerSpec]:
    """Stores whom the steps of the notice page. Returns the timer of the next step if they reach nobody."""
    fresh = resolver.pages.take_fresh(one)
    one.pages = [page for _, page in fresh]
    stored_pages.insert([(make_id(), key, one.id, page) for key, page in fresh], plans.now, done.statements)
    if not reaches_nobody(one, [key for key, _ in fresh]):
        return []
    # Never the due time of the timer that took this step: a run removes the timer with its own due time.
    at = plans.now - one.then.steps_taken * timedelta.resolution
    return [TimerSpec(NOBODY_PAGED, one.incident.id, one.workspace_id, at)]


def _paged_entry(one: IncidentNotice, now: datetime, make_id: Callable[[], UUID]) -> list[Entry]:
    """Returns the timeline entry of the pages of a notice, if its steps are due with it."""
    if not one.pages:
        return []
    at = max(now, one.incident.last_entry_at or now)
    details = {"pages": [page.record() for page in one.pages]}
    return [
        Entry(
            make_id(), at, one.incident, EntryKind.PAGED, one.by if one.is_page and one.by else _CLOCK, details=details
        )
    ]


def _stop_waiting(pending: Sequence[IncidentNotice], now: datetime, done: AfterCommit) -> None:
    """Skips what waits for notification rules of incidents that a person or a recovery acted on."""
    stop_waiting(
        {one.incident.id for one in pending if one.reason in _ENDS_PAGES and not one.incident.is_new}, now, done
    )


def stop_waiting(incident_ids: Collection[UUID], now: datetime, done: AfterCommit, cause: str = ACKNOWLEDGED) -> None:
    """Skips what waits for notification rules of these incidents, or for the pace of calls, with this cause."""
    if not incident_ids:
        return
    stopped = notice_recipients.stop_waiting(incident_ids, now, cause, PAID)
    for delivery_id, workspace_id, incident_id, destination_id in stopped:
        parents = Parents(incident_id=incident_id, destination_id=destination_id)
        done.publish_change("delivery", delivery_id, workspace_id, parents=parents)


def _announce(deliveries: Sequence[NewDelivery], done: AfterCommit) -> None:
    for delivery in deliveries:
        parents = Parents(incident_id=delivery.notice.incident_id, destination_id=delivery.destination_id)
        done.publish_change("delivery", delivery.id, delivery.notice.workspace_id, op="created", parents=parents)
    if any(delivery.status != "skipped" and delivery.until is None for delivery in deliveries):
        done.wake(QueueName.DELIVERY)
    for until in sorted({delivery.until for delivery in deliveries if delivery.until is not None}):
        done.wake(QueueName.DELIVERY, at=until)


def _new_deliveries(notice: IncidentNotice | EventNotice, make_id: Callable[[], UUID]) -> list[NewDelivery]:
    return [
        NewDelivery(make_id(), notice, recipient.id, _STATUS[cause], _cause(cause, until), until)
        for recipient, cause, until, _ in notice.recipients
        if cause in _STATUS
    ]


def _cause(cause: str, until: datetime | None) -> str | None:
    """Returns the cause of a delivery: none if it is sent at once."""
    if cause != Cause.NOTIFY:
        return cause
    return None if until is None else NOTIFICATION_RULE


def _body(notice: IncidentNotice | EventNotice, fields: NoticeFields) -> str:
    return notices.body_text(notices.payload(notice.reason, fields, notice.at))


def _fields_of_event(news: EventNotice, origin: SourceContext) -> NoticeFields:
    event_id = ids.encode(Prefix.EVENT, news.event_id)
    return NoticeFields(
        title=news.title,
        severity=news.severity,
        state="",
        source_name=origin.source_name,
        workspace_name=origin.workspace_name,
        incident_id="",
        first_seen_at=news.received_at,
        url=f"{workspace_url(origin.workspace_slug)}/events/{event_id}",
        resource=news.resource or "",
        event_id=event_id,
    )


def _fields_of_incident(one: IncidentNotice, origin: SourceContext, plans: Plans) -> NoticeFields:
    incident, then = one.incident, one.then
    runbooks = plans.config(one.workspace_id).runbooks
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
        alerts=then.alerts,
        runbook_url=runbooks.get(incident.rule_id, "") if incident.rule_id is not None else "",
        joined=one.joined,
    )


PAGED_DESTINATIONS = 20
"""The destinations that an entry of `people` is assumed to have: some people with some contacts each."""


def most_recipients(notice: IncidentNotice, plans: Plans) -> int:
    """Returns the largest number of destinations that a prepared notice can have. Routing bounds its batches by it.

    Destinations that left the route since an earlier notice are not counted.
    """
    reaches_phones = notice.fallback is None and notice.steps is None
    paged = PAGED_DESTINATIONS * sum(len(step.people) for step in notice.plan.steps)
    return len(considered(notice)) + paged + (plans.config(notice.workspace_id).phones if reaches_phones else 0)


def most_recipients_of_event(notice: EventNotice, plans: Plans) -> int:
    """Does the same as `most_recipients`, for a notice of an event that causes no incident."""
    plan = plans.by(notice.workspace_id, notice.routing_profile_id, notice.destination_ids)
    return len(step_recipients(first_steps(plan), notice.severity))


def incident_url(slug: str, incident_id: UUID) -> str:
    """Returns the incident's page in the dashboard (specification 7.1)."""
    return f"{workspace_url(slug)}/incidents/{ids.encode(Prefix.INCIDENT, incident_id)}"


def workspace_url(slug: str) -> str:
    """Returns the address of a workspace in the dashboard."""
    return f"{settings.current().base_url}/w/{slug}"
