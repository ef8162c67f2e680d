"""Deliveries of a worker process that serves all queues, beside a call that stays open."""

from __future__ import annotations

from threading import Event

import pytest

from inbox.models.deliveries.destinations import Destination
from inbox.runtime.queue import JobQueues, QueueName
from ops.embedded import Servers
from tests.cast import Cast, present
from tests.flow.routing_fixtures import accept, event
from tests.jobs.test_worker import Worker, servers, worker
from tests.ops.processes import until
from tests.stand_ins.outgoing_posts import fresh, make_destination, owe
from tests.stand_ins.receivers import Answer, Receiver

__all__ = ["servers", "worker"]
pytestmark = pytest.mark.slow


def test_a_worker_routes_and_sends_beside_an_open_call_and_records_it_before_its_end(
    worker: Worker, servers: Servers, cast: Cast, destination: Destination, receiver: Receiver
) -> None:
    wake_ups, gate = JobQueues(servers.redis_url), Event()
    with Receiver(Answer(gate=gate)) as slow:
        reported = worker(environment={"INBOX_DELIVERY_TIMEOUT_SECONDS": "60"})
        waiting = owe(make_destination(cast.workspace, slow))
        wake_ups.wake(QueueName.DELIVERY)
        slow.wait_until_open(1)

        other, incoming = owe(destination), accept(cast.source, present())
        wake_ups.wake(QueueName.ROUTING)
        until(lambda: event(incoming).disposition == "opened", "the event is routed", 60)
        until(lambda: fresh(other).status == "sent", "the other delivery is recorded", 60)
        assert (slow.now_open, fresh(waiting).status) == (1, "sending")

        reported.process.terminate()
        until(lambda: not wake_ups.redis.scard("rq:workers"), "the worker takes no more jobs", 60)
        assert reported.process.poll() is None
        gate.set()
        assert reported.process.wait(60) == 0

    assert fresh(waiting).status == "sent"
    assert len(slow.requests) == 1
