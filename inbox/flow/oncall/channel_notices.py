"""Tells the channel of a schedule who is on call now and next, when other people are (specification 23.16)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

import orjson

from inbox.database.base import new_id
from inbox.domain.deliveries import notices
from inbox.domain.deliveries.notices import Cause
from inbox.domain.explaining import on_call_text
from inbox.domain.explaining.notice_content import ON_CALL
from inbox.domain.explaining.on_call_text import ShiftChange
from inbox.domain.oncall.handoffs import present_and_next
from inbox.domain.oncall.shifts import users_of
from inbox.domain.values import ids, wallclock
from inbox.domain.values.ids import Prefix
from inbox.domain.values.severity import Severity
from inbox.flow.notices.create import workspace_url
from inbox.flow.oncall import computed
from inbox.flow.unit_of_work import AfterCommit
from inbox.live.feed import Parents
from inbox.models.deliveries import recipients
from inbox.models.deliveries.recipients import NewDelivery, Recipient
from inbox.models.oncall.schedules import OnCallSchedule
from inbox.models.workspaces.tables import Workspace
from inbox.runtime.queue import QueueName

AHEAD = timedelta(days=60)
"""The time for which the next handoff is searched."""


@dataclass(frozen=True, slots=True)
class ShiftNotice:
    """The notice of a handoff. It has no incident and one recipient."""

    id: UUID
    at: datetime
    workspace_id: UUID
    body: str
    decisions: str
    incident_id: UUID | None = None
    event_id: UUID | None = None
    seq: int = 0
    reason: str = ON_CALL
    urgency: int = Severity.INFO.rank


def send(schedule: OnCallSchedule, before: Collection[UUID], since: datetime, now: datetime, done: AfterCommit) -> None:
    """Creates the notice of a handoff that was at `since`, and its delivery, if the schedule has a channel.

    The caller writes the log in the same transaction, and calls this when other people are on call than before.
    """
    destination_id = schedule.notice_destination_id
    recipient = recipients.recipients([destination_id]).get(destination_id) if destination_id else None
    if recipient is None:
        return
    body = notices.body_text(on_call_text.body(_change(schedule, before, since, now), now))
    decision = notices.decision_record(ids.encode(Prefix.DESTINATION, recipient.id), recipient.name, _cause(recipient))
    notice = ShiftNotice(new_id(now), now, schedule.workspace_id, body, orjson.dumps([decision]).decode())
    status, cause = ("pending", None) if recipient.enabled else ("skipped", str(Cause.DISABLED))
    delivery = NewDelivery(new_id(now), notice, recipient.id, status, cause)
    recipients.insert([notice], [delivery], now)
    parents = Parents(incident_id=None, destination_id=recipient.id)
    done.publish_change("delivery", delivery.id, schedule.workspace_id, op="created", parents=parents)
    done.wake(QueueName.DELIVERY)


def _cause(recipient: Recipient) -> Cause:
    return Cause.NOTIFY if recipient.enabled else Cause.DISABLED


def _change(schedule: OnCallSchedule, before: Collection[UUID], since: datetime, now: datetime) -> ShiftChange:
    made = computed.current([schedule], now, now + AHEAD)[schedule.id]
    present, *later = present_and_next(made, now, now + AHEAD)
    following = later[0] if later else None
    people, next_people = users_of(present), users_of(following) if following else frozenset[UUID]()
    names = computed.names(schedule.workspace_id, {*before, *people, *next_people})
    workspace = Workspace.get_by_id(schedule.workspace_id)

    def named(user_ids: Collection[UUID]) -> list[str]:
        return sorted(names.get(each, "") for each in user_ids)

    return ShiftChange(
        schedule=schedule.name,
        workspace=workspace.name,
        url=f"{workspace_url(workspace.slug)}/on-call/{ids.encode(Prefix.SCHEDULE, schedule.id)}",
        zone=wallclock.zone_of(schedule.timezone),
        since=since,
        before=named(before),
        present=named(people),
        until=following.starts_at if following else None,
        following=named(next_people),
    )
