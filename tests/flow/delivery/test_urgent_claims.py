"""Rows that a claim by severity reads: bounded, whatever the backlog and the statistics (specification 9.22)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from inbox.database.base import db, new_id
from inbox.domain.deliveries.storms import FOREVER, LEAST_URGENT, Admission
from inbox.models.deliveries import claims
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.tables import Delivery
from tests.cast import NOW, Cast
from tests.flow.delivery.test_deliver_claims import fetched
from tests.flow.notices.storm_steps import make_telegram
from tests.stand_ins.outgoing_posts import make_incident, owe
from tests.stand_ins.receivers import Receiver

LEASE = timedelta(seconds=45)
FEW = 80


@pytest.fixture
def chat(cast: Cast, receiver: Receiver) -> Destination:
    """With three thousand warnings and a critical alert that came last, each of another incident."""
    destination = make_telegram(cast.workspace, receiver)
    model = owe(destination, make_incident(cast), 1, due_at=NOW, urgency=3)
    rows = [{**model.__data__, "id": new_id(), "incident_id": new_id(), "replay_of": new_id()} for _ in range(3_000)]
    rows[-1] |= {"urgency": 6, "due_at": NOW + timedelta(seconds=1)}
    Delivery.insert_many(rows).execute()
    return destination


@pytest.mark.parametrize("existing", ["nothing", "everything", "nothing waits"])
def test_a_claim_by_severity_reads_few_rows(chat: Destination, existing: str) -> None:
    if existing == "nothing waits":
        Delivery.update(status="sent", due_at=None, settled_at=NOW).execute()
    if existing != "nothing":
        db.execute_sql("ANALYZE deliveries")
    if existing == "nothing waits":
        Delivery.update(status="pending", due_at=NOW, settled_at=None).execute()
    now = NOW + timedelta(seconds=1)

    with db.atomic():
        before = fetched()
        (claimed,) = claims.claim_most_urgent(
            [Admission(chat.id, LEAST_URGENT, FOREVER)], now=now, lease_until=now + LEASE, room=5
        )
        assert fetched() - before < FEW

    assert Delivery.get_by_id(claimed.id).urgency == 6
