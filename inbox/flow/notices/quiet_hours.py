"""Handles the end of quiet hours: releases, skips or further defers the deferred deliveries.

Specification 8.6.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import groupby
from uuid import UUID

from inbox.destinations import WITH_DIGESTS
from inbox.domain.deliveries.quiet_hours import DeferredNotice, resolve_deferred
from inbox.flow.timers.incident_schedule import Plans
from inbox.flow.unit_of_work import AfterCommit
from inbox.live.feed import Parents
from inbox.models.deliveries import deferred as deferred_deliveries
from inbox.models.deliveries import recipients as notice_recipients
from inbox.models.deliveries import results as delivery_results
from inbox.models.deliveries.deferred import MAX_INCIDENTS, DeferredDelivery
from inbox.models.deliveries.destination_state import DestinationState
from inbox.models.deliveries.gathering import GatheringDelivery
from inbox.models.deliveries.recipients import Recipient
from inbox.models.deliveries.results import StatusChange
from inbox.models.routing import routing_config
from inbox.runtime.queue import QueueName


def release_due(destination_states: Sequence[DestinationState], done: AfterCommit, *, now: datetime) -> bool:
    """Handles the due deferred deliveries of these destinations; returns whether more are left.

    Released deliveries wait for a digest if the kind of the destination has digests (`digests.gather_due`). The caller
    has locked the destinations, and they accept deliveries.
    """
    waiting = deferred_deliveries.due([state.id for state in destination_states], now)
    if not waiting:
        return False
    destinations = notice_recipients.recipients({one.destination_id for one in waiting})
    plans = Plans.at(routing_config.revisions({destination.workspace_id for destination in destinations.values()}), now)
    released, skipped, deferred = list[UUID](), dict[UUID, str](), dict[UUID, datetime]()
    groups = [list(line) for _, line in groupby(waiting, lambda one: (one.destination_id, one.incident_id))]
    for group in groups:
        until = deferred_until(group[0], destinations[group[0].destination_id], plans)
        if until is not None:
            deferred |= dict.fromkeys((one.id for one in group), until)
            continue
        for id, cause in _decisions(group).items():
            if cause is None:
                released.append(id)
            else:
                skipped[id] = cause
    able = {state.id for state in destination_states if state.kind in WITH_DIGESTS}
    changes = (deferred_deliveries.release(released, now, gathering=able) if released else []) + (
        deferred_deliveries.skip(skipped, now) if skipped else []
    )
    write_changes(changes, deferred, done)
    return len(groups) >= MAX_INCIDENTS


def recheck(workspace_id: UUID, now: datetime, done: AfterCommit) -> None:
    """Marks all deferred deliveries of the workspace as due after a change of quiet hours, time zone or profile."""
    destination_ids = deferred_deliveries.destinations_with_deferred(workspace_id)
    delivery_results.lock(destination_ids)
    if deferred_deliveries.mark_due(destination_ids):
        done.wake(QueueName.DELIVERY)


def deferred_until(one: DeferredDelivery | GatheringDelivery, destination: Recipient, plans: Plans) -> datetime | None:
    """Returns the time until which quiet hours still defer the delivery.

    A notice without an incident waits at any severity.
    """
    until = plans.quiet_until(destination.workspace_id)
    if one.severity is None:
        return None if destination.quiet_hours_threshold is None else until
    obeys = plans.by(destination.workspace_id, one.routing_profile_id, one.destination_ids).obeys_quiet_hours
    return destination.quiet_until(until, one.severity, plans.now, obeys=obeys)


def _decisions(group: Sequence[DeferredDelivery]) -> Mapping[UUID, str | None]:
    first = group[0]
    if first.state is None:
        return {one.id: None for one in group}
    deferred = [DeferredNotice(one.id, one.seq, one.reason) for one in group]
    return resolve_deferred(deferred, first.state, flapping=first.flapping, last_notified_seq=first.last_notified_seq)


def write_changes(status_changes: Sequence[StatusChange], deferred: Mapping[UUID, datetime], done: AfterCommit) -> None:
    """Publishes these changes, and postpones the still deferred deliveries."""
    for delivery in status_changes:
        parents = Parents(incident_id=delivery.incident_id, destination_id=delivery.destination_id)
        done.publish_change("delivery", delivery.id, delivery.workspace_id, rev=delivery.attempt, parents=parents)
    if deferred:
        deferred_deliveries.defer_until(deferred)
        done.wake(QueueName.DELIVERY, at=min(deferred.values()))
