"""Notices behind a retry of their incident: due with it, so that no earlier claim reads them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from inbox.database.base import new_id
from inbox.domain.deliveries.delivery import Receipt
from inbox.flow.delivery.deliver import claim_due
from inbox.flow.delivery.results import record_results
from inbox.flow.delivery.senders import AttemptOutcome
from inbox.models.deliveries import recipients
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.recipients import NewDelivery
from inbox.models.deliveries.tables import Delivery
from inbox.models.deliveries.tables import Notice as StoredNotice
from inbox.models.incidents.tables import Incident
from tests.cast import NOW, Cast
from tests.stand_ins.outgoing_posts import fresh, make_destination, make_incident, owe

HOURS = timedelta(hours=4)


@dataclass
class Notice:
    """A notice of an incident, as the pipeline stores it."""

    id: UUID
    at: datetime
    workspace_id: UUID
    incident_id: UUID | None
    seq: int
    event_id: UUID | None = None
    reason: str = "renotify"
    body: str = "{}"
    decisions: str = "{}"
    urgency: int = 0


@pytest.fixture
def destination(cast: Cast) -> Destination:
    return make_destination(cast.workspace, "http://127.0.0.1:9/")


def store(destination: Destination, incident: Incident, seq: int, **more: Any) -> Delivery:
    """Store a notice and its delivery in the way of the pipeline."""
    stored = StoredNotice.get_or_none(incident_id=incident.id, seq=seq)
    notice = Notice(stored.id if stored else new_id(NOW), NOW, destination.workspace_id, incident.id, seq)
    values = {"status": "pending", "cause": None, **more}
    made = NewDelivery(new_id(NOW), notice, destination.id, **values)
    recipients.insert([] if stored else [notice], [made], NOW)
    found: Delivery = Delivery.get_by_id(made.id)
    return found


def retried(destination: Destination, incident: Incident, **more: Any) -> Delivery:
    """The first notice of the incident, which is tried again in some hours."""
    values = {"status": "retrying", "attempt": 7, "due_at": NOW + HOURS, "created_at": NOW, **more}
    return owe(destination, incident, 1, **values)


def test_a_notice_behind_a_retry_is_due_with_it(cast: Cast, destination: Destination) -> None:
    incident, other = make_incident(cast), make_incident(cast)
    elsewhere = make_destination(cast.workspace, "http://127.0.0.1:9/")
    retried(destination, incident)

    assert store(destination, incident, 2).due_at == NOW + HOURS
    assert store(destination, incident, 3).due_at == NOW + HOURS
    assert store(destination, other, 2).due_at == NOW
    assert store(elsewhere, incident, 2).due_at == NOW


@pytest.mark.parametrize(
    "head", [{"status": "sent", "due_at": None}, {"replay_of": UUID(int=1)}], ids=["sent", "replay"]
)
def test_a_notice_behind_a_delivery_that_does_not_block_is_due_at_once(
    cast: Cast, destination: Destination, head: dict[str, Any]
) -> None:
    incident = make_incident(cast)
    retried(destination, incident, **head)

    assert store(destination, incident, 2).due_at == NOW


def test_a_notice_that_waits_for_another_reason_keeps_its_due_time(cast: Cast, destination: Destination) -> None:
    incident = make_incident(cast)
    retried(destination, incident)

    assert store(destination, incident, 2, status="held", cause="quiet_hours", until=NOW).due_at == NOW
    assert store(destination, incident, 3, status="skipped", cause="disabled").due_at is None


@pytest.mark.parametrize("code", [200, 400])
def test_a_retry_that_ends_before_its_time_makes_the_notices_behind_it_due(
    cast: Cast, destination: Destination, code: int
) -> None:
    incident = make_incident(cast)
    first = retried(destination, incident)
    second, third = store(destination, incident, 2), store(destination, incident, 3)
    Delivery.update(due_at=NOW).where(Delivery.id == first.id).execute()
    ((claimed, state),) = claim_due(NOW, 5).calls

    record_results([AttemptOutcome(claimed, state.generation, Receipt(code), NOW)], NOW)

    assert [fresh(each).due_at for each in (second, third)] == [NOW, NOW]
    assert [each.id for each, _ in claim_due(NOW, 5).calls] == [second.id]
