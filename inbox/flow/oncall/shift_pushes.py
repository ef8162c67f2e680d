"""Tells people of their shifts on their phones, beside the mails (specification 23.16)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

import orjson

from inbox.config import settings
from inbox.database.base import new_id
from inbox.domain.deliveries import notices
from inbox.domain.deliveries.notices import Cause
from inbox.domain.explaining import on_call_text
from inbox.domain.explaining.on_call_text import PersonShift
from inbox.domain.oncall.person_periods import PersonPeriod
from inbox.domain.values import ids, wallclock
from inbox.domain.values.ids import Prefix
from inbox.flow.notices.create import workspace_url
from inbox.flow.oncall.channel_notices import ShiftNotice
from inbox.flow.unit_of_work import AfterCommit
from inbox.live.feed import Parents
from inbox.models.deliveries import contacts, recipients
from inbox.models.deliveries.recipients import NewDelivery, Recipient
from inbox.models.oncall.schedules import OnCallSchedule
from inbox.models.oncall.shift_notices import Addressee
from inbox.models.workspaces.tables import Workspace
from inbox.runtime.queue import QueueName


def send(
    schedule: OnCallSchedule,
    addressees: Mapping[UUID, Addressee],
    shifts: Sequence[tuple[PersonPeriod, int]],
    now: datetime,
    done: AfterCommit,
) -> None:
    """Creates a notice for each shift, to all phones of its person that chose the workspace.

    The caller remembers in the same transaction which shifts were told.
    """
    people = {period.user_id for period, _ in shifts}
    reachable = contacts.reachable(schedule.workspace_id, people, can_send_mail=settings.current().can_send_mail)
    phones = recipients.recipients(phone for person in reachable.values() for phone in person.phones)
    if not phones:
        return
    workspace = Workspace.get_by_id(schedule.workspace_id)
    made_notices, deliveries = list[ShiftNotice](), list[NewDelivery]()
    for period, further in shifts:
        person = reachable.get(period.user_id)
        chosen = [phones[each] for each in (person.phones if person else ()) if each in phones]
        text = on_call_text.person_body(_shift(schedule, workspace, period, further, addressees), now)
        notice = ShiftNotice(new_id(now), now, schedule.workspace_id, notices.body_text(text), _decisions(chosen))
        made_notices += [notice] if chosen else []
        deliveries += [NewDelivery(new_id(now), notice, each.id, "pending", None) for each in chosen]
    recipients.insert(made_notices, deliveries, now)
    for delivery in deliveries:
        parents = Parents(incident_id=None, destination_id=delivery.destination_id)
        done.publish_change("delivery", delivery.id, schedule.workspace_id, op="created", parents=parents)
    done.wake(QueueName.DELIVERY)


def _decisions(chosen: Sequence[Recipient]) -> str:
    return orjson.dumps(
        [notices.decision_record(ids.encode(Prefix.DESTINATION, each.id), each.name, Cause.NOTIFY) for each in chosen]
    ).decode()


def _shift(
    schedule: OnCallSchedule,
    workspace: Workspace,
    period: PersonPeriod,
    further: int,
    addressees: Mapping[UUID, Addressee],
) -> PersonShift:
    return PersonShift(
        schedule=schedule.name,
        workspace=workspace.name,
        url=f"{workspace_url(workspace.slug)}/on-call/{ids.encode(Prefix.SCHEDULE, schedule.id)}",
        zone=wallclock.zone_of(addressees[period.user_id].timezone),
        starts_at=period.starts_at,
        ends_at=period.ends_at,
        further=further,
    )
