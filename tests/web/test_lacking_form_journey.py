"""Forms that lack something."""

from __future__ import annotations

import pytest

from tests.web.conftest import Open
from tests.web.pages import signed_in
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("accessibility")]


def test_a_form_that_lacks_something_says_so_when_it_is_saved(visit: Open, service: Service) -> None:
    rules = len(service.get("/v1/rules")["items"])
    page = signed_in(visit, service, "/w/home/rules/new")
    lack = page.get_by_role("alert").filter(has_text="Enter a name.")
    expect(lack).to_have_count(0)

    page.get_by_role("button", name="Create the rule").click()

    expect(lack).to_be_visible()
    page.get_by_role("textbox", name="Name", exact=True).fill("Named now")
    expect(lack).to_have_count(0)
    assert len(service.get("/v1/rules")["items"]) == rules
