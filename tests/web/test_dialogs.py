"""axe finds nothing in open dialogs and drawers, in both themes, on a desktop and a phone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.web.conftest import Open
from tests.web.pages import load, show, violations_everywhere
from tests.web.records import NIGHTLY
from tests.web.screens import DIALOGS
from tests.web.service import Service

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("accessibility")]

SIZES = (1440, 390)
DIALOG = "[role=dialog]"


def test_axe_finds_nothing_in_open_dialogs(visit: Open, service: Service, axe: str, records: dict[str, str]) -> None:
    service.post(f"/v1/heartbeat-monitors/{records['monitor']}/badge")
    [workspace, *_] = service.get("/v1/workspaces")["items"]
    view = {"workspaceId": workspace["id"], "name": "Errors", "list": "incidents", "filters": {"minSeverity": "ERROR"}}
    stored = service.post("/v1/views", view)
    delete_some(service, workspace["id"])
    phone = {"workspaceId": workspace["id"], "name": "Phone with a template", "kind": "ntfy"}
    template = {"title": "{{ resource }}: {{ title }}", "body": ""}
    config = {"server": "http://127.0.0.1:9", "topic": "dialogs"}
    templated = service.post("/v1/destinations", {**phone, "config": config, "template": template})
    page = visit(service=service)
    load(page, service.address)
    found: dict[str, Any] = {}
    for name, (path, opener) in DIALOGS.items():
        show(page, path.format(**records))
        open_dialog(page, opener.format(name=NIGHTLY.name))
        found[name] = violations_everywhere(page, axe, SIZES, DIALOG)  # the screens behind have a test of their own
        close_dialog(page)
    for record in (f"views/{stored['id']}", f"destinations/{templated['id']}"):
        service.session.delete(f"{service.address}/v1/{record}", timeout=60).raise_for_status()

    assert {name: each for name, each in found.items() if each} == {}


def delete_some(service: Service, workspace: str) -> None:
    """Delete a record of each list that shows deleted ones."""
    own, name = {"workspaceId": workspace}, "Not needed"
    match = {"all": [{"field": "title", "op": "eq", "value": name}]}
    ends_at = (datetime.now(UTC) + timedelta(hours=4)).isoformat()
    destination = service.destination(name)["id"]
    deleted = {
        "sources": service.post("/v1/sources", {**own, "name": name}),
        "silences": service.post("/v1/silences", {**own, "match": match, "endsAt": ends_at, "comment": name}),
        "rules": service.post("/v1/rules", {**own, "name": name, "match": match, "then": {"disposition": "incident"}}),
        "routing-profiles": service.post(
            "/v1/routing-profiles",
            {**own, "name": name, "steps": [{"afterMinutes": 0, "destinationIds": [destination]}]},
        ),
        "destinations": {"id": destination},  # after the profile that names it
    }
    for collection, record in deleted.items():
        service.session.delete(f"{service.address}/v1/{collection}/{record['id']}", timeout=60).raise_for_status()


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


def close_dialog(page: Any) -> None:
    """Close it by the key, as a person does."""
    page.keyboard.press("Escape")
    page.locator(DIALOG).first.wait_for(state="detached")
