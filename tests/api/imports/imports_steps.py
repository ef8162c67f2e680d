"""Requests imports over HTTP."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from inbox.domain.values import ids
from tests.api.stage import Stage
from tests.browser import Browser
from tests.cast import Cast, typeid

Browsers = Callable[[str], Browser]

PREVIEW, IMPORT = "/v1/imports/preview", "/v1/imports"
CRONTAB = "0 3 * * * backup\n@hourly report\n@reboot start"


@pytest.fixture
def adam(browser: Browsers) -> Browser:
    return browser("adam")


def draft(cast: Cast, kind: str = "crontab", **more: Any) -> dict[str, Any]:
    """The fields of an import into the workspace of the cast; without more, of a crontab."""
    return {"workspaceId": typeid("wsp", cast.workspace.id), "kind": kind, **(more or {"document": CRONTAB})}


def crontab_of(stage: Stage) -> dict[str, str]:
    """An import of one line of a crontab."""
    workspace = ids.encode("wsp", stage.workspace.id)
    return {"workspaceId": workspace, "kind": "crontab", "document": "0 3 * * * backup"}
