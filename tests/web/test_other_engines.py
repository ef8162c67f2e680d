"""Firefox and WebKit: sign-in, a live incident, acts, the rule editor and the layout of a phone, without an error."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.faults.service_processes import until
from tests.web.engines.engine import DESKTOP, ENTER, PHONE, Engine, Screen
from tests.web.engines.firefox import firefox
from tests.web.engines.webkit import webkit
from tests.web.service import EMAIL, PASSWORD, Service

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]

PHONE_SCREENS = (
    "inbox", "events", "sources", "keys", "rules", "rules/new", "profiles", "silences", "silences/new", "destinations",
    "heartbeats", "watchers", "deliveries", "statistics", "members", "audit", "settings", "inbox?state=all",
)  # fmt: skip


@pytest.fixture(params=["firefox", "webkit"])
def engine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    if request.param == "webkit":
        with webkit() as window:
            yield window
    else:
        with firefox(tmp_path_factory.mktemp("profile")) as window:
            yield window


def test_an_incident_is_seen_live_and_is_worked_on_in_other_engines(engine: Engine, service: Service) -> None:
    title = f"Seen in {type(engine).__name__}"
    screen = Screen(engine, service.address)
    _signs_in(screen)

    service.send(title, dedupKey=title, severity="CRITICAL")
    screen.sees(title)
    screen.press(f"Critical: {title}")
    screen.sees("Timeline")
    [incident] = service.get(f"/v1/incidents?q={title}")["items"]
    for act, state in (("Acknowledge", "acknowledged"), ("Undo", "open"), ("Resolve", "resolved")):
        screen.press(act, "button")
        _becomes(service, incident["id"], state)

    screen.open("/w/home/rules/new")
    screen.press("Add a condition", "button")
    screen.sees("Preview")
    _fits_on_a_phone(screen)
    assert engine.errors == []


def _becomes(service: Service, id: str, state: str) -> None:
    until(lambda: service.get(f"/v1/incidents/{id}")["state"] == state, f"the incident is {state}", 60)


def _signs_in(screen: Screen) -> None:
    screen.open("/login")
    screen.press("", "input[type=email]")
    screen.types(EMAIL)
    screen.press("", "input[type=password]")
    screen.types(PASSWORD + ENTER)
    screen.sees("Prepared critical")


def _fits_on_a_phone(screen: Screen) -> None:
    screen.engine.resize(*PHONE)
    too_wide = {}
    for path in PHONE_SCREENS:
        screen.open(f"/w/home/{path}")
        until(lambda: screen.engine.evaluate("document.querySelector('h1') !== null"), f"{path} is shown", 60)
        too_wide[path] = screen.overflow()
    screen.engine.resize(*DESKTOP)
    assert {path: pixels for path, pixels in too_wide.items() if pixels > 0} == {}
