"""Reads exports of workspaces."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from inbox.database.base import db
from tests.browser import Browser
from tests.cast import Cast, typeid

Browsers = Callable[[str], Browser]


@pytest.fixture
def path(cast: Cast) -> str:
    return f"/v1/workspaces/{typeid('wsp', cast.workspace.id)}/export"


def events(cast: Cast, count: int) -> None:
    db.execute_sql(
        "INSERT INTO received_events (workspace_id, id, source_id, received_at, occurred_at, severity, action, title,"
        " fingerprint, metadata) SELECT %s, ('01900000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, %s, now(), now(),"
        " 'ERROR', 'trigger', 'Title ' || n, 'f1:x', '{\"a\": [1, null]}' FROM generate_series(1, %s) n",
        (cast.workspace.id, cast.source.id, count),
    )
