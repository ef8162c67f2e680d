"""The legal links of the operator: below the pages for signing in, signing up and set-up, and in the menu of the account."""

from __future__ import annotations

from typing import Any

import pytest

from tests.web.conftest import LEGAL_LINKS, Open
from tests.web.pages import signed_in
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]


def names_and_addresses(links: Any) -> list[tuple[str, str | None]]:
    return [(link.inner_text(), link.get_attribute("href")) for link in links.all()]


@pytest.mark.parametrize("path", ["/login", "/signup", "/setup"])
def test_a_page_for_everybody_ends_with_the_legal_links(visit: Open, service: Service, path: str) -> None:
    page = visit()
    page.goto(service.address + path)
    links = page.get_by_role("main").get_by_role("navigation", name="Legal").get_by_role("link")
    expect(links).to_have_count(len(LEGAL_LINKS))

    assert names_and_addresses(links) == list(LEGAL_LINKS.items())


def test_the_menu_of_the_account_leads_to_the_legal_texts(visit: Open, service: Service) -> None:
    page = signed_in(visit, service, "/w/home/inbox")
    page.get_by_role("button", name="account of Olga Ivanova").click()
    items = page.locator("a[role=menuitem][href^='https://legal.example/']")
    expect(items).to_have_count(len(LEGAL_LINKS))

    assert names_and_addresses(items) == list(LEGAL_LINKS.items())
