"""Hostile texts are shown as text: they create no element, run nothing and widen no screen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import requests

from tests.stand_ins.receivers import Receiver
from tests.web.conftest import PHONE, Open
from tests.web.dialogs import dialog_records, each_dialog, each_menu
from tests.web.pages import load, settled, show
from tests.web.records import Texts, create_records
from tests.web.screens import DIALOGS, SCREENS
from tests.web.service import Service

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("accessibility")]

IMAGE = "<img src=x onerror=window.ran=1>"
SCRIPT = "</script><script>window.ran=1</script>"
LINKS = '[link](javascript:window.ran=1) <a data-hostile href="javascript:window.ran=1">javascript:window.ran=1</a>'
TURNED = "\u202egnp.exe \U0001f525 \U0001f469\u200d\U0001f692"
LONG = "Donaudampfschiff" * 10
HOSTILE = Texts(
    mark="hostile",
    name=f"hostile {IMAGE}\U0001f525{LONG}"[:90],  # the API refuses invisible characters in names
    title=f"hostile {SCRIPT}{IMAGE}{TURNED} {LONG}"[:256],
    body=f"hostile {SCRIPT} {IMAGE} {LINKS} {TURNED} {LONG}\n<svg data-hostile onload=window.ran=1>",
    tag=f"hostile{IMAGE}"[:64],
    resource=f"host:hostile{IMAGE}{LONG}"[:128],
    metadata={f"hostile {IMAGE}": {SCRIPT: LONG}, "link": "javascript:window.ran=1", "long": LONG},
)
ELEMENTS = "[onerror], [onload], [data-hostile], img[src='x'], a[href^='javascript:' i], iframe, object, embed"
"""What the texts would make if one of them were read as HTML or as a link. The dashboard has no such element."""

TOO_WIDE = """() => [document.documentElement, ...document.querySelectorAll('[role=dialog], [role=menu]')]
  .filter((each) => each.scrollWidth > each.clientWidth)
  .map((each) => `${each.role ?? 'screen'}: ${each.scrollWidth} pixels in ${each.clientWidth}`)"""
"""The screen, dialogs and menus that can be scrolled sideways."""


@pytest.fixture(scope="module")
def hostile(service: Service) -> Iterator[dict[str, str]]:
    """The ids of one record of each kind with hostile texts. The workspace and a member have hostile names, too."""
    workspace = service.home()
    path = f"{service.address}/v1/workspaces/{workspace['id']}"
    with Receiver() as receiver:
        ids = create_records(service, receiver, HOSTILE)
        view = {"workspaceId": workspace["id"], "name": HOSTILE.name, "list": "incidents", "shared": True}
        stored_view = service.post("/v1/views", {**view, "filters": {"tag": [HOSTILE.tag]}})
        link = service.invite("viewer")
        account = {
            "email": f"{ids['source']}@example.org",
            "name": HOSTILE.name,
            "password": "a hostile phrase of nobody",
        }
        body = {"token": link.partition("#token=")[2], **account}
        own = {"Origin": service.address}
        requests.post(f"{service.address}/v1/invites/accept", json=body, headers=own, timeout=60).raise_for_status()
        service.session.patch(path, json={"name": HOSTILE.name}, timeout=60).raise_for_status()
        yield ids
        service.session.patch(path, json={"name": workspace["name"]}, timeout=60).raise_for_status()
        for path in (f"rules/{ids['rule']}", f"views/{stored_view['id']}"):
            service.delete(f"/v1/{path}")


def test_hostile_texts_are_only_text_on_every_screen(visit: Open, service: Service, hostile: dict[str, str]) -> None:
    page, messages = _opened(visit, service)
    faults: dict[str, Any] = {}
    for name, path in SCREENS.items():
        if "#" in path:  # the app reads a fragment when it is loaded
            load(page, service.address + path)
            settled(page)
        else:
            show(page, path.format(**hostile))
        faults[name] = _faults(page, is_named="{" in path)

    assert ({name: found for name, found in faults.items() if found}, messages) == ({}, [])


def test_hostile_texts_are_only_text_in_dialogs_and_menus(
    visit: Open, service: Service, hostile: dict[str, str]
) -> None:
    page, messages = _opened(visit, service)
    faults: dict[str, Any] = {}
    with dialog_records(service, HOSTILE, hostile):
        for name in each_dialog(page, HOSTILE, hostile, workspace=HOSTILE.name):
            settled(page)
            faults[name] = _faults(page, is_named=any("{" in each for each in DIALOGS[name]))
        for name in each_menu(page, hostile):
            faults[f"menu {name}"] = _faults(page, is_named=False)

    assert ({name: found for name, found in faults.items() if found}, messages) == ({}, [])


def _opened(visit: Open, service: Service) -> tuple[Any, list[str]]:
    """The loaded app, and the messages of `alert` and the like, which are dismissed."""
    page, messages = visit(size=PHONE, service=service), []

    def dismiss(dialog: Any) -> None:
        messages.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", dismiss)
    load(page, service.address)
    settled(page)
    return page, messages


def _faults(page: Any, *, is_named: bool) -> list[str]:
    """What is wrong with what is open. What belongs to a hostile record has to show its text."""
    found = page.locator(ELEMENTS)
    faults = [each.evaluate("each => each.outerHTML.slice(0, 200)") for each in found.all()]
    if page.evaluate("'ran' in window"):
        faults.append("a script ran")
    faults += page.evaluate(TOO_WIDE)
    shown = page.evaluate(
        "document.body.innerText + [...document.querySelectorAll('input, textarea')].map((each) => each.value).join()"
    )
    if is_named and "hostile" not in shown:
        faults.append("the text is not shown")
    return faults
