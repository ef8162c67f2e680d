"""axe finds nothing in open dialogs and drawers, in both themes."""

from __future__ import annotations

from typing import Any

import pytest
import requests

from tests.web.conftest import Open
from tests.web.pages import violations
from tests.web.service import Service

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]

DIALOGS = {
    "help": ("/w/home/inbox", "key ?"),
    "palette": ("/w/home/inbox", "key Control+k"),
    "event": ("/w/home/events", "row"),
    "new source": ("/w/home/sources", "Create a source"),
    "new key": ("/w/home/sources/{source}?tab=keys", "Create a key"),
    "deletion of a source": ("/w/home/sources/{source}?tab=settings", "Delete the source"),
    "new destination": ("/w/home/destinations", "Create a destination"),
    "destination": ("/w/home/destinations", "Pager"),
    "invite": ("/w/home/members", "Invite"),
    "entry of the audit log": ("/w/home/audit", "row"),
    "closing of the workspace": ("/w/home/settings", "Close the workspace"),
    "closing of the account": ("/account", "Close the account"),
    "ping": ("/w/home/heartbeats/{monitor}", "Ping now"),
    "text of a ping": ("/w/home/heartbeats/{monitor}?tab=pings", "row"),
    "pause of a heartbeat": ("/w/home/heartbeats/{monitor}", "Pause"),
    "rotation of a token": ("/w/home/heartbeats/{monitor}?tab=setup", "Rotate the token"),
    "replacement of a badge": ("/w/home/heartbeats/{monitor}?tab=setup", "Replace the badge"),
    "deletion of a badge": ("/w/home/heartbeats/{monitor}?tab=setup", "Delete the badge"),
    "deletion of a heartbeat": ("/w/home/heartbeats/{monitor}?tab=settings", "Delete the monitor"),
}
"""Each dialog or drawer with its screen, and what opens it: a key, the first row of a table, or a button."""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_in_open_dialogs(visit: Open, service: Service, axe: str, theme: str) -> None:
    service.destination("Pager")
    [first, *_] = service.get("/v1/incidents?limit=1")["items"]
    monitor = service.monitor(f"Dialogs {theme}")
    service.post(f"/v1/heartbeat-monitors/{monitor['id']}/badge")
    requests.post(f"{monitor['pingUrl']}/fail", data=b"no space left", timeout=20).raise_for_status()
    page = visit(theme=theme, service=service)
    found: dict[str, Any] = {}
    for name, (path, opener) in DIALOGS.items():
        page.goto(service.address + path.format(source=first["sourceId"], monitor=monitor["id"]))
        page.locator("h1").wait_for()
        _open(page, opener)
        page.get_by_role("dialog").first.wait_for()
        page.wait_for_function("() => document.getAnimations().every((each) => each.playState !== 'running')")
        found[name] = violations(page, axe)

    assert {name: each for name, each in found.items() if each} == {}


def _open(page: Any, opener: str) -> None:
    if opener.startswith("key "):
        page.keyboard.press(opener.removeprefix("key "))
    elif opener == "row":
        page.locator("tbody tr").first.click()
    else:
        page.get_by_role("button", name=opener, exact=True).first.click()
