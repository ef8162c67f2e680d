"""axe finds nothing on the screens that are built, in both themes, wide and on a phone."""

from __future__ import annotations

from typing import Any

import pytest

from tests.web.conftest import DESKTOP, PHONE, Open
from tests.web.service import Service

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]

SCREENS = {
    "inbox": "/w/home/inbox?state=all",
    "no match": "/w/home/inbox?q=nothing-has-this-title",
    "rules": "/w/home/rules",
    "rule": "/w/home/rules/new",
    "default route": "/w/home/rules/default",
    "silences": "/w/home/silences",
    "silence": "/w/home/silences/new",
    "deliveries": "/w/home/deliveries",
    "profiles": "/w/home/profiles",
    "profile": "/w/home/profiles/new",
    "statistics": "/w/home/statistics",
    "incident": "/w/home/incidents/{incident}",
    "notices": "/w/home/incidents/{incident}?tab=notices",
    "sources": "/w/home/sources",
    "set-up of a source": "/w/home/sources/{source}",
    "events of a source": "/w/home/sources/{source}?tab=events",
    "keys of a source": "/w/home/sources/{source}?tab=keys",
    "settings of a source": "/w/home/sources/{source}?tab=settings",
    "events": "/w/home/events",
    "destinations": "/w/home/destinations",
    "destination": "/w/home/destinations/new",
    "welcome": "/w/home/welcome",
    "keys": "/w/home/keys",
    "wall": "/w/home/wall",
    "members": "/w/home/members",
    "account": "/account",
    "settings": "/w/home/settings",
    "audit": "/w/home/audit",
    "system": "/admin",
    "people": "/admin?tab=people",
    "workspaces": "/admin?tab=workspaces",
    "invite": "/invite",
    "forgot": "/forgot",
    "reset": "/reset#token=of-nothing",
    "verify-email": "/verify-email#token=of-nothing",
    "email-change": "/email-change#token=of-nothing",
    "signup": "/signup",
    "pair": "/pair",
    "pair with a code": "/pair#0000-0000",
    "login": "/login",
    "setup": "/setup",
    "docs": "/docs",
    "operation": "/docs?operation=destinationsCreate",
}
"""Each built screen. A new screen belongs here."""

RULES = "axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']})"


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_axe_finds_nothing(visit: Open, service: Service, axe: str, theme: str, size: dict[str, int]) -> None:
    [first, *_] = service.get("/v1/incidents?limit=1")["items"]
    existing = {"incident": first["id"], "source": first["sourceId"]}
    page = visit(size=size, theme=theme, service=service)
    found: dict[str, Any] = {}
    for name, path in SCREENS.items():
        page.goto(service.address + path.format(**existing))
        page.locator("h1").wait_for()
        page.wait_for_load_state("load")
        page.evaluate(axe)
        violations = page.evaluate(RULES)["violations"]
        found[name] = [(each["id"], [node["html"][:160] for node in each["nodes"]][:3]) for each in violations]

    assert {name: each for name, each in found.items() if each} == {}
