"""Prometheus metrics and access to them."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from flask import Flask
from prometheus_client.parser import text_string_to_metric_families
from redis import Redis
from rq.serializers import JSONSerializer
from rq.worker import SimpleWorker

from inbox.config.settings import Settings
from inbox.database.base import db, new_id
from inbox.models.events.queue import shard_of
from inbox.runtime.metrics import processes
from inbox.runtime.queue import QueueName
from inbox.services.instance import bootstrap
from jobs.scheduler import InboxScheduler
from tests.browser import Browser
from tests.cast import Cast, present
from tests.stand_ins.outgoing_posts import make_destination, owe


def samples(answer: Any) -> dict[tuple[str, ...], float]:
    families = text_string_to_metric_families(answer.get_data(as_text=True))
    return {(each.name, *each.labels.values()): each.value for family in families for each in family.samples}


def test_an_idle_instance_reports_no_waiting_work(anonymous: Browser) -> None:
    answer = anonymous.get("/metrics")
    found = samples(answer)

    assert answer.content_type.startswith("text/plain")
    assert found["inbox_events_waiting",] == 0 and found["inbox_events_oldest_waiting_seconds",] == 0
    assert found["inbox_deliveries_oldest_due_seconds",] == 0 and found["inbox_timers_overdue",] == 0


@pytest.mark.parametrize(("minutes", "seconds"), [(10, 600), (-1, 0)], ids=["expired", "in flight"])
def test_a_delivery_that_is_being_sent_is_due_when_its_lease_ends(
    anonymous: Browser, cast: Cast, minutes: int, seconds: int
) -> None:
    lease = present() - timedelta(minutes=minutes)
    destination = make_destination(cast.workspace, "http://127.0.0.1:9/")
    owe(destination, status="sending", attempt=1, lease_until=lease, due_at=lease)

    assert seconds <= samples(anonymous.get("/metrics"))["inbox_deliveries_oldest_due_seconds",] < seconds + 60


def test_waiting_events_and_overdue_timers_are_counted_with_their_age(anonymous: Browser, cast: Cast) -> None:
    event_id, workspace_id, at = new_id(), cast.workspace.id, present() - timedelta(minutes=10)
    db.execute_sql(
        "INSERT INTO received_events (workspace_id, id, source_id, received_at, occurred_at, severity, action, title, fingerprint)"
        " VALUES (%s, %s, %s, %s, %s, 'ERROR', 'trigger', 'Disk full', 'f1:0')",
        (workspace_id, event_id, cast.source.id, at, at),
    )
    queue = "INSERT INTO event_queue (shard, workspace_id, event_id, quarantined_at) VALUES (%s, %s, %s, %s)"
    db.execute_sql(queue, (shard_of(cast.source.id), workspace_id, event_id, None))
    db.execute_sql(queue, (shard_of(cast.source.id), workspace_id, new_id(), at))
    db.execute_sql("INSERT INTO timers VALUES ('wake', %s, %s, %s)", (new_id(), workspace_id, at))
    found = samples(anonymous.get("/metrics"))

    assert found["inbox_events_waiting",] == 1 and found["inbox_events_quarantined",] == 1
    assert 600 <= found["inbox_events_oldest_waiting_seconds",] < 660
    assert found["inbox_timers_overdue",] == 1


def test_no_figure_names_a_workspace_or_a_source(anonymous: Browser, cast: Cast) -> None:
    text = anonymous.get("/metrics").get_data(as_text=True)

    assert "wsp_" not in text and "src_" not in text and str(cast.workspace.id) not in text


@pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded"])
def test_a_proxied_metrics_request_is_not_treated_as_loopback(header: str, anonymous: Browser) -> None:
    assert anonymous.get("/metrics", headers={header: "127.0.0.1"}).status_code == 401


@pytest.mark.parametrize("address", ["203.0.113.9", "10.0.0.1", "", "2001:db8::1"])
def test_metrics_are_refused_to_foreign_addresses(address: str, anonymous: Browser) -> None:
    answer = anonymous.client.get("/metrics", environ_overrides={"REMOTE_ADDR": address})

    assert answer.status_code == 401


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        ("Bearer a-token-of-ours", 200),
        ("bearer a-token-of-ours", 200),
        ("Bearer another", 401),
        ("Bearer é", 401),
        (None, 401),
    ],
)
def test_metrics_with_a_token_require_the_token(
    sent: str | None, status: int, anonymous: Browser, in_settings: Callable[..., Settings]
) -> None:
    in_settings(metrics_token="a-token-of-ours")

    assert anonymous.get("/metrics", headers={"Authorization": sent} if sent else None).status_code == status


@pytest.mark.parametrize(
    ("base_url", "status"),
    [
        ("https://inbox.example.org", 401),
        ("http://192.168.1.10:8080", 401),
        ("http://localhost:8080", 200),
        ("http://[::1]:8080", 200),
    ],
)
def test_a_plain_proxy_on_this_machine_does_not_open_the_metrics_of_a_public_address(
    base_url: str, status: int, anonymous: Browser, in_settings: Callable[..., Settings]
) -> None:
    in_settings(base_url=base_url)

    assert anonymous.get("/metrics").status_code == status


@pytest.mark.parametrize("server", ["postgres", "redis"])
def test_metrics_are_shown_while_a_server_is_away(server: str, app: Flask, settings: Settings) -> None:
    away = {"postgres": "database_url", "redis": "redis_url"}[server]
    bootstrap.configure(replace(settings, **{away: f"{server}://nobody@127.0.0.1:1/nothing"}), application="inbox-test")
    try:
        answer = Browser(app, settings.base_url).get("/metrics")
    finally:
        bootstrap.configure(settings, application="inbox-test")
    found = samples(answer)

    assert found["inbox_postgres_up",] == (server != "postgres") and found["inbox_redis_up",] == (server != "redis")
    assert (("inbox_events_waiting",) in found) == (server != "postgres")
    assert (("inbox_scheduler_up",) in found) == (server != "redis")
    assert ("inbox_data_errors_total", processes.name()) in found


def test_metrics_show_workers_and_scheduler_from_their_keys_in_redis(anonymous: Browser, settings: Settings) -> None:
    began = math.floor(time.time())
    with closing(Redis.from_url(settings.redis_url)) as redis:
        worker = SimpleWorker([str(QueueName.ROUTING)], connection=redis, serializer=JSONSerializer)
        worker.register_birth()
        worker.heartbeat()
        InboxScheduler(redis, periodic_jobs=[]).run(burst=True)
    found = samples(anonymous.get("/metrics"))

    assert found["inbox_workers", "routing"] == 1 and found["inbox_workers", "delivery"] == 0
    assert began <= found["inbox_worker_last_seen_timestamp_seconds", "routing"] <= time.time()
    assert found["inbox_scheduler_up",] == 1
    assert began <= found["inbox_scheduler_last_run_timestamp_seconds",] <= time.time()
