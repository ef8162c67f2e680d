"""Routes and browsers for tests of authorization."""

from __future__ import annotations

from collections.abc import Callable

from tests.browser import Browser

Browsers = Callable[[str], Browser]


NOWHERE = "wsp_01j0000000e008000000000001"
