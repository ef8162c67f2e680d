"""Facts of a source beside its events: rules that name it, uses of its keys, and links to its incidents."""

from __future__ import annotations

import re

import pytest
import requests

from tests.faults.service_processes import until
from tests.web.conftest import Open
from tests.web.pages import signed_in
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]


def test_a_source_lists_the_rules_that_name_it(visit: Open, service: Service) -> None:
    workspace = service.home()
    own = {"workspaceId": workspace["id"]}
    source = service.post("/v1/sources", {**own, "name": "Ruled sender"})
    then = {"disposition": "log"}
    match = 'title = "Never sent"'
    listed = service.post(
        "/v1/rules", {**own, "name": "By list", "matchText": match, "sourceIds": [source["id"]], "then": then}
    )
    named = service.post(
        "/v1/rules", {**own, "name": "By condition", "matchText": 'source = "Ruled sender"', "then": then}
    )
    other = service.post("/v1/rules", {**own, "name": "Of every source", "matchText": match, "then": then})
    page = signed_in(visit, service, f"/w/home/sources/{source['id']}")
    page.get_by_role("tab", name="Rules").click()

    rows = page.get_by_role("table", name="Rules of the source").locator("tbody tr")
    expect(rows).to_have_count(2)
    expect(rows.filter(has_text="By condition")).to_contain_text('When source = "Ruled sender": log only')
    expect(page.get_by_text("to events of every source.")).to_be_visible()
    rows.filter(has_text="By list").click()
    expect(page.get_by_role("heading", name="By list")).to_be_visible()
    for rule in (listed, named, other):
        service.delete(f"/v1/rules/{rule['id']}")


def test_a_key_shows_who_used_it(visit: Open, service: Service) -> None:
    workspace = service.home()
    source = service.post("/v1/sources", {"workspaceId": workspace["id"], "name": "Used sender"})["id"]
    key = service.post(f"/v1/sources/{source}/keys", {"name": "host one"})
    token = service.post(f"/v1/sources/{source}/keys", {"name": "old tool", "kind": "alias_token"})
    headers = {"Authorization": f"Bearer {key['secret']}", "User-Agent": "backup-script/3.1"}
    requests.post(f"{service.address}/v1/events", json={"title": "Used"}, headers=headers, timeout=60)
    until(lambda: service.get(f"/v1/sources/{source}/keys")["items"][-1]["lastUsedFrom"], "the use is noted", 120)
    service.post(f"/v1/sources/{source}/keys/{key['id']}/rotate")

    page = signed_in(visit, service, f"/w/home/sources/{source}?tab=keys")
    row = page.get_by_role("table", name="Keys").locator("tbody tr").filter(has_text="Old key")
    expect(row).to_contain_text("Used in the last hour from 127.0.0.1")
    expect(row).to_contain_text("backup-script/3.1")
    page.goto(f"{service.address}/w/home/keys")
    group = page.get_by_role("table", name="Source keys").locator("tbody", has_text="Used sender")
    expect(group.locator("tr").filter(has_text=f"…{token['hint']}")).to_contain_text("Alias token")
    expect(group.locator("tr").filter(has_text=f"…{key['hint']}")).to_contain_text("from 127.0.0.1")


def test_the_incidents_of_a_source_are_found_by_its_id(visit: Open, service: Service) -> None:
    service.incident("Found by the source", dedupKey="found by the source")
    page = signed_in(visit, service, "/w/home/sources")
    page.get_by_role("table", name="Sources").locator("tbody tr", has_text="Backups").get_by_role("link").last.click()

    expect(page).to_have_url(re.compile(r"/inbox\?q=source%3Asrc_"))
    expect(page.get_by_role("link", name="Found by the source")).to_be_visible()
