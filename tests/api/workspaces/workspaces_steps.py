"""Creates and reads workspaces over HTTP."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from inbox.database.base import new_id
from inbox.models.deliveries.destinations import Destination
from inbox.models.workspaces.tables import Workspace
from tests.browser import Browser
from tests.cast import Cast, present, typeid

Browsers = Callable[[str], Browser]


@pytest.fixture
def path(cast: Cast) -> str:
    return f"/v1/workspaces/{typeid('wsp', cast.workspace.id)}"


def destination(workspace: Workspace, **more: Any) -> str:
    row = Destination.create(
        id=new_id(), workspace=workspace, name="Hook", kind="webhook", config={}, created_at=present(), **more
    )
    return typeid("dst", row.id)
