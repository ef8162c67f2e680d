"""Fallbacks of critical alerts that cannot be attempted: behind a retry, or at a paused destination."""

from __future__ import annotations

from datetime import timedelta

import pytest

from inbox.database.base import new_id
from inbox.flow.delivery.deliver import deliver
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.tables import Delivery
from inbox.models.incidents.tables import Incident
from tests.cast import NOW, Cast
from tests.flow.fallback_steps import (
    because,
    hand_over,
    last,  # noqa: F401
    opened,
)
from tests.flow.plans import MINUTE, pass_to, timers
from tests.flow.routing_fixtures import notices, reasons, reported, routed
from tests.stand_ins.outgoing_posts import make_destination
from tests.stand_ins.receivers import Answer, Receiver


def behind_a_retry(cast: Cast, receiver: Receiver) -> Incident:
    """A critical alert that waits behind an earlier notice, which is retried since `NOW`."""
    existing = opened(cast, NOW - MINUTE)
    deliver(lambda: NOW - MINUTE)
    receiver.answer = Answer(503)
    routed(cast.source, NOW, action="resolve")
    deliver(lambda: NOW)
    Delivery.update(attempt=8, due_at=NOW + 240 * MINUTE).where(Delivery.status == "retrying").execute()
    routed(cast.source, NOW + MINUTE, severity="CRITICAL")
    deliver(lambda: NOW + MINUTE)
    return existing


def test_a_critical_alert_behind_a_retry_falls_back_in_two_minutes(
    cast: Cast, last: Destination, receiver: Receiver
) -> None:
    (pager,) = hand_over(cast, receiver, "/a")
    existing = behind_a_retry(cast, receiver)
    assert reported(pager)[1:] == [("resolved", "retrying", "http_503"), ("reopened", "pending", None)]

    pass_to(2.9)
    assert "fallback" not in reasons(existing.id)
    pass_to(3)

    assert (reasons(existing.id)[-1], because(existing)[-1]) == ("fallback", "undelivered")


def test_an_alert_that_one_destination_can_get_soon_does_not_fall_back(
    cast: Cast, last: Destination, receiver: Receiver
) -> None:
    hand_over(cast, receiver, "/a")
    existing = behind_a_retry(cast, receiver)
    alert = notices(existing.id)[-1]
    other = make_destination(cast.workspace, receiver.url + "/b", name="Other")
    Delivery.create(
        id=new_id(), workspace_id=alert.workspace_id, notice=alert, incident_id=existing.id, destination_id=other.id,
        seq=alert.seq, reason=alert.reason, status="pending", due_at=alert.created_at, created_at=alert.created_at,
    )  # fmt: skip
    pass_to(3)
    assert "fallback" not in reasons(existing.id)
    assert timers(alert.id) == {"notice.fallback_check": 3.5}


def test_an_earlier_notice_whose_first_call_is_open_blocks_for_a_moment_only(
    cast: Cast, last: Destination, receiver: Receiver
) -> None:
    hand_over(cast, receiver, "/a")
    existing = behind_a_retry(cast, receiver)
    Delivery.update(status="sending", attempt=1).where(Delivery.status == "retrying").execute()
    pass_to(3)
    assert "fallback" not in reasons(existing.id)


@pytest.mark.parametrize(("seconds", "falls_back"), [(31, True), (2, False)])
def test_a_critical_alert_at_a_paused_destination_falls_back_in_two_minutes(
    cast: Cast, last: Destination, receiver: Receiver, seconds: int, falls_back: bool
) -> None:
    (pager,) = hand_over(cast, receiver, "/a")
    existing = opened(cast, severity="CRITICAL")
    rests_until = NOW + 2 * MINUTE + timedelta(seconds=seconds)
    Destination.update(next_call_at=rests_until).where(Destination.id == pager.id).execute()

    pass_to(2)

    assert ("fallback" in reasons(existing.id)) is falls_back
