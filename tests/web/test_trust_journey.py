"""What the dashboard says of faults and states: once, by their true names, without a loss of what was entered."""

from __future__ import annotations

import pytest

from tests.faults.service_processes import until
from tests.web.conftest import Open
from tests.web.pages import signed_in
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]


def test_a_misspelt_field_is_named_once_with_a_caret_below_it(visit: Open, service: Service) -> None:
    page = signed_in(visit, service, "/w/home/rules/new")
    page.locator("label").filter(has_text="Text").click()
    field = page.get_by_role("textbox", name="Condition as text")
    field.fill('source = "Backups" and severity >= ERROR')
    expect(page.get_by_text("events", exact=False).first).to_be_visible()

    field.fill('source = "Backups" and severty >= ERROR')

    expect(page.get_by_text("Unknown field `severty`. Did you mean `severity`?")).to_have_count(1)
    pointer = page.locator("pre").filter(has_text="^^^^^^^")
    assert pointer.inner_text() == f'source = "Backups" and severty >= ERROR\n{" " * 23}{"^" * 7}'
    expect(page.get_by_text("Fix the condition to update the preview.")).to_be_visible()
    expect(page.get_by_text("/rule/matchText")).to_have_count(0)


def test_another_kind_of_a_new_destination_keeps_the_name(visit: Open, service: Service) -> None:
    page = signed_in(visit, service, "/w/home/destinations?new")
    dialog = page.get_by_role("dialog", name="New destination")
    dialog.get_by_role("button", name="Signed webhook").click()
    dialog.get_by_role("textbox", name="Name").fill("Kept name")

    dialog.get_by_role("button", name="Change kind").click()
    dialog.get_by_role("button", name="Slack").click()

    expect(dialog.get_by_role("textbox", name="Name")).to_have_value("Kept name")


def test_mail_without_a_server_is_not_set_up(visit: Open, service: Service) -> None:
    page = signed_in(visit, service, "/admin")
    part = page.get_by_role("list", name="System health").get_by_role("listitem").filter(has_text="Mail")

    expect(part.get_by_text("Not set up")).to_be_visible()
    expect(part.get_by_text("INBOX_SMTP_URL")).to_be_visible()
    expect(part.get_by_text("Good")).to_have_count(0)


def test_a_source_says_that_an_event_without_a_severity_opens_no_incident(visit: Open, service: Service) -> None:
    home = service.home()["id"]
    source = service.post("/v1/sources", {"workspaceId": home, "name": "Quiet by default"})
    key = service.post(f"/v1/sources/{source['id']}/keys", {"name": "tests"})["secret"]
    Service(service.address, service.session, key).send("Hello", severity="INFO")
    path = f"/v1/events?sourceId={source['id']}"
    until(
        lambda: service.get(path)["items"][:1] and service.get(path)["items"][0]["disposition"] == "logged",
        "it is logged",
        60,
    )
    page = signed_in(visit, service, f"/w/home/sources/{source['id']}?tab=setup")

    expect(page.get_by_text("Received, but Info opens no incident.")).to_be_visible()
    page.get_by_role("link", name="Change the default severity").click()

    expect(page.get_by_role("combobox", name="Default severity")).to_be_visible()


def test_the_default_severity_of_a_new_source_is_warning(visit: Open, service: Service) -> None:
    page = signed_in(visit, service, "/w/home/sources?new=")

    field = page.get_by_role("dialog", name="New source").get_by_role("combobox", name="Default severity")

    expect(field).to_have_value("Warning")
