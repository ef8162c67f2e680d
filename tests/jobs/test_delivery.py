"""The delivery job as a worker runs it: a wake-up makes it send, and due rows replace a lost wake-up."""

from __future__ import annotations

from rq import Queue
from rq.serializers import JSONSerializer
from rq.worker import SimpleWorker

from inbox.models.deliveries.destinations import Destination
from inbox.runtime.queue import JsonJob, QueueName, job_queues
from jobs import delivery
from tests.stand_ins.outgoing_posts import fresh, owe
from tests.stand_ins.receivers import Receiver


def test_a_woken_worker_sends_due_deliveries(destination: Destination, receiver: Receiver) -> None:
    due = owe(destination)
    job_queues().wake(QueueName.DELIVERY)
    queue = Queue("delivery", connection=job_queues().redis, serializer=JSONSerializer, job_class=JsonJob)

    SimpleWorker([queue], connection=job_queues().redis, serializer=JSONSerializer, job_class=JsonJob).work(
        burst=True, logging_level=None
    )
    delivery.thread.wait()

    assert fresh(due).status == "sent"
    assert len(receiver.requests) == 1


def test_a_job_acknowledges_its_wake_up_before_it_searches(destination: Destination) -> None:
    job_queues().wake(QueueName.DELIVERY)
    assert job_queues().redis.llen("rq:queue:delivery") == 1

    delivery.run()
    delivery.thread.wait()
    job_queues().wake(QueueName.DELIVERY)

    assert job_queues().redis.llen("rq:queue:delivery") == 2


def test_the_job_may_run_twice_and_with_nothing_to_do(destination: Destination, receiver: Receiver) -> None:
    owe(destination)

    delivery.run()
    delivery.run()
    delivery.thread.wait()
    delivery.run()
    delivery.thread.wait()

    assert len(receiver.requests) == 1
