"""Watchers in a real browser, with the agent as a process and check-ins over HTTP."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.web.conftest import Open
from tests.web.pages import signed_in
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]


def check(name: str, status: str) -> dict[str, str]:
    return {"name": name, "status": status, "message": f"{name} is {status}"}


def test_a_host_is_watched_by_the_ready_line_and_its_failed_check_is_seen(
    visit: Open, service: Service, tmp_path: Path
) -> None:
    service.check_in("other")
    page = signed_in(visit, service, "/w/home/watchers")
    page.get_by_role("button", name="Watch a host").click()
    line = page.get_by_role("dialog", name="Watch a host").get_by_label("One line", exact=True)
    text = line.locator("visible=true").last.inner_text().replace("svc_src_your_key", service.key)
    text = text.replace("python3", sys.executable) + " --once --id ready --name 'Ready host' --command 'queue=exit 1'"
    subprocess.run(["sh", "-c", text], cwd=tmp_path, check=True, timeout=60)
    page.keyboard.press("Escape")

    row = page.get_by_role("row").filter(has_text="Ready host")
    expect(row).to_contain_text("failing")  # the load of this machine may fail, too
    row.click()
    expect(page.get_by_role("heading", name="Ready host")).to_be_visible()
    checks = page.get_by_role("list", name="Checks").get_by_role("listitem")
    expect(checks.filter(has_text="queue")).to_contain_text("exit code 1")
    watcher_id = page.url.rpartition("/")[2]
    page.get_by_role("link", name="Incident of queue").click()
    expect(page.get_by_role("heading", name="Ready host: queue fails")).to_be_visible()
    service.delete(f"/v1/watchers/{watcher_id}")  # it would be late in other tests


def test_a_change_of_a_check_is_seen_without_a_reload(visit: Open, service: Service) -> None:
    watcher = service.check_in("live", check("disk", "ok"))["watcher"]
    page = signed_in(visit, service, f"/w/home/watchers/{watcher['id']}")
    expect(page.get_by_text("disk is ok")).to_be_visible()

    service.check_in("live", check("disk", "warn"))

    expect(page.get_by_text("disk is warn")).to_be_visible()
    expect(page.get_by_text("Warns")).to_be_visible()


def test_an_administrator_renames_and_deletes_a_watcher(visit: Open, service: Service) -> None:
    watcher = service.check_in("named", check("disk", "ok"))["watcher"]
    page = signed_in(visit, service, f"/w/home/watchers/{watcher['id']}")
    page.get_by_role("button", name="Rename").click()
    page.get_by_role("dialog").get_by_label("Name").fill("Shop")
    page.get_by_role("button", name="Save the name").click()
    expect(page.get_by_role("heading", name="Shop")).to_be_visible()
    page.get_by_role("link", name="Check-ins, grace and pauses").click()
    expect(page.get_by_role("heading", name="Shop")).to_be_visible()
    page.get_by_role("link", name="Shop", exact=True).click()

    page.get_by_role("button", name="Delete", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Delete the watcher").click()

    expect(page.get_by_role("heading", name="Watchers")).to_be_visible()
    expect(page.get_by_role("link", name="Shop", exact=True)).to_have_count(0)
    assert service.session.get(f"{service.address}/v1/watchers/{watcher['id']}", timeout=60).status_code == 404


def test_watchers_can_be_searched_and_the_failing_ones_come_first(visit: Open, service: Service) -> None:
    for name, status in (("search a", "ok"), ("search b", "fail"), ("search c", "warn")):
        service.check_in(name.replace(" ", "-"), check("disk", status), name=name)
    page = signed_in(visit, service, "/w/home/watchers")
    expect(page.get_by_role("textbox", name="Search watchers")).to_be_visible()
    page.keyboard.press("/")
    page.keyboard.type("search ")
    rows = page.get_by_role("table", name="Watchers").locator("tbody tr")

    expect(rows).to_have_count(3)
    expect(rows.nth(0)).to_contain_text("search b")
    expect(rows.nth(1)).to_contain_text("search c")
    page.reload()
    expect(rows).to_have_count(3)


@pytest.fixture
def slug(service: Service) -> Iterator[str]:
    """That of a workspace with nothing in it."""
    with service.workspace("Without watchers") as empty:
        yield str(empty["slug"])


def test_a_workspace_without_watchers_explains_their_purpose(visit: Open, service: Service, slug: str) -> None:
    page = signed_in(visit, service, f"/w/{slug}/watchers")

    expect(page.get_by_role("heading", name="No watcher yet")).to_be_visible()
    expect(page.get_by_text("python3 inbox.py watch")).to_be_visible()
