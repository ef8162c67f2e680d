"""Requests previews over HTTP."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from tests.browser import Browser
from tests.cast import Cast, typeid

Browsers = Callable[[str], Browser]


HOUR = timedelta(hours=1)


SINCE = "2026-11-21T00:00:00Z"


UNTIL = "2026-11-22T00:00:00Z"


LOG = {"disposition": "log"}


@pytest.fixture
def adam(browser: Browsers) -> Browser:
    return browser("adam")


def requested(cast: Cast, **more: Any) -> dict[str, Any]:
    return {"workspaceId": typeid("wsp", cast.workspace.id), "since": SINCE, "until": UNTIL, **more}
