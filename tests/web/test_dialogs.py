"""axe finds nothing in open dialogs and drawers, in both themes, on a desktop and a phone."""

from __future__ import annotations

from typing import Any

import pytest

from tests.web.conftest import Open
from tests.web.pages import settled, violations_everywhere
from tests.web.records import NIGHTLY
from tests.web.screens import DIALOGS
from tests.web.service import Service

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("accessibility")]

SIZES = (1440, 390)


def test_axe_finds_nothing_in_open_dialogs(visit: Open, service: Service, axe: str, records: dict[str, str]) -> None:
    service.post(f"/v1/heartbeat-monitors/{records['monitor']}/badge")
    [workspace, *_] = service.get("/v1/workspaces")["items"]
    view = {"workspaceId": workspace["id"], "name": "Errors", "list": "incidents", "filters": {"minSeverity": "ERROR"}}
    stored = service.post("/v1/views", view)
    page = visit(service=service, reduced_motion="reduce")
    found: dict[str, Any] = {}
    for name, (path, opener) in DIALOGS.items():
        page.goto(service.address + path.format(**records))
        settled(page)
        open_dialog(page, opener.format(name=NIGHTLY.name))
        found[name] = violations_everywhere(page, axe, SIZES)
    service.session.delete(f"{service.address}/v1/views/{stored['id']}", timeout=60).raise_for_status()

    assert {name: each for name, each in found.items() if each} == {}


def open_dialog(page: Any, opener: str) -> None:
    """Press the key, open the first row, or press the button and then an item of its menu."""
    button, _, item = opener.partition(" > ")
    if opener.startswith("key "):
        page.keyboard.press(opener.removeprefix("key "))
    elif opener == "row":
        page.locator("tbody tr").first.click(position={"x": 8, "y": 8})
    else:
        page.get_by_role("button", name=button, exact=True).first.click()
    if item:
        page.get_by_role("menuitem", name=item).click()
    page.get_by_role("dialog").first.wait_for()
