"""Digests: gathers the due notices of a destination into one message, or sends them separately (specification 9.16)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from typing import Any
from uuid import UUID

import orjson

from inbox.database.base import new_id
from inbox.destinations import WITH_EDITS
from inbox.domain.deliveries import notices
from inbox.domain.deliveries.digests import MAX_GATHERED, Outcome, WaitingNotice, is_worth_a_digest, resolve_waiting
from inbox.domain.deliveries.notices import Cause
from inbox.domain.deliveries.quiet_hours import SkipCause
from inbox.domain.deliveries.storms import SUMMARY_URGENCY
from inbox.domain.explaining import digest_text, notice_content
from inbox.domain.explaining.digest_text import DigestContext
from inbox.domain.explaining.notice_content import DIGEST
from inbox.domain.incidents.state_machine import State
from inbox.domain.values import ids, wallclock
from inbox.domain.values.ids import Prefix
from inbox.flow.notices.create import workspace_url
from inbox.flow.notices.quiet_hours import deferred_until, write_changes
from inbox.flow.timers.incident_schedule import Plans
from inbox.flow.unit_of_work import AfterCommit
from inbox.live.feed import Parents
from inbox.models.deliveries import deferred as deferred_deliveries
from inbox.models.deliveries import gathering
from inbox.models.deliveries import recipients as notice_recipients
from inbox.models.deliveries.destination_state import DestinationState
from inbox.models.deliveries.gathering import GatheringDelivery
from inbox.models.deliveries.recipients import NewDelivery, Recipient
from inbox.models.deliveries.results import StatusChange
from inbox.models.routing import routing_config


@dataclass(frozen=True, slots=True)
class DigestNotice:
    """The notice of a digest. It has no incident and one recipient."""

    id: UUID
    at: datetime
    workspace_id: UUID
    body: str
    decisions: str
    incident_id: UUID | None = None
    event_id: UUID | None = None
    seq: int = 0
    reason: str = DIGEST
    urgency: int = SUMMARY_URGENCY


@dataclass(slots=True)
class _Plan:
    """The decisions about the waiting deliveries of one destination."""

    gathered: list[GatheringDelivery] = field(default_factory=list)
    released: list[UUID] = field(default_factory=list)
    skipped: dict[UUID, str] = field(default_factory=dict)
    postponed: dict[UUID, datetime] = field(default_factory=dict)


def gather_due(destination_states: Sequence[DestinationState], done: AfterCommit, *, now: datetime) -> bool:
    """Gathers the due deliveries of these destinations; returns whether more are left.

    1. Deliveries that are not due by the present settings, or are in quiet hours, are postponed.
    2. For each incident, notices go into the digest, are sent separately, or are skipped.
    3. The remaining notices of each destination become one digest, which is delivered like any notice.

    The caller has locked the destinations, and they are enabled.
    """
    waiting = gathering.due([state.id for state in destination_states], now)
    if not waiting:
        return False
    recipients = notice_recipients.recipients({one.destination_id for one in waiting})
    plans = Plans.at(routing_config.revisions({each.workspace_id for each in recipients.values()}), now)
    kinds = {state.id: state.kind for state in destination_states}
    for destination_id, own in groupby(waiting, lambda one: one.destination_id):
        recipient = recipients[destination_id]
        plan = _planned(list(own), recipient, plans, keeps_messages=kinds[destination_id] in WITH_EDITS)
        changes = _write(plan, recipient, plans, done, now)
        write_changes(changes, plan.postponed, done)
    return len(waiting) >= MAX_GATHERED


def _planned(
    waiting: Sequence[GatheringDelivery], recipient: Recipient, plans: Plans, *, keeps_messages: bool
) -> _Plan:
    plan = _Plan()
    for incident_id, found in groupby(waiting, lambda one: one.incident_id):
        due = []
        for one in found:
            until = _postponed_until(one, recipient, plans)
            if until is None:
                due.append(one)
            else:
                plan.postponed[one.id] = until
        for group in [due] if incident_id is not None else [[one] for one in due]:
            if group:
                _resolve(group, plan, keeps_messages=keeps_messages)
    if not is_worth_a_digest(len(plan.gathered), recipient.digest):
        plan.released += [one.id for one in plan.gathered]
        plan.gathered = []
    return plan


def _postponed_until(one: GatheringDelivery, recipient: Recipient, plans: Plans) -> datetime | None:
    """Returns the time of the digest if it lies ahead, else the end of the current quiet hours."""
    if recipient.digest is not None:
        zone = wallclock.zone_of(plans.config(recipient.workspace_id).timezone)
        due_at = recipient.digest.next_at(one.created_at, zone)
        if due_at > plans.now:
            return due_at
    return deferred_until(one, recipient, plans)


def outcomes_of(
    group: Sequence[GatheringDelivery], state: State | None, *, keeps_messages: bool
) -> dict[UUID, Outcome | SkipCause]:
    """Decides about all waiting deliveries of one incident in this state to one destination."""
    waiting = [WaitingNotice(one.id, one.seq, notice_content.of_body(one.body).severity) for one in group]
    return resolve_waiting(
        waiting,
        state,
        last_notified_seq=group[0].last_notified_seq,
        has_message=keeps_messages and group[0].has_message,
    )


def _resolve(group: Sequence[GatheringDelivery], plan: _Plan, *, keeps_messages: bool) -> None:
    outcomes = outcomes_of(group, group[0].state, keeps_messages=keeps_messages)
    for one in group:
        match outcomes[one.id]:
            case Outcome.GATHER:
                plan.gathered.append(one)
            case Outcome.SEND:
                plan.released.append(one.id)
            case cause:
                plan.skipped[one.id] = cause


def _write(plan: _Plan, recipient: Recipient, plans: Plans, done: AfterCommit, now: datetime) -> list[StatusChange]:
    changes = deferred_deliveries.release(plan.released, now) if plan.released else []
    changes += deferred_deliveries.skip(plan.skipped, now) if plan.skipped else []
    if plan.gathered:
        contents = [notice_content.of_body(one.body) for one in plan.gathered]
        context = context_of(recipient.workspace_id, plans.config(recipient.workspace_id).timezone)
        body = digest_text.body(contents, context, now)
        changes += send(body, [one.id for one in plan.gathered], Cause.DIGEST, recipient, done, now=now)
    return changes


def context_of(workspace_id: UUID, timezone: str) -> DigestContext:
    """Returns the workspace of a digest."""
    workspace = routing_config.workspaces([workspace_id])[workspace_id]
    return DigestContext(workspace.name, f"{workspace_url(workspace.slug)}/inbox", wallclock.zone_of(timezone))


def send(
    body: Mapping[str, Any],
    gathered: Sequence[UUID],
    cause: str,
    recipient: Recipient,
    done: AfterCommit,
    *,
    now: datetime,
) -> list[StatusChange]:
    """Creates the digest with this body for a locked destination, and moves these deliveries into it with their cause."""
    digest = _delivery(body, recipient, now)
    notice_recipients.insert([digest.notice], [digest], now)
    parents = Parents(incident_id=None, destination_id=recipient.id)
    done.publish_change("delivery", digest.id, recipient.workspace_id, op="created", parents=parents)
    return gathering.gather(gathered, digest.id, cause, now)


def _delivery(body: Mapping[str, Any], recipient: Recipient, now: datetime) -> NewDelivery:
    decision = notices.decision_record(ids.encode(Prefix.DESTINATION, recipient.id), recipient.name, Cause.NOTIFY)
    notice = DigestNotice(
        new_id(now), now, recipient.workspace_id, notices.body_text(body), orjson.dumps([decision]).decode()
    )
    return NewDelivery(new_id(now), notice, recipient.id, "pending", None)
