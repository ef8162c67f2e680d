"""A destination with a digest and custom texts: both are entered, previewed, saved and turned off."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.web.conftest import Open
from tests.web.pages import settled, signed_in, violations
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]

NAME = "Chat of the day shift"
CHOICES = re.compile(r"/v1/incidents\?.*\blimit=20\b")
"""The requests of the incidents that a preview may take."""


@pytest.fixture
def destination(service: Service) -> Any:
    workspace = service.home()
    fields = {"workspaceId": workspace["id"], "name": NAME, "kind": "ntfy"}
    made = service.post(
        "/v1/destinations", {**fields, "config": {"server": "http://127.0.0.1:9", "topic": "day-shift"}}
    )
    yield made
    service.delete(f"/v1/destinations/{made['id']}")


def opened(visit: Open, service: Service) -> tuple[Any, Any]:
    """The page, and the dialog of the destination."""
    page = signed_in(visit, service, "/w/home/destinations")
    page.get_by_role("link", name=NAME, exact=True).click()
    dialog = page.get_by_role("dialog", name=NAME)
    settled(page)
    return page, dialog


def choose(page: Any, dialog: Any, label: str, option: str) -> None:
    dialog.get_by_role("combobox", name=label).click()
    page.get_by_role("option", name=option).click()


def clock_of(dialog: Any) -> Any:
    """The time of a daily digest."""
    return dialog.get_by_role("textbox", name="At", exact=True)


def save(page: Any, dialog: Any) -> None:
    dialog.get_by_role("button", name="Save the changes").click()
    expect(dialog).to_be_hidden()
    settled(page)


def stored(service: Service, destination: Any) -> Any:
    return service.get(f"/v1/destinations/{destination['id']}")


def test_a_digest_is_chosen_and_turned_off(visit: Open, service: Service, destination: Any, axe: str) -> None:
    page, dialog = opened(visit, service)
    expect(clock_of(dialog)).to_have_count(0)
    choose(page, dialog, "Digest", "Every day")
    clock_of(dialog).fill("18:30")
    assert violations(page, axe) == []
    save(page, dialog)
    assert stored(service, destination)["digest"] == {"every": "day", "at": "18:30"}

    page.get_by_role("link", name=NAME, exact=True).click()
    expect(clock_of(dialog)).to_have_value("18:30")
    choose(page, dialog, "Digest", "Every hour")
    save(page, dialog)
    assert stored(service, destination)["digest"]["every"] == "hour"

    page.get_by_role("link", name=NAME, exact=True).click()
    choose(page, dialog, "Digest", "Off: send each notification immediately")
    save(page, dialog)
    assert stored(service, destination)["digest"] is None


def test_a_template_is_previewed_on_an_incident_and_saved(
    visit: Open, service: Service, destination: Any, axe: str
) -> None:
    page, dialog = opened(visit, service)
    expect(dialog.get_by_role("button", name="Preview")).to_have_count(0)
    dialog.get_by_label("Message title").fill("{{ title|upper }} in {{ workspace }}")
    dialog.get_by_label("Message body").fill("{% for each in title %}{% endfor %}")
    # Other tests make newer incidents than the list begins with.
    dialog.get_by_role("combobox", name="Preview with").fill("Prepared crit")
    page.get_by_role("option", name="Prepared critical").click()
    dialog.get_by_role("button", name="Preview").click()
    expect(dialog.get_by_role("alert")).to_be_visible()

    dialog.get_by_label("Message body").fill("<b>{{ severity }}</b>: see the runbook.")
    dialog.get_by_role("button", name="Preview").click()
    shown = dialog.get_by_role("status").filter(has_text="PREPARED CRITICAL in")
    expect(shown).to_contain_text("<b>CRITICAL</b>: see the runbook.")
    assert violations(page, axe) == []
    save(page, dialog)
    assert stored(service, destination)["template"] == {
        "title": "{{ title|upper }} in {{ workspace }}",
        "body": "<b>{{ severity }}</b>: see the runbook.",
    }

    page.get_by_role("link", name=NAME, exact=True).click()
    dialog.get_by_label("Message title").fill("")
    dialog.get_by_label("Message body").fill("")
    expect(dialog.get_by_role("button", name="Preview")).to_have_count(0)
    save(page, dialog)
    assert stored(service, destination)["template"] is None


def test_typed_text_stays_when_the_list_of_incidents_is_reloaded(
    visit: Open, service: Service, destination: Any
) -> None:
    page, dialog = opened(visit, service)
    waiting: list[Any] = []

    def wait(route: Any) -> None:
        waiting.append(route)

    page.route(CHOICES, wait)
    with page.expect_request(CHOICES):
        dialog.get_by_label("Message title").fill("{{ title }}")
    choice = dialog.get_by_role("combobox", name="Preview with")
    choice.fill("#")  # the beginning of a number, which narrows nothing
    assert waiting
    page.unroute(CHOICES, wait)  # which lets the waiting requests go on
    newer = service.incident("Newer than the chosen one", dedupKey="newer than the chosen one")
    option = page.get_by_role("option", name="Newer than the chosen one")
    expect(option).to_be_visible()
    expect(choice).to_have_value("#")

    option.click()
    expect(choice).to_have_value(f"#{newer['number']} Newer than the chosen one")
    service.post(f"/v1/incidents/{newer['id']}/resolve")


def test_a_template_that_cannot_be_used_is_refused_at_its_field(
    visit: Open, service: Service, destination: Any
) -> None:
    _, dialog = opened(visit, service)
    dialog.get_by_label("Message title").fill("{{ unknown }}")
    dialog.get_by_role("button", name="Save the changes").click()

    title = dialog.get_by_label("Message title")
    expect(title).to_have_attribute("aria-invalid", "true")
    assert stored(service, destination)["template"] is None
