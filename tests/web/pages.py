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


def stored_secret(page: Any) -> str:
    """The secret of the open dialog, which closes once the person has said that it is stored."""
    dialog = page.get_by_role("dialog")
    secret: str = dialog.locator("[data-secret]").inner_text()
    dialog.get_by_label("I have stored it").check()
    dialog.get_by_role("button", name="Done").click()
    return secret
