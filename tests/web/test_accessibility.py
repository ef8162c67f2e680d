"""axe finds nothing on the screens that are built, in both themes, wide and on a phone."""

from __future__ import annotations

from typing import Any

import pytest
import requests

from tests.web.conftest import DESKTOP, PHONE, Open
from tests.web.pages import violations
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
    "heartbeats": "/w/home/heartbeats",
    "new heartbeat": "/w/home/heartbeats/new",
    "heartbeat": "/w/home/heartbeats/{monitor}",
    "set-up of a heartbeat": "/w/home/heartbeats/{monitor}?tab=setup",
    "pings of a heartbeat": "/w/home/heartbeats/{monitor}?tab=pings",
    "history of a heartbeat": "/w/home/heartbeats/{monitor}?tab=history&late",
    "settings of a heartbeat": "/w/home/heartbeats/{monitor}?tab=settings",
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


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_axe_finds_nothing(visit: Open, service: Service, axe: str, theme: str, size: dict[str, int]) -> None:
    [first, *_] = service.get("/v1/incidents?limit=1")["items"]
    monitor = service.monitor(f"Backup {theme} {size['width']}", tags=["nightly"])
    requests.post(f"{monitor['pingUrl']}/fail", data=b"no space left on device", timeout=20).raise_for_status()
    existing = {"incident": first["id"], "source": first["sourceId"], "monitor": monitor["id"]}
    page = visit(size=size, theme=theme, service=service)
    found: dict[str, Any] = {}
    for name, path in SCREENS.items():
        page.goto(service.address + path.format(**existing))
        page.locator("h1").wait_for()
        page.wait_for_load_state("load")
        found[name] = violations(page, axe)

    assert {name: each for name, each in found.items() if each} == {}
