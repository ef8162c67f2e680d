"""Opens the dialogs, drawers and menus of the dashboard, and makes records beyond `tests.web.records`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.web.pages import show
from tests.web.records import Texts
from tests.web.screens import DIALOGS, MENUS
from tests.web.service import Service

DIALOG = "[role=dialog]"


@contextmanager
def dialog_records(service: Service, texts: Texts, records: dict[str, str]) -> Iterator[None]:
    """A badge, a deleted record of each kind, a view and a destination with a template. The last two are deleted at the end."""
    service.post(f"/v1/heartbeat-monitors/{records['monitor']}/badge")
    workspace = service.home()
    _delete_some(service, workspace["id"], texts.name)
    own = {"workspaceId": workspace["id"]}
    filters = {"minSeverity": "ERROR", "tag": [texts.tag]}
    view = service.post("/v1/views", {**own, "name": texts.name, "list": "incidents", "filters": filters})
    template = {"title": f"{{{{ resource }}}}: {texts.name}", "body": ""}
    config = {"server": "http://127.0.0.1:9", "topic": "dialogs"}
    phone = {**own, "name": "Phone with a template", "kind": "ntfy", "config": config, "template": template}
    templated = service.post("/v1/destinations", phone)
    try:
        yield
    finally:
        for record in (f"views/{view['id']}", f"destinations/{templated['id']}"):
            service.delete(f"/v1/{record}")


def each_dialog(page: Any, texts: Texts, records: dict[str, str], *, workspace: str) -> Iterator[str]:
    """Open each dialog in turn on the loaded page, and give its name while it is open."""
    for name, (path, opener) in DIALOGS.items():
        show(page, path.format(**records))
        _open_dialog(page, opener.format(name=texts.name, workspace=workspace))
        yield name
        page.keyboard.press("Escape")  # as a person does
        page.locator(DIALOG).first.wait_for(state="detached")


def each_menu(page: Any, records: dict[str, str]) -> Iterator[str]:
    """Open each menu in turn on the loaded page, and give its name while it is open."""
    for name, (path, opener) in MENUS.items():
        show(page, path.format(**records))
        page.get_by_role("button", name=re.compile(opener)).first.click()
        page.get_by_role("menuitem").or_(page.get_by_role("menuitemradio")).first.wait_for()
        yield name
        page.keyboard.press("Escape")
        page.get_by_role("menu").wait_for(state="detached")


def _delete_some(service: Service, workspace: str, name: str) -> None:
    """Delete a record with this name of each list that shows deleted ones."""
    own = {"workspaceId": workspace}
    match = {"all": [{"field": "title", "op": "eq", "value": name}]}
    ends_at = (datetime.now(UTC) + timedelta(hours=4)).isoformat()
    destination = service.destination(f"Deleted {name}"[:90])["id"]
    steps = [{"afterMinutes": 0, "destinationIds": [destination]}]
    people = [[service.get("/v1/me")["id"]]]
    layer = {"name": name, "start": "2026-03-02T09:00", "unit": "week", "every": 1, "members": people}
    schedule = {**own, "name": f"Deleted {name}"[:90], "timezone": "UTC", "layers": [layer]}
    deleted = {
        "schedules": service.post("/v1/schedules", schedule),
        "sources": service.post("/v1/sources", {**own, "name": name}),
        "silences": service.post("/v1/silences", {**own, "match": match, "endsAt": ends_at, "comment": name}),
        "rules": service.post("/v1/rules", {**own, "name": name, "match": match, "then": {"disposition": "incident"}}),
        "routing-profiles": service.post("/v1/routing-profiles", {**own, "name": name, "steps": steps}),
        "destinations": {"id": destination},  # after the profile that names it
    }
    for collection, record in deleted.items():
        service.delete(f"/v1/{collection}/{record['id']}")


def _open_dialog(page: Any, opener: str) -> None:
    """Press the key, open the first row, or press the button and then an item of its menu."""
    button, _, item = opener.partition(" > ")
    if opener.startswith("key "):
        page.keyboard.press(opener.removeprefix("key "))
    elif opener == "row":
        page.locator("tbody tr").first.click(position={"x": 8, "y": 8})
    else:
        to_elsewhere = page.locator("a:not([href^='#'])")  # an index leads to the section with the button
        name = re.compile(button) if button.startswith("^") else button
        links = page.get_by_role("link", name=name, exact=True).and_(to_elsewhere)
        page.get_by_role("button", name=name, exact=True).or_(links).first.click()
    if item:
        page.get_by_role("menuitem", name=item).click()
    page.get_by_role("dialog").first.wait_for()
