"""Totals of long lists over many workspaces: null only above the documented bounds (specification 2.6)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from inbox.database.base import db
from inbox.models.deliveries.tables import Delivery
from tests.browser import Browser
from tests.cast import Cast, join, make_workspace
from tests.stand_ins.outgoing_posts import make_destination, owe

Browsers = Callable[[str], Browser]

MANY = 25_000
"""More rows than a tenth of the rows that a numbered page examines, and fewer than all of them."""

ID = "(lpad(to_hex(1795359600000 + n), 12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid"

EVENTS = f"""
INSERT INTO received_events (workspace_id, id, source_id, received_at, occurred_at, severity, action, title, fingerprint)
SELECT %(w)s, {ID}, %(s)s, to_timestamp(1795359600 + n / 1000.0), to_timestamp(1795359600 + n / 1000.0), 'ERROR',
    CASE WHEN n %% 10 = 0 THEN 'resolve' ELSE 'trigger' END, 'Disk full', 'f1:' || n FROM generate_series(1, %(many)s) n
"""


@pytest.fixture
def mia(browser: Browsers, cast: Cast) -> Browser:
    """Mia, who is in ten workspaces. All but one are empty."""
    join(cast.foreign, cast.users["mia"], "viewer")
    for place in range(8):
        make_workspace(f"Empty {place}", mia=cast.users["mia"])
    return browser("mia")


def copy(delivery: Delivery, many: int) -> None:
    """Store that many deliveries like this one; each tenth has failed."""
    rest = [name for name in Delivery._meta.columns if name not in ("id", "status", "notice_id")]
    columns = ", ".join(rest)
    db.execute_sql(
        f"ALTER TABLE deliveries DISABLE TRIGGER ALL; INSERT INTO deliveries (id, notice_id, status, {columns})"
        f" SELECT {ID}, {ID}, CASE WHEN n %% 10 = 0 THEN 'failed' ELSE 'sent' END, {columns}"
        f" FROM deliveries, generate_series(1, {many}) n; ALTER TABLE deliveries ENABLE TRIGGER ALL"
    )
    delivery.delete_instance()


def numbered(reader: Browser, path: str) -> Any:
    return reader.get(f"{path}&offset=0&limit=1").get_json()


def test_events_found_over_many_workspaces_are_counted(mia: Browser, cast: Cast) -> None:
    db.execute_sql(EVENTS, {"w": cast.workspace.id, "s": cast.source.id, "many": MANY})

    assert numbered(mia, "/v1/events?action=resolve")["total"] == MANY // 10


def test_deliveries_found_over_many_workspaces_are_counted(mia: Browser, cast: Cast) -> None:
    copy(owe(make_destination(cast.workspace, "http://127.0.0.1:9/")), MANY)

    assert numbered(mia, "/v1/deliveries?status=failed")["total"] == MANY // 10


def test_a_rare_text_over_many_workspaces_is_found_on_a_numbered_page(mia: Browser, cast: Cast) -> None:
    db.execute_sql(EVENTS, {"w": cast.workspace.id, "s": cast.source.id, "many": MANY})

    page = numbered(mia, "/v1/events?q=zebra")

    assert (page["items"], page["total"]) == ([], 0)
