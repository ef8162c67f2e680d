"""The index of a long page."""

from __future__ import annotations

import pytest

from tests.web.conftest import Open
from tests.web.pages import settled, signed_in
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("accessibility")]


@pytest.mark.parametrize(("path", "section"), [("/account", "Close the account"), ("/w/home/settings", "Retention")])
def test_a_long_page_has_links_to_its_sections(visit: Open, service: Service, path: str, section: str) -> None:
    page = signed_in(visit, service, path)
    heading = page.get_by_role("heading", name=section, exact=True)
    expect(heading).not_to_be_in_viewport()
    settled(page)  # a list that is read later moves the sections below it
    steps = page.evaluate("history.length")

    page.get_by_role("navigation", name="On this page").get_by_role("link", name=section, exact=True).click()

    expect(heading).to_be_in_viewport()
    expect(heading).to_be_focused()
    assert page.evaluate("history.length") == steps
