"""Events beyond the retention stay while a delivery waits whose body has what they say (specification 10.2)."""

from __future__ import annotations

import pytest

from inbox.flow.upkeep.purge import purge
from inbox.models.deliveries.tables import Delivery, Notice
from inbox.models.events.tables import ReceivedEvent, RoutedEvent
from tests.cast import NOW, Cast
from tests.flow.upkeep.test_purge import ago, event
from tests.stand_ins.outgoing_posts import make_destination, owe


@pytest.mark.parametrize("status", ["pending", "sending", "retrying", "held"])
def test_an_event_stays_until_the_delivery_that_sends_it_is_settled(cast: Cast, status: str) -> None:
    sent = event(cast.source, 91)
    event(cast.source, 92)
    waiting = owe(make_destination(cast.workspace, "http://127.0.0.1:1/"), created_at=ago(1), status=status)
    Notice.update(newest_event_id=sent).where(Notice.id == waiting.notice_id).execute()

    purge(NOW)

    assert [row.id for row in ReceivedEvent.select()] == [sent]
    assert [row.event_id for row in RoutedEvent.select()] == [sent]
    Delivery.update(status="sent").where(Delivery.id == waiting.id).execute()

    purge(NOW)

    assert (ReceivedEvent.select().count(), RoutedEvent.select().count()) == (0, 0)
