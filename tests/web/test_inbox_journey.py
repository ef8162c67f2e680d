"""The inbox: filters of the search."""

from __future__ import annotations

import pytest

from tests.web.conftest import Open
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
    search = page.get_by_role("textbox", name="Search incidents")

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
