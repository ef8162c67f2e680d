"""How journeys open pages and find rows."""

from __future__ import annotations

from typing import Any

from tests.web.conftest import Open
from tests.web.service import Service

RULES = "axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']})"


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


def violations(page: Any, axe: str) -> list[tuple[str, list[str]]]:
    """The rules of accessibility that the page violates now, each with up to three elements."""
    page.evaluate(axe)
    found = page.evaluate(RULES)["violations"]
    return [(each["id"], [node["html"][:160] for node in each["nodes"]][:3]) for each in found]
