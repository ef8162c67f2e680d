"""Writes and reads audit entries for tests."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from inbox.flow.unit_of_work import work
from inbox.services.records import audit
from tests.browser import Browser
from tests.cast import NOW, Cast, typeid

Browsers = Callable[[str], Browser]


@pytest.fixture
def workspace(cast: Cast) -> str:
    return typeid("wsp", cast.workspace.id)


@pytest.fixture
def path(workspace: str) -> str:
    return f"/v1/workspaces/{workspace}/audit-log"


def note(cast: Cast, action: str, minutes: int = 0) -> None:
    with work():
        audit.record(
            action, target=audit.target("source", cast.source.id, "Prometheus"), now=NOW + timedelta(minutes=minutes),
            workspace_id=cast.workspace.id,
        )  # fmt: skip
