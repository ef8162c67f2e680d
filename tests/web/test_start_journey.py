"""The start of the dashboard: requests of a cold inbox, and the workspace that opens."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.faults.service_processes import until
from tests.web.conftest import Open
from tests.web.pages import settled, signed_in
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]

PREFERENCES = "/v1/me/preferences"
FIRST_PAINT = "performance.getEntriesByName('first-contentful-paint').length"
FIRST_READS = """
performance.getEntriesByType('resource').filter((each) => each.startTime < 5000).map((each) => each.name)
"""
"""The requests of the first five seconds, after which the dashboard reads the start again."""
PARTS = {"/v1/info", "/v1/me", PREFERENCES, "/v1/workspaces", "/v1/incidents/counts"}
"""What `GET /v1/start` answers, by the addresses that answer it one by one."""


def without_stream(page: Any) -> list[str]:
    """The reads of the page, with their queries. The stream never answers, so that it makes nothing stale."""
    addresses: list[str] = []
    page.route("**/v1/stream", lambda _: None)
    page.on("request", lambda sent: addresses.append(sent.url) if "/v1/" in sent.url else None)
    return addresses


def test_a_cold_inbox_reads_the_start_with_one_request_and_nothing_twice(visit: Open, service: Service) -> None:
    service.patch(PREFERENCES, {"lastWorkspaceId": service.home()["id"]})
    page = visit(service=service)
    addresses = without_stream(page)

    page.goto(f"{service.address}/w/home/inbox")
    expect(page.get_by_role("list", name="Needs attention").get_by_role("link").first).to_be_visible()
    settled(page)

    paths = [urlsplit(address).path for address in addresses]
    assert paths.count("/v1/start") == 1
    assert PARTS & set(paths) == set()
    assert sorted(addresses) == sorted(set(addresses))
    expect(page.get_by_role("button", name="Workspace: Home")).to_be_visible()


def test_what_the_start_has_read_is_not_read_again_when_the_stream_connects(visit: Open, service: Service) -> None:
    page = visit(service=service)

    page.goto(f"{service.address}/w/home/inbox")
    page.locator('[data-connection="live"]').wait_for(state="attached")
    page.wait_for_timeout(2_000)

    paths = [urlsplit(address).path for address in page.evaluate(FIRST_READS)]
    assert PARTS & set(paths) == set()
    once = ("/v1/start", "/v1/admin/system", "/v1/sources", "/v1/views")
    assert [paths.count(path) for path in once] == [1, 1, 1, 1]


def test_the_document_names_the_files_of_its_screen_and_the_start(visit: Open, service: Service) -> None:
    page = signed_in(visit, service, "/w/home/rules")
    expect(page.get_by_role("heading", name="Rules")).to_be_visible()

    named = page.evaluate("[...document.head.querySelectorAll('link[rel=modulepreload]')].map((each) => each.href)")
    loaded = page.evaluate("performance.getEntriesByType('resource').map((each) => each.name)")

    assert [each for each in named if "/assets/rules-" in each]
    assert set(named) <= set(loaded)
    assert not [each for each in loaded if "/assets/inbox-" in each]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_frame_is_drawn_before_the_first_script_and_the_styles_of_the_screen(
    visit: Open, service: Service, theme: str
) -> None:
    page = visit(service=service)
    page.emulate_media(color_scheme=theme)
    held: list[Any] = []
    page.route(re.compile(r"/assets/(?!(vendor|app)-[^/]*css)"), lambda route: held.append(route))

    page.goto(f"{service.address}/w/home/inbox", wait_until="commit")
    expect(page.get_by_text("Incident Inbox", exact=True)).to_be_visible()
    painted = until(lambda: page.evaluate(FIRST_PAINT), "something is painted", 60)
    for each in held:
        each.continue_()
    page.unroute_all()

    assert painted
    expect(page.get_by_role("button", name="Workspace: Home")).to_be_visible()
    expect(page.locator(".frame")).to_have_count(0)


def test_a_visitor_who_is_not_signed_in_is_led_to_the_sign_in(visit: Open, service: Service) -> None:
    page = visit()
    addresses = without_stream(page)

    page.goto(f"{service.address}/w/home/rules")
    expect(page.get_by_role("textbox", name="Password")).to_be_visible()

    assert urlsplit(page.url).query == "next=%2Fw%2Fhome%2Frules"
    paths = [urlsplit(address).path for address in addresses]
    assert PARTS & set(paths) == {"/v1/info"}


def test_a_new_browser_opens_the_workspace_that_was_open_last(visit: Open, service: Service) -> None:
    with service.workspace("Recent team") as recent:
        page = signed_in(visit, service, f"/w/{recent['slug']}/inbox")
        until(lambda: service.get(PREFERENCES)["lastWorkspaceId"] == recent["id"], "the workspace is saved", 60)

        other = signed_in(visit, service, "/")
        expect(other.get_by_role("button", name="Workspace: Recent team")).to_be_visible()
        assert urlsplit(other.url).path == f"/w/{recent['slug']}/inbox"

        other.goto(f"{service.address}/w/home/inbox")
        until(lambda: service.get(PREFERENCES)["lastWorkspaceId"] == service.home()["id"], "the other one is saved", 60)
        page.goto(service.address)
        expect(page.get_by_role("button", name="Workspace: Recent team")).to_be_visible()
