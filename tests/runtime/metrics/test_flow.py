"""Routing, deliveries, mails and timers are counted after their commit, with their durations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import peewee
import pytest

from inbox.config import settings as chosen
from inbox.config.settings import Settings
from inbox.domain.incidents.incident import Act, Actor
from inbox.flow import mail_outbox
from inbox.flow.delivery.deliver import deliver
from inbox.flow.people import incidents
from inbox.flow.routing.route import route
from inbox.flow.timers.run import run_due
from inbox.flow.unit_of_work import work
from inbox.mail import templates
from inbox.runtime.queue import JobQueues, QueueName
from tests.cast import NOW, Cast, present
from tests.fault_triggers import row_trigger
from tests.flow.routing_fixtures import accept, incident, routed
from tests.mail.servers import MailServer
from tests.runtime.metrics.counted import Counted
from tests.stand_ins.outgoing_posts import make_destination, owe
from tests.stand_ins.receivers import Receiver

ATTEMPTS = "inbox_delivery_attempts_total"


@pytest.fixture
def server(ground: peewee.Database, settings: Settings) -> Iterator[MailServer]:
    with MailServer() as server:
        chosen.use(replace(settings, smtp_url=server.url, mail_from="Inbox <inbox@example.org>"))
        yield server


def test_routed_events_are_counted_with_their_batch_and_their_age(cast: Cast) -> None:
    counted = Counted()
    for key in ("a", "b"):
        accept(cast.source, NOW - timedelta(seconds=3), key=key)
    route(lambda: NOW)

    assert counted.of("inbox_routing_events_total", outcome="routed") == 2
    assert counted.of("inbox_routing_batches_total") == 1
    assert counted.of("inbox_routing_latency_seconds_sum") == 6
    assert counted.of("inbox_routing_batch_duration_seconds_count") == 1


def test_events_that_break_routing_are_counted_as_failures_and_quarantined(cast: Cast) -> None:
    counted = Counted()
    accept(cast.source, NOW, key="a")
    with row_trigger("IF NEW.disposition <> 'pending' THEN RAISE EXCEPTION 'x'; END IF"):
        for _ in range(5):
            route(lambda: NOW)

    assert counted.of("inbox_routing_events_total", outcome="quarantined") == 1
    assert counted.of("inbox_routing_events_total", outcome="routed") == 0
    assert counted.of("inbox_routing_failures_total") >= 5


@pytest.mark.parametrize(("status", "outcome"), [(204, "sent"), (500, "retrying"), (410, "held")])
def test_a_call_is_counted_by_kind_and_by_the_status_of_its_delivery(cast: Cast, status: int, outcome: str) -> None:
    with Receiver() as receiver:
        receiver.script(status)
        owe(make_destination(cast.workspace, receiver))
        counted = Counted()
        deliver(present)

    assert counted.of(ATTEMPTS, kind="webhook", outcome=outcome) == 1
    assert counted.of("inbox_delivery_attempt_duration_seconds_count", kind="webhook") == 1
    assert counted.of("inbox_delivery_latency_seconds_count", kind="webhook") == (outcome == "sent")


@pytest.mark.parametrize(("is_there", "outcome"), [(True, "sent"), (False, "retrying")])
def test_a_mail_is_counted_by_its_result(server: MailServer, is_there: bool, outcome: str) -> None:
    if not is_there:
        chosen.use(replace(chosen.current(), smtp_url="smtp://127.0.0.1:1"))
    counted = Counted()
    with work() as done:
        mail_outbox.enqueue(
            done,
            templates.fill("password_reset", name="Mia", link="https://inbox.example.org/reset#token=x"),
            "mia@example.org",
            NOW,
        )
    mail_outbox.send_due(lambda: NOW)

    assert counted.of("inbox_mail_attempts_total", outcome=outcome) == 1


def test_a_timer_is_counted_by_its_kind_with_how_late_it_was(cast: Cast) -> None:
    existing = incident(routed(cast.source).id)
    until = NOW + timedelta(minutes=10)
    with work() as done:
        incidents.act(
            existing.id, incidents.ActRequest(Act.SNOOZE, by=Actor("user", "", "Mia"), until=until), NOW, done
        )
    counted = Counted()
    run_due(lambda: until + timedelta(seconds=7))

    assert counted.of("inbox_timers_fired_total", kind="incident.snooze_end", outcome="done") == 1
    assert counted.of("inbox_timer_lateness_seconds_sum") == 7


def test_a_timer_that_fails_is_counted_as_failed(cast: Cast) -> None:
    existing = incident(routed(cast.source).id)
    until = NOW + timedelta(minutes=10)
    with work() as done:
        incidents.act(
            existing.id, incidents.ActRequest(Act.SNOOZE, by=Actor("user", "", "Mia"), until=until), NOW, done
        )
    counted = Counted()
    with row_trigger("RAISE EXCEPTION 'x'", table="incidents", on="UPDATE"):
        run_due(lambda: until)

    assert counted.of("inbox_timers_fired_total", kind="incident.snooze_end", outcome="failed") == 1
    assert counted.of("inbox_timers_fired_total", kind="incident.snooze_end", outcome="done") == 0


def test_a_wake_up_that_redis_did_not_take_is_counted() -> None:
    counted = Counted()
    JobQueues("redis://127.0.0.1:1").wake(QueueName.ROUTING)

    assert counted.of("inbox_wakeups_failed_total") == 1
