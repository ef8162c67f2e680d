"""When nobody could be told: a `fallback` to whoever is there for that, once for each time that an incident opens."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from inbox import settings
from inbox.domain.fallback import fallback_reason
from inbox.domain.incident import Act, State, Transitioned, apply_act
from inbox.domain.notices import FallbackReason
from inbox.flow import mails
from inbox.flow.audience import Fallback
from inbox.flow.clocks import CLOCK
from inbox.flow.ledger import Ledger
from inbox.flow.notify import incident_url
from inbox.flow.work import Done
from inbox.mail.letters import NobodyTold
from inbox.models import timers
from inbox.models.deliveries import fallback_checks
from inbox.models.deliveries import recipients as notice_recipients
from inbox.models.deliveries.fallback_checks import CHECK, AlertStatus
from inbox.models.events import queue as event_queue
from inbox.models.events.queue import SourceContext
from inbox.models.incidents import lock as incident_lock
from inbox.models.incidents.lock import IncidentRow
from inbox.queue import Bell


def look(notice_id: UUID, now: datetime, done: Done) -> None:
    """What the timer of an alarm does: find out whether anybody heard it, and fall back when nobody could.

    Nothing when the incident is not open any more, was opened anew since, or had its fallback already.
    """
    incident_id = fallback_checks.incident_of(notice_id)
    incident = None if incident_id is None else incident_lock.lock(incident_id)
    if incident is None:
        return
    alarm = fallback_checks.status(notice_id)
    opened_at = incident.state_values.opened_at
    if incident.state_values.state is not State.OPEN or alarm.created_at < opened_at:
        return
    if alarm.fell_back_at is not None and alarm.fell_back_at >= opened_at:
        return
    found = fallback_reason(alarm.deliveries, incident.state_values.severity, alarm.first_attempt, now)
    if isinstance(found, datetime):
        timers.set_timer(CHECK, notice_id, incident.workspace_id, found)
        done.ring(Bell.TIMERS, at=found)
    elif found is not None:
        _fall_back(incident, alarm, found, now, done)


def _fall_back(incident: IncidentRow, alarm: AlertStatus, because: FallbackReason, now: datetime, done: Done) -> None:
    origins = event_queue.source_contexts([incident.source_id])
    origin = origins[incident.source_id]
    moved = apply_act(incident.state_values, Act.UNDELIVERABLE, now)
    if origin.is_deleted or not isinstance(moved, Transitioned) or moved.reason is None:
        return
    ledger = Ledger(now, done, origins)
    plan, book = ledger.plans.of(incident), ledger.plans.book(incident.workspace_id)
    last = last_resort(
        incident.workspace_id, (plan.fallback_destination_id, book.settings.fallback_destination_id), alarm
    )
    if last.destination_id is None and not last.mailed:
        return
    to = () if last.destination_id is None else (last.destination_id,)
    fallback = Fallback(to, because, last.mailed)
    ledger.enter(incident, "fallback", CLOCK, {"fallbackReason": because})
    ledger.moved(incident, moved.incident)
    ledger.tell_of(incident, moved.reason, fallback=fallback)
    ledger.write()
    if last.mailed:
        _mail_the_owners(incident, origin, now, done)


class Last(NamedTuple):
    """To whom a fallback goes: a destination, which `hears` or not, and where it does not also the owners by `mail`."""

    destination_id: UUID | None
    hears: bool
    mailed: bool


def last_resort(workspace_id: UUID, named: Iterable[UUID | None], alarm: AlertStatus) -> Last:
    """Of those that are there for that, in their order, the first that is enabled, not stopped and did not get the alarm."""
    untried = [id for id in dict.fromkeys(named) if id is not None and id not in alarm.tried]
    ears = notice_recipients.recipients(untried)
    fit = (ears[id] for id in untried if id in ears and ears[id].workspace_id == workspace_id)
    to = next((ear.id for ear in fit if ear.enabled and not ear.stopped), None)
    if to is not None:
        return Last(to, hears=True, mailed=False)
    return Last(next(iter(untried), None), hears=False, mailed=settings.current().mails)


def _mail_the_owners(incident: IncidentRow, origin: SourceContext, now: datetime, done: Done) -> None:
    for name, address in fallback_checks.owners(incident.workspace_id):
        letter = NobodyTold(
            name=name,
            workspace=origin.workspace_name,
            source=origin.source_name,
            title=incident.title,
            severity=incident.state_values.severity,
            link=incident_url(origin.workspace_slug, incident.id),
        )
        mails.post(done, letter, address, now)
