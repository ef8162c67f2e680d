"""Replays of finished deliveries: a new delivery with a new id (specification 9.10)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

import peewee

from inbox.database.base import new_id
from inbox.destinations import KINDS, keeps_state
from inbox.domain.deliveries.delivery import ATTEMPTS, MAX_HELD
from inbox.domain.values import ids
from inbox.domain.values.refusals import Conflict, Fault, ValidationFailed
from inbox.domain.values.times import rfc3339
from inbox.flow.delivery.results import undeliverable_reason
from inbox.flow.unit_of_work import AfterCommit, work
from inbox.live.feed import Parents
from inbox.models.deliveries import replays
from inbox.models.deliveries import results as delivery_results
from inbox.models.deliveries.destination_state import DestinationState
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.tables import Delivery
from inbox.runtime.queue import QueueName
from inbox.services.records import audit

REPLAYED_FOR = timedelta(days=14)
MAX_REPLAYED = 1_000
LAST_KEPT = 2
"""The last attempts of a delivery, whose times a person cannot advance."""

STALE = {
    "superseded": "{} keeps the state of the incident, and this notice would set it back. Replay the newest notice.",
    "resolved_meanwhile": "{} keeps the state of the incident, which is resolved. This notice would open it there again.",
}
"""The reasons not to replay a stale delivery, by the cause that would skip its replay."""

SETTLED = frozenset({"sent", "failed", "skipped", "expired", "gathered"})


def of_workspaces(workspace_ids: Sequence[UUID]) -> peewee.ModelSelect:
    """Select all deliveries of these workspaces."""
    return Delivery.select().where(Delivery.workspace_id.in_(list(workspace_ids)))


def find(delivery_id: UUID) -> Delivery | None:
    """Return the delivery, or None."""
    found: Delivery | None = Delivery.get_or_none(Delivery.id == delivery_id)
    return found


def replay(delivery: Delivery, *, now: datetime) -> Delivery:
    """Create a new delivery of the same notice.

    Raises `Conflict` while the delivery is unfinished, and when its destination accepts no deliveries. It also does
    when the notice would set back the state that the service keeps of the incident.
    """
    with work() as done:
        addressee = _ready(delivery.destination_id)
        current = Delivery.get_by_id(delivery.id)
        if current.status not in SETTLED:
            raise Conflict("The delivery is not finished yet.")
        _refuse_stale(current, addressee)
        (replayed,) = _replay([current], addressee, done, now)
        about, as_new = audit.target("delivery", delivery.id), {"replayedAs": ids.encode("dlv", replayed.id)}
        audit.record("delivery.replayed", target=about, now=now, workspace_id=delivery.workspace_id, details=as_new)
    return replayed


def _refuse_stale(delivery: Delivery, addressee: DestinationState) -> None:
    causes = replays.stale([delivery.id]) if keeps_state(addressee.kind, addressee.config) else {}
    if delivery.id in causes:
        label = KINDS[addressee.kind].description.label
        raise Conflict(STALE[causes[delivery.id]].format(label))


def check_span(since: datetime | None, until: datetime | None, now: datetime) -> None:
    """Raises `ValidationFailed` for a start more than 14 days ago, and for an end before the start."""
    faults = []
    if since is not None and since < now - REPLAYED_FOR:
        faults.append(Fault("/since", "Must be within the last 14 days."))
    if since is not None and until is not None and until <= since:
        faults.append(Fault("/until", "Must be after since."))
    if faults:
        raise ValidationFailed(errors=faults)


@dataclass(frozen=True, slots=True)
class Replayed:
    """The number of new deliveries, whether more exist, and the number of stale ones left out, at most 1,000."""

    deliveries: int
    more: bool
    stale: int


def replay_failed(destination: Destination, since: datetime, until: datetime, *, now: datetime) -> Replayed:
    """Replay the permanently failed deliveries of this period, oldest first.

    One call replays at most 1,000. Deliveries with a replay are left out, unless the replay failed, too. So are stale
    ones. Raises `ValidationFailed` for a start more than 14 days ago, and `Conflict` when the destination is disabled.
    """
    check_span(since, until, now)
    with work() as done:
        addressee = _ready(destination.id)
        has_state = keeps_state(addressee.kind, addressee.config)
        found, stale = replays.failed(destination.id, since, until, MAX_REPLAYED + 1, keeps_state=has_state)
        made = _replay(found[:MAX_REPLAYED], addressee, done, now)
        audit.record(
            "destination.replayed",
            target=audit.target("destination", destination.id, destination.name),
            now=now,
            workspace_id=destination.workspace_id,
            details={"deliveries": len(made), "since": rfc3339(since), "until": rfc3339(until)},
        )
    return Replayed(len(made), len(found) > MAX_REPLAYED, min(stale, MAX_REPLAYED))


def retry_now(destination: Destination, *, now: datetime) -> int:
    """Make the deliveries that wait for their next attempt due now, and return their number.

    Raises `Conflict` when the destination is stopped, disabled or deleted. The last attempts keep their times
    (`LAST_KEPT`): impatience must not use up the hours for which a delivery is tried.
    """
    with work() as done:
        addressee = _ready(destination.id)
        if addressee.stopped_at is not None:
            raise Conflict("The destination is stopped. Change it, or send a successful test, to resume it.")
        made_due = replays.make_due(destination.id, ATTEMPTS - LAST_KEPT, now)
        for delivery in made_due:
            done.publish_delivery(delivery)
        done.wake(QueueName.DELIVERY)
        audit.record(
            "destination.retried",
            target=audit.target("destination", destination.id, destination.name),
            now=now,
            workspace_id=destination.workspace_id,
            details={"deliveries": len(made_due)},
        )
    return len(made_due)


def _ready(destination_id: UUID) -> DestinationState:
    addressee = delivery_results.lock([destination_id])[destination_id]
    cause = undeliverable_reason(addressee)
    if cause is not None:
        raise Conflict(f"The destination is {cause}.")
    return addressee


def _replay(found: Sequence[Delivery], addressee: DestinationState, done: AfterCommit, now: datetime) -> list[Delivery]:
    stopped = addressee.stopped_at is not None
    made = [
        Delivery(
            id=new_id(now + timedelta(milliseconds=place)),  # so that the ids have the order of the deliveries
            workspace_id=old.workspace_id,
            notice=old.notice_id,
            incident_id=old.incident_id,
            destination_id=old.destination_id,
            seq=old.seq,
            reason=old.reason,
            status="held" if stopped else "pending",
            cause="stopped" if stopped else None,
            due_at=now + MAX_HELD if stopped else now,
            replay_of=old.replay_of or old.id,
            created_at=now,
        )
        for place, old in enumerate(found)
    ]
    if made:
        Delivery.insert_many([delivery.__data__ for delivery in made]).execute()
        done.wake(QueueName.DELIVERY)
    for delivery in made:
        parents = Parents(incident_id=delivery.incident_id, destination_id=delivery.destination_id)
        done.publish_change("delivery", delivery.id, delivery.workspace_id, op="created", parents=parents)
    return made
