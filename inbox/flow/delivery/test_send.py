"""The manual test send: one notice of type `test`, sent immediately and once (specification 9.10)."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

from inbox.config import settings
from inbox.config.settings import Settings
from inbox.database.base import connection_released, new_id
from inbox.destinations import outbound_policy
from inbox.domain.deliveries import notices
from inbox.domain.deliveries.delivery import Status
from inbox.domain.explaining.notice_content import TEST
from inbox.domain.values.refusals import NotFound
from inbox.flow.delivery.deliver import LEASE_MARGIN
from inbox.flow.delivery.results import record_results
from inbox.flow.delivery.senders import AttemptOutcome, Clock, send_one
from inbox.flow.unit_of_work import work
from inbox.models.deliveries import results as delivery_results
from inbox.models.deliveries.claims import ClaimedDelivery
from inbox.models.deliveries.destination_state import DestinationState
from inbox.models.deliveries.tables import Delivery, Notice
from inbox.models.workspaces.tables import Workspace


def send_test(destination_id: UUID, clock: Clock) -> AttemptOutcome:
    """Sends a test and records its result without a retry. A 2xx resumes a stopped destination; a rejection counts.

    A disabled or stopped destination is called too, because a test checks it. The caller's connection returns to the
    pool during the call. Raises `NotFound` when the destination is deleted.
    """
    now = clock()
    with work() as done:
        destination = delivery_results.lock([destination_id]).get(destination_id)
        if destination is None or destination.deleted:
            raise NotFound
        delivery = _create_delivery(destination, now, settings.current())
        done.publish_delivery(delivery, op="created")
    with connection_released():
        outcome = send_one(delivery, destination, outbound_policy.client(), clock)
    record_results([outcome], clock())
    return outcome


def send_unsaved_test(destination: DestinationState, clock: Clock) -> AttemptOutcome:
    """Sends a test to a destination that is not stored. Nothing of it is stored either, so it has no delivery to retry."""
    now = clock()
    body = _body(Workspace.get_by_id(destination.workspace_id), now, settings.current())
    delivery = ClaimedDelivery(new_id(now), destination.workspace_id, destination.id, new_id(now), TEST, 1, now, body)
    with connection_released():
        return send_one(delivery, destination, outbound_policy.client(), clock, is_stored=False)


def _body(workspace: Workspace, now: datetime, chosen: Settings) -> str:
    url = f"{chosen.base_url}/w/{workspace.slug}"
    return notices.body_text(notices.payload_of_test(workspace.name, url, now))


def _create_delivery(destination: DestinationState, now: datetime, chosen: Settings) -> ClaimedDelivery:
    workspace = Workspace.get_by_id(destination.workspace_id)
    body = _body(workspace, now, chosen)
    notice = Notice.create(id=new_id(now), workspace_id=workspace.id, reason=TEST, created_at=now, body=body)
    until = now + timedelta(seconds=chosen.delivery_timeout_seconds) + LEASE_MARGIN
    delivery = Delivery.create(
        id=new_id(now), workspace_id=workspace.id, notice=notice, destination_id=destination.id, reason=TEST,
        status=Status.SENDING, attempt=1, due_at=until, lease_until=until, created_at=now,
    )  # fmt: skip
    return ClaimedDelivery(delivery.id, workspace.id, destination.id, notice.id, TEST, 1, now, body)
