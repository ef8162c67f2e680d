"""The inbox: filters of the search, and acts on all that match."""

from __future__ import annotations

import pytest

from tests.faults.service_processes import until
from tests.web.conftest import PHONE, Open
from tests.web.pages import signed_in
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]


def test_tokens_of_the_search_narrow_the_inbox_and_leave_by_their_chips(visit: Open, service: Service) -> None:
    service.incident("Token search on a host", dedupKey="token host", resource="host:token-1", type="disk.usage")
    service.incident("Token search in a job", dedupKey="token job", resource="job:token-2", type="job.failed")
    page = signed_in(visit, service, "/w/home/inbox?q=Token")
    host, job = (page.get_by_role("link", name=f"Token search {place}") for place in ("on a host", "in a job"))
    expect(host).to_be_visible()
    expect(job).to_be_visible()
    search = page.get_by_role("combobox", name="Search incidents", exact=True)

    for token, found, other in (
        ("kind:host", host, job),
        ("type:job.failed", job, host),
        ('key:"token host"', host, job),
    ):
        search.fill(f"Token {token}")
        expect(other).to_be_hidden()
        expect(found).to_be_visible()

    search.fill("Token kind:host kind:job assignee:none last:1h")
    expect(host).to_be_visible()
    expect(job).to_be_visible()
    search.fill("Token assignee:me")
    expect(page.get_by_text("No incident matches")).to_be_visible()
    page.get_by_role("button", name="Remove assignee:me").click()
    expect(host).to_be_visible()
    search.fill("Token sev")
    assert search.evaluate("(field) => [...field.list.options].map((each) => each.value)") == [
        "Token severity:",
        "Token severity>=",
    ]


def test_all_matching_incidents_are_resolved_with_one_note_after_a_confirmation(visit: Open, service: Service) -> None:
    for number in range(3):
        service.incident(f"Bulk matching {number}", dedupKey=f"bulk matching {number}", tags=["bulk-matching"])
    page = signed_in(visit, service, "/w/home/inbox?q=tag%3Abulk-matching")
    page.get_by_role("checkbox", name="Select Bulk matching 0").click()
    bar = page.get_by_role("toolbar", name="Actions for the selected incidents")
    expect(bar.get_by_text("1 incident selected")).to_be_visible()

    bar.get_by_role("button", name="Select all 3 matching").click()
    expect(bar.get_by_text("All 3 incidents selected")).to_be_visible()
    bar.get_by_role("button", name="Respond with note").click()
    page.get_by_role("textbox", name="Note").fill("Known since Monday")
    page.get_by_role("button", name="Resolve with note").click()

    expect(page.get_by_text("3 incidents resolved")).to_be_visible()
    found = service.get("/v1/incidents?tag=bulk-matching")["items"]
    assert {each["state"] for each in found} == {"resolved"}
    timeline = service.get(f"/v1/incidents/{found[0]['id']}/timeline")["items"]
    assert [(each["kind"], each["details"].get("text")) for each in timeline[:2]] == [
        ("resolved", None),
        ("note", "Known since Monday"),
    ]

    page.goto(f"{service.address}/w/home/inbox?state=resolved&q=tag%3Abulk-matching")
    for act, choice, done in (("Assign", "Me", "Incident assigned"), ("Reopen", None, "Incident reopened")):
        page.get_by_role("checkbox", name="Select Bulk matching 1").click()
        expect(bar.get_by_role("button", name="Resolve")).to_have_count(0)
        bar.get_by_role("button", name=act, exact=True).click()
        if choice is not None:
            page.get_by_role("menuitem", name=choice, exact=True).click()
        expect(page.get_by_text(done)).to_be_visible()
    [reopened] = service.get("/v1/incidents?tag=bulk-matching&state=open&assigneeId=me")["items"]
    assert reopened["title"] == "Bulk matching 1"
    service.post(f"/v1/incidents/{reopened['id']}/resolve")


def test_keys_act_on_ticked_incidents_and_on_all_matches_once_chosen(visit: Open, service: Service) -> None:
    tag = "keys-of-all"
    for number in range(3):
        service.incident(f"Keys of all {number}", dedupKey=f"keys of all {number}", tags=[tag])
    page = signed_in(visit, service, f"/w/home/inbox?q=tag%3A{tag}")
    box = page.get_by_role("checkbox", name="Select Keys of all 0")
    bar = page.get_by_role("toolbar", name="Actions for the selected incidents")
    box.click()
    expect(box).to_be_focused()
    page.keyboard.press("Escape")
    expect(bar).to_have_count(0)

    box.click()
    bar.get_by_role("button", name="Select all 3 matching").click()
    expect(bar.get_by_text("All 3 incidents selected")).to_be_visible()
    box.focus()
    page.keyboard.press("r")

    expect(page.get_by_text("3 incidents resolved")).to_be_visible()
    expect(bar).to_have_count(0)
    assert {each["state"] for each in service.get(f"/v1/incidents?tag={tag}")["items"]} == {"resolved"}


def test_a_note_whose_act_failed_stays_with_the_selection(visit: Open, service: Service) -> None:
    service.incident("Noted in vain", dedupKey="noted in vain", tags=["noted-in-vain"])
    page = signed_in(visit, service, "/w/home/inbox?q=tag%3Anoted-in-vain")
    page.get_by_role("checkbox", name="Select Noted in vain").click()
    bar = page.get_by_role("toolbar", name="Actions for the selected incidents")
    page.route("**/v1/incidents/bulk", lambda route: route.abort(), times=1)
    bar.get_by_role("button", name="Respond with note").click()
    page.get_by_role("textbox", name="Note").fill("Known since Monday")
    page.get_by_role("button", name="Resolve with note").click()
    expect(page.get_by_role("alert")).to_be_visible()

    expect(bar.get_by_text("1 incident selected")).to_be_visible()
    bar.get_by_role("button", name="Respond with note").click()
    expect(page.get_by_role("textbox", name="Note")).to_have_value("Known since Monday")
    page.get_by_role("button", name="Resolve with note").click()
    expect(page.get_by_text("Incident resolved")).to_be_visible()
    expect(bar).to_have_count(0)


def test_a_long_list_keeps_few_rows_in_the_page_and_the_keys_reach_all(visit: Open, service: Service) -> None:
    service.send_many(
        [{"title": f"Long list {number:03}", "dedupKey": f"long {number}", "tags": ["long"]} for number in range(120)]
    )
    until(lambda: len(service.get("/v1/incidents?tag=long&limit=200")["items"]) == 120, "all are incidents")
    page = signed_in(visit, service, "/w/home/inbox?q=tag%3Along")
    for loaded in (50, 100):
        expect(page.locator(f'[aria-setsize="{loaded}"]').first).to_be_visible()
        page.get_by_role("button", name="Show more").click()
    expect(page.locator('[aria-setsize="120"]').first).to_be_visible()
    assert page.locator("[data-incident]").count() < 70
    page.evaluate("window.scrollTo(0, 0)")

    for _ in range(30):
        page.keyboard.press("j")
    # Quicker than rows can be rendered: no key is lost.
    page.evaluate(
        "for (let i = 0; i < 30; i++) document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'j', bubbles: true }))"
    )
    focused = page.locator("li:has(:focus)")
    expect(focused).to_have_attribute("aria-posinset", "60")
    expect(focused).to_be_in_viewport()
    page.keyboard.press("x")
    page.evaluate("window.scrollTo(0, 0)")
    expect(page.locator('[aria-posinset="1"]')).to_be_in_viewport()
    page.keyboard.press("j")

    expect(focused).to_have_attribute("aria-posinset", "61")
    expect(page.get_by_role("toolbar", name="Actions for the selected incidents")).to_contain_text(
        "1 incident selected"
    )
    service.post("/v1/incidents/bulk", {"filter": {"tag": ["long"]}, "expectedCount": 120, "action": "resolve"})


def test_the_current_tab_is_visible_on_a_phone(visit: Open, service: Service) -> None:
    page = visit(PHONE, service=service)
    page.goto(f"{service.address}/w/home/inbox?state=all")
    tabs = page.get_by_role("navigation", name="States")
    expect(tabs.get_by_role("link", name="All")).to_be_in_viewport(ratio=1)
    tabs.get_by_role("link", name="Needs attention").click()
    expect(tabs.get_by_role("link", name="Needs attention")).to_be_in_viewport(ratio=1)

    source = service.get("/v1/sources")["items"][0]["id"]
    page.goto(f"{service.address}/w/home/sources/{source}?tab=settings")
    expect(page.get_by_role("tab", name="Settings")).to_be_in_viewport(ratio=1)


def test_one_silence_begins_with_all_selected_incidents(visit: Open, service: Service) -> None:
    for number in range(2):
        service.incident(f"Bulk silence {number}", resource=f"host:bulk-silence-{number}", tags=["bulk-silence"])
    page = signed_in(visit, service, "/w/home/inbox?q=tag%3Abulk-silence")
    for number in range(2):
        page.get_by_role("checkbox", name=f"Select Bulk silence {number}").click()
    page.get_by_role("toolbar", name="Actions for the selected incidents").get_by_role("link", name="Silence").click()
    page.get_by_role("button", name="Create the silence").click()
    expect(page.get_by_role("heading", name="Silences")).to_be_visible()

    until(
        lambda: [each["state"] for each in service.get("/v1/incidents?tag=bulk-silence")["items"]] == ["silenced"] * 2,
        "both incidents are silenced",
        60,
    )


def test_the_menu_of_workspaces_counts_the_open_incidents_of_each(visit: Open, service: Service) -> None:
    with service.workspace("Other team") as workspace:
        source = service.post("/v1/sources", {"workspaceId": workspace["id"], "name": "Other source"})
        service.post(f"/v1/sources/{source['id']}/test-event", {"severity": "ERROR"})
        incidents = f"/v1/incidents?workspaceId={workspace['id']}"
        until(lambda: service.get(incidents)["items"], "the event is an incident", 60)
        page = signed_in(visit, service, "/w/home/inbox")
        page.get_by_role("button", name="Workspace: Home").click()

        item = page.get_by_role("menuitem", name="Other team")
        expect(item).to_contain_text("1 open")
        item.click()
        expect(page.get_by_role("button", name="Workspace: Other team")).to_be_visible()
