"""Starts Playwright with the Node of the locked requirements."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, suppress

from playwright.sync_api import Playwright, sync_playwright

from ops import dashboard


def browser_driver() -> AbstractContextManager[Playwright]:
    """Returns Playwright, for a `with` block. Its own Node needs the library libatomic, which a bare machine lacks."""
    with suppress(dashboard.NotBuilt):
        os.environ.setdefault("PLAYWRIGHT_NODEJS_PATH", str(dashboard.node()))
    return sync_playwright()
