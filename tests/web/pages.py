"""How journeys open pages and find rows."""

from __future__ import annotations

from typing import Any

from tests.web.conftest import Open
from tests.web.service import Service


def signed_in(visit: Open, service: Service, path: str, **more: Any) -> Any:
    """A page at `path` with Olga signed in, in a browser of its own."""
    page = visit(service=service, **more)
    page.goto(service.address + path)
    return page
