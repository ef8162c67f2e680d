"""An import from the screen of sources: entered, reviewed, created, and not created twice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inbox.intake.importers import answers as of_api
from tests.api.imports import setups
from tests.cast import present
from tests.destinations.receivers import Receiver, answer
from tests.web.conftest import Open
from tests.web.pages import signed_in, violations
from tests.web.service import EMAIL, Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]

CRONTAB = "0 3 * * * /usr/local/bin/journey-backup\n@hourly journey-report\n@reboot journey-start"
TOKEN = "token-of-the-other-tool"


def choose(page: object, tool: str) -> None:
    page.get_by_role("combobox", name="Tool").click()  # type: ignore[attr-defined]
    page.get_by_role("option", name=tool, exact=True).click()  # type: ignore[attr-defined]


def test_a_crontab_is_reviewed_and_the_chosen_items_are_created_once(visit: Open, service: Service) -> None:
    page = signed_in(visit, service, "/w/home/sources")
    page.get_by_role("link", name="Import").click()
    choose(page, "crontab")
    page.get_by_label("Text").fill(CRONTAB)
    page.get_by_role("button", name="Preview").click()

    expect(page.get_by_text("Line 3: journey-start")).to_be_visible()
    page.get_by_role("checkbox", name="journey-report").uncheck()
    page.get_by_role("button", name="Create 2 items").click()
    expect(page.get_by_role("status").filter(has_text="2 items were created")).to_be_visible()
    expect(page.get_by_label("Text for journey-backup", exact=True)).to_contain_text("/v1/heartbeats/svc_hb_")

    page.goto(f"{service.address}/w/home/sources/import")
    choose(page, "crontab")
    page.get_by_label("Text").fill(CRONTAB)
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_text("Imported before")).to_have_count(2)
    expect(page.get_by_role("button", name="Create 1 item")).to_be_enabled()
    assert "svc_hb_" not in page.content()


def test_a_server_is_read_with_a_token_that_the_browser_does_not_keep(visit: Open, service: Service) -> None:
    check = {"name": "Journey check", "uuid": "journey-1", "timeout": 3600, "grace": 600, "tags": "", "status": "up"}
    page = signed_in(visit, service, "/w/home/sources/import")
    with Receiver(answer(401)) as tool:
        choose(page, "Healthchecks")
        page.get_by_label("Address of the server").fill(f"http://127.0.0.1:{tool.port}")
        page.get_by_label("Token").fill(TOKEN)
        page.get_by_role("button", name="Preview").click()
        expect(page.get_by_role("alert").filter(has_text="does not accept this token")).to_be_visible()

        tool.script = answer(200, json.dumps({"checks": [check]}).encode())
        page.get_by_role("button", name="Preview").click()
        expect(page.get_by_role("checkbox", name="Journey check")).to_be_checked()
        page.get_by_role("button", name="Create 2 items").click()
        expect(page.get_by_role("link", name="Journey check")).to_be_visible()

    assert tool.hits[-1].headers["x-api-key"] == TOKEN
    stored = page.evaluate("() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }])")
    assert TOKEN not in stored + page.content()


def test_a_large_set_up_shows_that_it_is_being_read_and_why_it_is_refused(visit: Open, service: Service) -> None:
    pattern = {"name": "a", "isRegex": True}
    silences = [
        {"id": f"s{n}", "comment": "Work", "matchers": [{**pattern, "value": f"(?s)x{n}.{{1,400}}"}]}
        for n in range(300)  # enough to be seen, and read within the 20 s on a busy machine
    ]
    page = signed_in(visit, service, "/w/home/sources/import")
    choose(page, "Alertmanager: silences")
    page.get_by_role("radio", name="As a text").check()
    page.get_by_role("textbox", name="Text").fill(json.dumps(silences))
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("status").filter(has_text="Reading the configuration.")).to_be_visible()
    expect(page.get_by_role("heading", name="Skipped")).to_be_visible()

    page.get_by_role("button", name="Back").click()
    page.get_by_role("textbox", name="Text").fill("{")
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("alert").filter(has_text="It is no JSON.")).to_be_visible()


def test_an_on_call_set_up_is_compared_and_created_and_who_is_no_member_is_invited(
    visit: Open, service: Service, tmp_path: Path, axe: str
) -> None:
    people = (EMAIL, "journey-ben@elsewhere.example", "journey-zoe@elsewhere.example")
    answers = {path: json.dumps(each).encode() for path, each in setups.opsgenie(people).items()}
    file = tmp_path / "opsgenie.json.gz"
    file.write_bytes(of_api.written("opsgenie", answers, present()))
    page = signed_in(visit, service, "/w/home/sources/import")
    choose(page, "Opsgenie")
    page.get_by_role("radio", name="As a file").check()
    page.locator("input[type=file]").set_input_files(file)
    page.get_by_role("button", name="Preview").click()

    expect(page.get_by_text("Same shifts for 60 days")).to_be_visible()
    expect(page.get_by_text("Not a member")).to_have_count(2)
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="Invite journey-zoe@elsewhere.example").click()
    dialog = opened.value.get_by_role("dialog")
    expect(dialog.get_by_role("textbox", name="Email address")).to_have_value("journey-zoe@elsewhere.example")
    assert violations(page, axe) == []

    page.get_by_role("button", name="Create 6 items").click()
    expect(page.get_by_role("status").filter(has_text="5 items were created")).to_be_visible()
    page.get_by_role("link", name="Rota 0").click()
    expect(page.get_by_role("heading", name="Rota 0", level=1)).to_be_visible()
    expect(page.get_by_text("turn 3: Journey-Zoe")).to_be_visible()

    page.goto(f"{service.address}/account")
    offered = page.get_by_role("group", name="Imported rules")
    expect(offered).to_contain_text("After 5 min: Mail to olga@example.org")
    offered.get_by_role("button", name="Use these rules").click()
    expect(page.get_by_role("button", name="Save the rules")).to_be_visible()
    page.get_by_role("button", name="Discard", exact=True).click()
    offered.get_by_role("button", name="Dismiss").click()
    expect(offered).to_have_count(0)
