"""Two people edit the same record: the second one compares both versions and chooses."""

from __future__ import annotations

from typing import Any

import pytest

from tests.faults.service_processes import until
from tests.web.conftest import Open
from tests.web.pages import signed_in
from tests.web.service import Service
from tests.web.test_rule_journeys import stored

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]

GOTIFY = {"server": "http://127.0.0.1:9", "token": "AofTwoPeople"}


def rule(service: Service, name: str) -> dict[str, Any]:
    workspace = service.home()
    body = {"name": name, "matchText": 'title = "of two people"', "then": {"disposition": "log"}}
    return dict(service.post("/v1/rules", {**body, "workspaceId": workspace["id"]}))


def opened_twice(visit: Open, service: Service, path: str) -> tuple[Any, Any]:
    """The same editor in two browsers, each with the stored record."""
    pages = signed_in(visit, service, path), signed_in(visit, service, path)
    for page in pages:
        expect(page.get_by_role("textbox", name="Name")).to_be_visible()
    return pages


def rename(page: Any, name: str, button: str) -> None:
    page.get_by_role("textbox", name="Name").fill(name)
    page.get_by_role("button", name=button, exact=True).click()


def row(page: Any, field: str) -> list[str]:
    """Yours and theirs of a field."""
    table = page.get_by_role("dialog").get_by_role("table", name="Differences")
    texts: list[str] = table.get_by_role("row", name=field).get_by_role("cell").all_inner_texts()
    return texts


def test_the_second_editor_keeps_own_fields_and_the_other_fields_of_the_first(visit: Open, service: Service) -> None:
    made = rule(service, "Of two people")
    first, second = opened_twice(visit, service, f"/w/home/rules/{made['id']}")
    second.get_by_role("textbox", name="Name").fill("Named by the second")
    first.get_by_role("switch", name="Enabled", exact=True).click(force=True)
    rename(first, "Named by the first", "Save")
    expect(first.get_by_role("heading", name="Rules", exact=True)).to_be_visible()

    second.get_by_role("button", name="Save", exact=True).click()

    dialog = second.get_by_role("dialog", name="Someone else changed this rule")
    expect(dialog.get_by_role("table", name="Differences")).to_be_visible()
    assert row(second, "Name") == ["Named by the second", "Named by the first"]
    expect(dialog.get_by_text("Changed only by them: Enabled. These changes are kept.")).to_be_visible()
    dialog.get_by_role("button", name="Keep mine").click()
    expect(second.get_by_role("heading", name="Rules", exact=True)).to_be_visible()
    stored = service.get(f"/v1/rules/{made['id']}")
    assert (stored["name"], stored["enabled"]) == ("Named by the second", False)
    service.delete(f"/v1/rules/{made['id']}")


def test_a_form_that_nobody_changed_follows_the_record(visit: Open, service: Service) -> None:
    made = rule(service, "Followed by its form")
    page = signed_in(visit, service, f"/w/home/rules/{made['id']}")
    enabled = page.get_by_role("switch", name="Enabled", exact=True)
    expect(enabled).to_be_checked()
    page.get_by_role("link", name="Rules", exact=True).last.click()
    page.get_by_role("switch", name="Followed by its form is enabled").click(force=True)
    until(lambda: page.evaluate("1") and not service.get(f"/v1/rules/{made['id']}")["enabled"], "it is off", 60)

    page.get_by_role("link", name="Followed by its form").click()
    expect(enabled).not_to_be_checked()
    service.patch(f"/v1/rules/{made['id']}", {"name": "Renamed beside the form"})
    expect(page.get_by_role("textbox", name="Name")).to_have_value("Renamed beside the form")
    rename(page, "Renamed at last", "Save")
    expect(page.get_by_role("heading", name="Rules", exact=True)).to_be_visible()
    stored = service.get(f"/v1/rules/{made['id']}")
    assert (stored["name"], stored["enabled"]) == ("Renamed at last", False)
    service.delete(f"/v1/rules/{made['id']}")


def test_the_second_editor_can_continue_editing_or_take_the_other_version(visit: Open, service: Service) -> None:
    workspace = service.home()
    source = service.post("/v1/sources", {"workspaceId": workspace["id"], "name": "Edited by two"})
    first, second = opened_twice(visit, service, f"/w/home/sources/{source['id']}?tab=settings")
    second.get_by_role("textbox", name="Name").fill("Renamed by the second")
    rename(first, "Renamed by the first", "Save the changes")
    expect(first.get_by_role("button", name="Save the changes")).to_have_count(0)
    # The live layer shows the new name beside the changed form, which keeps the revision that it began with.
    expect(second.get_by_role("heading", name="Renamed by the first")).to_be_visible()

    second.get_by_role("button", name="Save the changes").click()
    dialog = second.get_by_role("dialog", name="Someone else changed this source")
    expect(dialog.get_by_role("table", name="Differences")).to_be_visible()
    dialog.get_by_role("button", name="Continue editing").click()
    name = second.get_by_role("textbox", name="Name")
    expect(name).to_have_value("Renamed by the second")
    assert service.get(f"/v1/sources/{source['id']}")["name"] == "Renamed by the first"

    second.get_by_role("button", name="Save the changes").click()
    dialog.get_by_role("button", name="Keep theirs").click()
    expect(name).to_have_value("Renamed by the first")
    rename(second, "Renamed at last", "Save the changes")
    expect(second.get_by_role("heading", name="Renamed at last")).to_be_visible()
    assert service.get(f"/v1/sources/{source['id']}")["name"] == "Renamed at last"
    service.delete(f"/v1/sources/{source['id']}")


@pytest.mark.parametrize("kind", ["sources", "destinations"])
def test_unchanged_settings_follow_the_record(visit: Open, service: Service, kind: str) -> None:
    made, address = with_settings(service, kind, "Followed by its settings")
    path = f"/v1/{kind}/{made['id']}"
    page = signed_in(visit, service, address)
    name = page.get_by_role("textbox", name="Name", exact=True)
    expect(name).to_have_value("Followed by its settings")

    service.patch(path, {"name": "Renamed beside the settings"})

    expect(name).to_have_value("Renamed beside the settings")
    name.fill("Renamed at last")
    page.get_by_role("button", name="Save the changes").click()
    until(lambda: page.evaluate("1") and service.get(path)["name"] == "Renamed at last", "it is saved", 60)
    service.delete(path)


def test_a_newer_source_with_the_same_settings_is_no_obstacle(visit: Open, service: Service) -> None:
    made, address = with_settings(service, "sources", "Disabled beside its settings")
    path = f"/v1/sources/{made['id']}"
    page = signed_in(visit, service, address)
    page.get_by_role("textbox", name="Name", exact=True).fill("Renamed and disabled")

    service.patch(path, {"enabled": False})
    expect(page.get_by_role("switch", name="Disabled beside its settings is enabled")).not_to_be_checked()
    page.get_by_role("button", name="Save the changes").click()

    expect(page.get_by_role("heading", name="Renamed and disabled")).to_be_visible()
    stored = service.get(path)
    assert (stored["name"], stored["enabled"]) == ("Renamed and disabled", False)
    service.delete(path)


def with_settings(service: Service, kind: str, name: str) -> tuple[dict[str, Any], str]:
    """A source or a destination, and the address of its settings."""
    workspace = service.home()
    body: dict[str, Any] = {"workspaceId": workspace["id"], "name": name}
    if kind == "sources":
        made = service.post("/v1/sources", body)
        return made, f"/w/home/sources/{made['id']}?tab=settings"
    made = service.post("/v1/destinations", {**body, "kind": "gotify", "config": GOTIFY})
    return made, f"/w/home/destinations?edit={made['id']}"


def test_a_destination_that_two_people_changed_keeps_both_changes(visit: Open, service: Service) -> None:
    made, address = with_settings(service, "destinations", "Sent to by two")
    path = f"/v1/destinations/{made['id']}"
    page = signed_in(visit, service, address)
    drawer = page.get_by_role("dialog", name="Sent to by two")
    drawer.get_by_role("textbox", name="Name", exact=True).fill("Named by the second")
    service.patch(path, {"name": "Named by the first", "sendNotes": False})

    page.get_by_role("button", name="Save the changes").click()

    dialog = page.get_by_role("dialog", name="Someone else changed this destination")
    expect(dialog.get_by_role("table", name="Differences")).to_be_visible()
    expect(dialog.get_by_text("Changed only by them: Send notes. These changes are kept.")).to_be_visible()
    dialog.get_by_role("button", name="Keep mine").click()
    expect(dialog).to_be_hidden()
    stored = service.get(path)
    assert (stored["name"], stored["sendNotes"]) == ("Named by the second", False)
    service.delete(path)


def test_two_people_change_different_fields_of_a_mapping_and_both_remain(visit: Open, service: Service) -> None:
    workspace = service.home()
    source = service.post("/v1/sources", {"workspaceId": workspace["id"], "name": "Mapped by two"})
    page = signed_in(visit, service, f"/w/home/sources/{source['id']}?tab=mapping")
    page.get_by_role("textbox", name="Title", exact=True).fill("{name}")
    other = {"title": {"template": "{alert}"}, "dedupKey": {"template": "{id}"}}
    service.patch(f"/v1/sources/{source['id']}", {"mapping": other})

    page.get_by_role("button", name="Save the mapping").click()

    dialog = page.get_by_role("dialog", name="Someone else changed this mapping")
    expect(dialog.get_by_role("table", name="Differences")).to_be_visible()
    assert row(page, "Title") == ["{name}", "{alert}"]
    expect(dialog.get_by_text("Changed only by them: Dedup key. These changes are kept.")).to_be_visible()
    dialog.get_by_role("button", name="Keep mine").click()
    expect(page.get_by_role("button", name="Remove the mapping")).to_be_visible()
    stored = service.get(f"/v1/sources/{source['id']}")["mapping"]
    assert stored == {"title": {"template": "{name}"}, "dedupKey": {"template": "{id}"}}
    service.delete(f"/v1/sources/{source['id']}")


def test_two_people_change_different_settings_of_the_workspace_and_both_remain(visit: Open, service: Service) -> None:
    workspace = service.home()
    path, before = f"/v1/workspaces/{workspace['id']}", workspace["settings"]
    page = signed_in(visit, service, "/w/home/settings")
    page.get_by_role("textbox", name="Max reminders").fill("7")
    page.get_by_role("combobox", name="Unit: Remind every (error)").click()
    page.get_by_role("option", name="minutes").click()
    page.get_by_role("textbox", name="Remind every (error)").fill("90")
    other = {"renotifyMax": 8, "renotifyMinutes": {"WARNING": 600}}
    service.patch(path, {"settings": other})

    page.get_by_role("button", name="Save the settings").click()

    dialog = page.get_by_role("dialog", name="Someone else changed this workspace")
    expect(dialog.get_by_role("table", name="Differences")).to_be_visible()
    assert row(page, "Max reminders") == ["7", "8"]
    dialog.get_by_text("Changed only by them: Remind every (warning, minutes). These changes are kept.").wait_for()
    dialog.get_by_role("button", name="Keep mine").click()
    expect(page.get_by_text("Settings saved")).to_be_visible()
    stored = service.get(path)["settings"]
    assert (stored["renotifyMax"], stored["renotifyMinutes"]["ERROR"], stored["renotifyMinutes"]["WARNING"]) == (
        7,
        90,
        600,
    )
    service.patch(path, {"settings": {name: before[name] for name in other}})


def test_two_people_change_different_outcomes_of_the_default_route_and_both_remain(
    visit: Open, service: Service
) -> None:
    workspace = service.home()
    path = f"/v1/workspaces/{workspace['id']}/default-route"
    before = service.get(path)
    page = signed_in(visit, service, "/w/home/rules/default")
    page.get_by_role("combobox", name="Info events").click()
    page.get_by_role("option", name="Open an incident").click()
    put(service, path, {**before, "dispositions": {**before["dispositions"], "DEBUG": "incident"}})

    page.get_by_role("button", name="Save", exact=True).click()

    dialog = page.get_by_role("dialog", name="Someone else changed this route")
    expect(dialog.get_by_role("table", name="Differences")).to_be_visible()
    assert row(page, "Info events") == ["Open an incident", "Log only"]
    expect(dialog.get_by_text("Changed only by them: Debug events. These changes are kept.")).to_be_visible()
    dialog.get_by_role("button", name="Keep mine").click()
    expect(page.get_by_role("heading", name="Rules", exact=True)).to_be_visible()
    assert service.get(path)["dispositions"] == {**before["dispositions"], "DEBUG": "incident", "INFO": "incident"}
    put(service, path, before)


def test_a_move_that_another_order_refuses_is_made_again_in_the_newer_order(visit: Open, service: Service) -> None:
    adam = service.joined("Adam", "admin")
    a, b, c = (rule(service, f"Moved by two {each}")["id"] for each in "ABC")
    page = signed_in(visit, service, "/w/home/rules")
    rows = page.get_by_role("list", name="Rules").get_by_role("listitem").filter(has_text="Moved by two")
    expect(rows).to_have_count(3)
    # Adam moves C to the top between what the page read and what it sends.
    page.route("**/v1/rules/order", lambda route: (move(adam, [c, a, b]), route.continue_()), times=1)

    page.get_by_role("button", name="Move Moved by two A down").click()

    refused = page.get_by_role("alert")
    expect(refused).to_contain_text("Adam changed the order of the rules. “Moved by two A” was not moved.")
    expect(rows.nth(0)).to_contain_text("Moved by two C")
    refused.get_by_role("button", name="Move again").click()
    expect(refused).to_have_count(0)
    until(lambda: order(service) == [c, b, a], "both moves are stored", 20)

    page.route("**/v1/rules/order", lambda route: (move(adam, [a, b, c]), route.continue_()), times=1)
    page.get_by_role("button", name="Move Moved by two C down").click()
    refused.get_by_role("button", name="Keep the new order").click()
    expect(refused).to_have_count(0)
    assert order(service) == [a, b, c]
    for each in (a, b, c):
        service.delete(f"/v1/rules/{each}")


def order(service: Service) -> list[str]:
    """The rules of this test in their order."""
    return [each["id"] for each in stored(service, "Moved by two")]


def move(service: Service, ids: list[str]) -> None:
    """Store another order of the last rules."""
    workspace = service.home()
    page = service.get(f"/v1/rules?limit=200&workspaceId={workspace['id']}&sort=position&order=asc")
    others = [each["id"] for each in page["items"] if each["id"] not in ids]
    body = {"workspaceId": workspace["id"], "ids": [*others, *ids], "rev": page["rulesRev"]}
    put(service, "/v1/rules/order", body)


def put(service: Service, path: str, body: dict[str, Any]) -> None:
    service.session.put(service.address + path, json=body, timeout=60).raise_for_status()
