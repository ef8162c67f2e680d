"""Figures for Prometheus, for who may see them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from inbox.models.base import db, new_id
from inbox.models.events import shard_of
from inbox.settings import Settings
from tests.browser import Browser
from tests.cast import Cast, present


def samples(answer: Any) -> dict[tuple[str, ...], float]:
    families = text_string_to_metric_families(answer.get_data(as_text=True))
    return {(each.name, *each.labels.values()): each.value for family in families for each in family.samples}


def test_an_instance_without_work_waits_for_nothing(anonymous: Browser) -> None:
    answer = anonymous.get("/metrics")
    found = samples(answer)

    assert answer.content_type.startswith("text/plain")
    assert found["inbox_events_waiting",] == 0 and found["inbox_events_oldest_waiting_seconds",] == 0
    assert found["inbox_deliveries_oldest_due_seconds",] == 0 and found["inbox_timers_overdue",] == 0


def test_what_waits_is_counted_with_its_age(anonymous: Browser, cast: Cast) -> None:
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
def test_what_comes_through_a_proxy_is_not_loopback(header: str, anonymous: Browser) -> None:
    assert anonymous.get("/metrics", headers={header: "127.0.0.1"}).status_code == 401


@pytest.mark.parametrize("address", ["203.0.113.9", "10.0.0.1", "", "2001:db8::1"])
def test_other_addresses_are_refused(address: str, anonymous: Browser) -> None:
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
def test_with_a_token_it_is_the_token_that_counts(
    sent: str | None, status: int, anonymous: Browser, in_settings: Callable[..., Settings]
) -> None:
    in_settings(metrics_token="a-token-of-ours")

    assert anonymous.get("/metrics", headers={"Authorization": sent} if sent else None).status_code == status
