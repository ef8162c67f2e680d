"""Sends the `fallback` of an alert that no destination accepted, at most once per opening of an incident."""

from __future__ import annotations

from collections.abc import Container, Iterable
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from inbox.config import settings
from inbox.domain.deliveries.fallback import fallback_reason, watched_since
from inbox.domain.deliveries.fallback_reasons import FallbackReason
from inbox.domain.incidents import undo
from inbox.domain.incidents.incident import Act, State, Transitioned, apply_act
from inbox.flow import mail_outbox
from inbox.flow.notices.create import incident_url
from inbox.flow.notices.notice import Fallback, IncidentNotice
from inbox.flow.routing.incidents import IncidentWriter, write_changes
from inbox.flow.routing.recorder import IncidentRecorder
from inbox.flow.timers.incident_schedule import Plans
from inbox.flow.timers.incident_timers import TIMER_ACTOR
from inbox.flow.unit_of_work import AfterCommit
from inbox.mail import templates
from inbox.models.deliveries import fallback_checks
from inbox.models.deliveries import pages as stored_pages
from inbox.models.deliveries import recipients as notice_recipients
from inbox.models.deliveries.fallback_checks import CHECK, AlertStatus
from inbox.models.events import queue as event_queue
from inbox.models.events.queue import SourceContext
from inbox.models.incidents import lock as incident_lock
from inbox.models.incidents import timers
from inbox.models.incidents.lock import IncidentRow
from inbox.runtime.queue import QueueName


class FallbackTarget(NamedTuple):
    """The target of a fallback: a destination, whether it is reachable, and whether the owners get a mail."""

    destination_id: UUID | None
    recipients: bool
    mailed: bool


def fallback_target(workspace_id: UUID, named: Iterable[UUID | None], tried: Container[UUID]) -> FallbackTarget:
    """Returns the first usable destination of `named`, else mail to the owners.

    A usable destination is enabled, not stopped, and did not get the alert.
    """
    untried = [id for id in dict.fromkeys(named) if id is not None and id not in tried]
    recipients = notice_recipients.recipients(untried)
    usable = (recipients[id] for id in untried if id in recipients and recipients[id].workspace_id == workspace_id)
    to = next((recipient.id for recipient in usable if recipient.enabled and not recipient.stopped), None)
    if to is not None:
        return FallbackTarget(to, recipients=True, mailed=False)
    return FallbackTarget(next(iter(untried), None), recipients=False, mailed=settings.current().can_send_mail)


def check(notice_id: UUID, now: datetime, done: AfterCommit) -> None:
    """Runs the timer of an alert: sends the fallback when no destination can accept the alert.

    Nothing happens when the incident is not open, was reopened since, or already had its fallback. While an undo may
    reopen it, it is checked again later.
    """
    incident_id = fallback_checks.incident_of(notice_id)
    incident = None if incident_id is None else incident_lock.lock(incident_id)
    if incident is None:
        return
    alert = fallback_checks.status(notice_id, now)
    opened = incident.state_values.opened_at
    if alert.created_at < opened:
        return
    if incident.state_values.state is not State.OPEN:
        if incident.last_entry_at is not None and now < incident.last_entry_at + undo.WINDOW:
            timers.set_timer(CHECK, notice_id, incident.workspace_id, now + undo.WINDOW)
        return
    if alert.fell_back_at is not None and alert.fell_back_at >= opened:
        return
    since = watched_since(alert.deliveries, alert.first_attempt, alert.created_at)
    status = fallback_reason(alert.deliveries, incident.state_values.severity, since, now)
    if isinstance(status, datetime):
        timers.set_timer(CHECK, notice_id, incident.workspace_id, status)
        done.wake(QueueName.TIMERS, at=status)
    elif status is not None:
        _send_fallback(incident, alert, _with_pages(incident, status), now, done)


def _with_pages(incident: IncidentRow, because: FallbackReason) -> FallbackReason:
    """Returns the reason, which names that nobody is on call if the steps page people."""
    opened_at = incident.state_values.opened_at
    is_about_people = because is FallbackReason.NO_DESTINATION and stored_pages.paged_nobody(incident.id, opened_at)
    return FallbackReason.NOBODY_ON_CALL if is_about_people else because


def _send_fallback(
    incident: IncidentRow, alert: AlertStatus, because: FallbackReason, now: datetime, done: AfterCommit
) -> None:
    origins = event_queue.source_contexts([incident.source_id])
    origin = origins[incident.source_id]
    if origin.is_deleted:
        return
    writer = IncidentWriter(now, done, origins)
    fallback = notify_fallback(incident, writer.plans, alert.tried, because, writer)
    if fallback is None:
        return
    write_changes(writer)
    if fallback.mailed:
        _mail_the_owners(incident, origin, now, done)


def notify_fallback(
    incident: IncidentRow,
    plans: Plans,
    tried: Container[UUID],
    because: FallbackReason,
    recorder: IncidentRecorder,
) -> Fallback | None:
    """Records the fallback of an incident whose alert was meant for the destinations `tried`.

    Returns None when the incident takes no fallback in its state, or nobody is left to notify.
    """
    transition = apply_act(incident.state_values, Act.UNDELIVERABLE, recorder.now)
    if not isinstance(transition, Transitioned) or transition.reason is None:
        return None
    plan, config = plans.of(incident), plans.config(incident.workspace_id)
    candidate_ids = (plan.fallback_destination_id, config.settings.fallback_destination_id)
    target = fallback_target(incident.workspace_id, candidate_ids, tried)
    if target.destination_id is None and not target.mailed:
        return None
    fallback = Fallback(() if target.destination_id is None else (target.destination_id,), because, target.mailed)
    recorder.add_timeline_entry(incident, "fallback", TIMER_ACTOR, {"fallbackReason": because})
    recorder.update(incident, transition.incident)
    recorder.add_notice(IncidentNotice(incident, transition.reason, fallback=fallback))
    return fallback


def _mail_the_owners(incident: IncidentRow, origin: SourceContext, now: datetime, done: AfterCommit) -> None:
    for name, address in fallback_checks.owners(incident.workspace_id):
        mail = templates.fill(
            "nobody_told",
            name=name,
            workspace=origin.workspace_name,
            source=origin.source_name,
            title=incident.title,
            severity=incident.state_values.severity,
            link=incident_url(origin.workspace_slug, incident.id),
        )
        mail_outbox.enqueue(done, mail, address, now)
