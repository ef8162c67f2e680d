"""The threads that call receivers: the line of quick calls."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Event

from inbox.flow.delivery.deliver import claim_due
from inbox.flow.delivery.results import record_results
from inbox.flow.delivery.senders import QUICK, AttemptOutcome, Call, SenderPool
from inbox.models.deliveries.destinations import Destination
from tests.cast import NOW, Cast, present
from tests.ops.processes import until
from tests.stand_ins.outgoing_posts import make_destination, owe
from tests.stand_ins.receivers import Answer, Receiver


def calls(*destinations: Destination) -> list[Call]:
    """A call to each, in this order."""
    for each in destinations:
        owe(each, due_at=NOW, created_at=NOW)
    found = claim_due(NOW, len(destinations)).calls
    order = [each.id for each in destinations]
    return sorted(found, key=lambda call: order.index(call[1].id))


def ended(pool: SenderPool, count: int) -> list[AttemptOutcome]:
    outcomes: list[AttemptOutcome] = []
    until(lambda: len(outcomes) >= count or outcomes.extend(pool.results(0.05)), f"{count} calls end")
    record_results(outcomes, NOW)
    return outcomes


def are_quick(pool: SenderPool, begun: Sequence[Call]) -> bool:
    pool.start(begun)
    return max(each.receipt.duration_ms for each in ended(pool, len(begun))) < QUICK.total_seconds() * 1000


def test_a_quick_destination_that_hangs_holds_up_no_other_in_the_line(cast: Cast) -> None:
    gate = Event()
    with Receiver() as turning, Receiver() as quick, SenderPool(10, present) as pool:
        one, other = make_destination(cast.workspace, turning), make_destination(cast.workspace, quick)
        until(lambda: are_quick(pool, calls(one, other)), "the calls are quick")
        turning.answer = Answer(gate=gate)

        pool.start(calls(one, one, one, other, other))

        assert [each.delivery.destination_id for each in ended(pool, 2)] == [other.id] * 2
        turning.wait_until_open(3)
        gate.set()
        assert [each.receipt.status_code for each in ended(pool, 3)] == [200] * 3


def test_the_line_is_empty_when_the_calls_end_and_the_next_ones_are_served(cast: Cast) -> None:
    with Receiver() as quick, SenderPool(10, present) as pool:
        destination = make_destination(cast.workspace, quick)
        until(lambda: are_quick(pool, calls(destination)), "the calls are quick")
        for count in (1, 3, 2, 8, 1):
            pool.start(calls(*[destination] * count))
            assert len(ended(pool, count)) == count
        assert (pool.busy, pool.free_slots) == (0, 10)
