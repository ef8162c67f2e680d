"""A hidden tab counts the open incidents in its title."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.web.conftest import Open
from tests.web.pages import NotShown
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]

HIDE = """() => {
  Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' });
  document.dispatchEvent(new Event('visibilitychange'));
}"""
"""Chromium of a test shows all tabs."""


def opened(service: Service) -> int:
    """How many incidents of the workspace are open."""
    workspace = service.home()
    return int(service.get(f"/v1/incidents/counts?workspaceId={workspace['id']}")["byState"]["open"])


def test_a_hidden_tab_shows_a_new_incident_in_its_title_within_a_minute(visit: Open, service: Service) -> None:
    page = visit(service=service)
    page.clock.install()
    page.goto(f"{service.address}/w/home/sources")
    before = opened(service)
    expect(page).to_have_title(re.compile(rf"^\({before}\) "))
    expect(page.locator("[data-connection=live]")).to_be_visible()
    page.evaluate(HIDE)

    incident = service.incident("While the tab is hidden", dedupKey="while the tab is hidden")
    after = opened(service)
    assert after > before
    # A busy browser may begin the minute after the first jump.
    assert any(counts_a_minute_later(page, after) for _ in range(2))
    service.post(f"/v1/incidents/{incident['id']}/resolve")


def counts_a_minute_later(page: Any, count: int) -> bool:
    """Whether the title has this number a minute later."""
    page.clock.fast_forward("01:01")
    try:
        page.wait_for_function(
            "(start) => document.title.startsWith(start)", arg=f"({count}) ", polling=50, timeout=20_000
        )
    except NotShown:
        return False
    return True
