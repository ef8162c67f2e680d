"""Use cases of Slack: which user group and topic follow a schedule (specification 23.23)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from inbox.domain.values.refusals import Fault
from inbox.flow.unit_of_work import AfterCommit
from inbox.models.deliveries.destinations import Destination
from inbox.models.oncall.schedules import OnCallSchedule
from inbox.models.oncall.slack import OnCallSlack
from inbox.runtime.queue import QueueName

DESTINATION = "/slack/destinationId"


def faults(workspace_id: UUID, given: Mapping[str, Any] | None) -> list[Fault]:
    """Return what is wrong with what should follow a schedule in Slack."""
    if given is None:
        return []
    found = Destination.get_or_none(id=given["destination_id"], workspace_id=workspace_id, deleted_at=None)
    if found is None or found.device_id is not None or found.owner_id is not None:
        return [Fault(DESTINATION, "No such destination in this workspace.")]
    if found.kind != "slack" or "channel" not in found.config:
        return [Fault(DESTINATION, "Must be a Slack destination with a bot token.")]
    if given["user_group_id"] is None and not given["sets_topic"]:
        return [Fault("/slack", "Give a user group, or set the topic, or leave it null.")]
    return []


def follow(schedule: OnCallSchedule, given: Mapping[str, Any] | None, now: datetime, done: AfterCommit) -> None:
    """Store what follows a locked schedule in Slack. A worker shows who is on call at once."""
    OnCallSlack.delete().where(OnCallSlack.schedule_id == schedule.id).execute()
    if given is not None:
        OnCallSlack.insert(schedule_id=schedule.id, workspace_id=schedule.workspace_id, due_at=now, **given).execute()
        done.wake(QueueName.ONCALL)
