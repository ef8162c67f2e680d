"""Destinations over HTTP, as tests make them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from inbox.models.tables.destinations import Destination
from tests.browser import Browser
from tests.cast import Cast, typeid
from tests.receivers import SECRET, Receiver

Browsers = Callable[[str], Browser]


@pytest.fixture
def workspace(cast: Cast) -> str:
    return typeid("wsp", cast.workspace.id)


def path(destination: Destination, act: str = "") -> str:
    return f"/v1/destinations/{typeid('dst', destination.id)}{act}"


def new(workspace: str, receiver: Receiver, **changes: Any) -> dict[str, Any]:
    config = {"url": receiver.url, "secret": SECRET}
    return {"workspaceId": workspace, "name": "On-call", "kind": "webhook", "config": config, **changes}
