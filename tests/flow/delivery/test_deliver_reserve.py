"""Slots of a worker that are kept for destinations without an open call, and turns that count open calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from threading import Event

import pytest

from inbox.flow.delivery.deliver import claim_due
from inbox.models.deliveries.claims import Reserve
from inbox.models.deliveries.destinations import Destination
from tests.cast import NOW, Cast
from tests.flow.delivery.order_steps import chosen  # noqa: F401
from tests.ops.processes import until
from tests.stand_ins.outgoing_posts import fresh, make_destination, owe
from tests.stand_ins.receivers import Answer, Receiver
from tests.workers import workers


@pytest.fixture
def stuck(cast: Cast) -> Iterator[Receiver]:
    """A receiver that answers when its gate opens."""
    with Receiver(Answer(gate=Event())) as receiver:
        yield receiver


def open_gate(receiver: Receiver) -> None:
    assert isinstance(receiver.answer, Answer) and receiver.answer.gate is not None
    receiver.answer.gate.set()


@pytest.mark.parametrize(("slots", "shared"), [(1, 1), (3, 3), (4, 3), (8, 6)])
def test_one_destination_leaves_a_quarter_of_the_slots_to_others(
    cast: Cast, stuck: Receiver, chosen: Callable[..., None], slots: int, shared: int
) -> None:
    chosen(delivery_concurrency=slots)
    hog = make_destination(cast.workspace, stuck)
    due = [owe(hog) for _ in range(slots + 1)]

    with workers(1):
        stuck.wait_until_open(shared)
        with Receiver() as quick:
            others = [owe(make_destination(cast.workspace, quick)) for _ in range(3)]
            if slots > shared:
                until(lambda: [fresh(each).status for each in others] == ["sent"] * 3, "the others get their turn")
                assert (stuck.now_open, stuck.most_open) == (shared, shared)
            open_gate(stuck)
            until(lambda: {fresh(each).status for each in (*due, *others)} == {"sent"}, "all are sent")


def test_a_destination_that_was_slow_gets_no_slot_of_the_others(
    cast: Cast, stuck: Receiver, chosen: Callable[..., None]
) -> None:
    chosen(delivery_concurrency=4)
    with Receiver(Answer(delay=1.1)) as slow, Receiver() as quick:
        hog = make_destination(cast.workspace, stuck)
        for _ in range(4):
            owe(hog)
        with workers(1):
            stuck.wait_until_open(3)
            late = make_destination(cast.workspace, slow)
            first = owe(late)
            until(lambda: fresh(first).status == "sent", "the first call has a slot")
            second = owe(late)
            other = owe(make_destination(cast.workspace, quick))

            until(lambda: fresh(other).status == "sent", "the slot is that of another destination")
            assert (len(slow.requests), fresh(second).status) == (1, "pending")
            open_gate(stuck)
        assert fresh(second).status == "sent"


def test_the_destination_with_the_fewest_open_calls_is_next(cast: Cast, receiver: Receiver) -> None:
    busy, idle = make_destination(cast.workspace, receiver), make_destination(cast.workspace, receiver)
    for _ in range(4):
        owe(busy, due_at=NOW, created_at=NOW)
    assert claimed(2) == [busy.id] * 2
    for _ in range(3):
        owe(idle, due_at=NOW, created_at=NOW)

    assert claimed(1) == [idle.id]
    assert claimed(1) == [idle.id]
    assert sorted(claimed(2)) == sorted([busy.id, idle.id])


@pytest.mark.parametrize(("unreserved", "expected"), [(0, 1), (1, 2), (2, 2), (3, 3)])
def test_a_claim_keeps_the_reserve(cast: Cast, receiver: Receiver, unreserved: int, expected: int) -> None:
    holder, other = make_destination(cast.workspace, receiver), make_destination(cast.workspace, receiver)
    owe(holder, due_at=NOW - timedelta(seconds=1), created_at=NOW)
    for _ in range(2):
        owe(other, due_at=NOW, created_at=NOW)

    found = claimed(10, Reserve({holder.id}, unreserved))

    assert len(found) == expected
    assert other.id in found


def claimed(room: int, reserve: Reserve | None = None) -> list[Destination]:
    """The destinations of the deliveries that a worker takes."""
    batch = claim_due(NOW, room, **({"reserve": reserve} if reserve else {}))
    return [claimed.destination_id for claimed, _ in batch.calls]
