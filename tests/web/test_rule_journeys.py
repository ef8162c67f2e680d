"""Rules: conditions as a builder and as text, a preview on past events, the order by drag and by keys, the default route."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.faults.service_processes import until
from tests.web.conftest import Open
from tests.web.pages import PAINTED, signed_in
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]


def stored(service: Service, prefix: str) -> list[dict[str, Any]]:
    """The rules whose name begins so, in the order in which they are evaluated."""
    rules = service.get("/v1/rules?limit=200&sort=position&order=asc")["items"]
    return [each for each in sorted(rules, key=lambda each: each["position"]) if each["name"].startswith(prefix)]


DROP_A_TEXT = """(row) => {
  const dataTransfer = new DataTransfer();
  dataTransfer.setData('text/plain', 'https://example.org/');
  row.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer }));
}"""
"""Drops a link on a rule, as from another window."""


def new_rule(service: Service, name: str) -> dict[str, Any]:
    workspace = service.home()
    body = {"name": name, "matchText": f'title contains "{name}"', "then": {"disposition": "log"}}
    return dict(service.post("/v1/rules", {**body, "workspaceId": workspace["id"]}))


def delete(page: Any, name: str) -> None:
    """Open the rule of the list and delete it."""
    page.get_by_role("link", name=name).click()
    page.get_by_role("button", name="Delete the rule").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete the rule").click()
    expect(page.get_by_role("link", name=name)).to_have_count(0)


def test_a_rule_is_built_read_as_text_previewed_created_and_deleted(visit: Open, service: Service) -> None:
    service.destination("Pager")
    for number in range(2):
        service.send(f"Rule journey {number}", dedupKey=f"rule journey {number}", severity="WARNING")
    page = signed_in(visit, service, "/w/home/rules/new")
    page.get_by_role("textbox", name="Name").fill("Journeys of rules")
    everything = page.get_by_text("It matches every event")
    expect(everything).to_be_visible()
    page.get_by_role("button", name="Add a condition").click()
    expect(everything).to_have_count(0)
    form = page.get_by_role("radiogroup", name="Form of the condition")
    form.get_by_text("Text").click()
    text = page.get_by_role("textbox", name="Condition as text")
    expect(text).to_have_value("severity >= ERROR")

    text.fill('title startsWith "Rule journey" and severitty >= WARNING')
    expect(page.get_by_text("severitty").last).to_be_visible()
    expect(text).to_have_attribute("aria-invalid", "true")
    text.fill('title startsWith "Rule journey" and severity >= WARNING')
    preview = page.get_by_role("complementary", name="Preview on past events")
    expect(preview.get_by_text(re.compile(r"matches [1-9]\d* events"))).to_be_visible()
    page.get_by_role("radio", name="Log only").check()
    expect(preview.get_by_role("heading", name="Events with a different outcome")).to_be_visible()
    page.get_by_role("radio", name="Open an incident").check()
    form.get_by_text("Builder").click()
    expect(page.get_by_role("combobox", name="How conditions are joined")).to_have_value("All conditions match")
    page.get_by_role("combobox", name="Notify").click()
    page.get_by_role("option", name="Pager").click()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Create the rule").click()

    expect(page.get_by_role("list", name="Rules").get_by_text("Journeys of rules")).to_be_visible()
    [rule] = stored(service, "Journeys of rules")
    assert rule["matchText"] == 'title startsWith "Rule journey" and severity >= WARNING'
    assert rule["then"]["destinationIds"] == [service.destination("Pager")["id"]]

    delete(page, "Journeys of rules")
    until(lambda: stored(service, "Journeys of rules") == [], "the rule is deleted", 20)


def test_rules_are_ordered_by_drag_and_by_keys_and_switched_off(visit: Open, service: Service) -> None:
    for name in ("Ordered A", "Ordered B", "Ordered C"):
        new_rule(service, name)
    page = signed_in(visit, service, "/w/home/rules")
    rows = page.get_by_role("list", name="Rules").get_by_role("listitem").filter(has_text="Ordered")
    expect(rows).to_have_count(3)

    rows.nth(2).get_by_title("Drag to move").drag_to(rows.nth(0))
    expect(rows.nth(0)).to_contain_text("Ordered C")
    until(lambda: names(service, "Ordered") == ["Ordered C", "Ordered A", "Ordered B"], "the drag is stored", 20)
    page.get_by_role("link", name="Ordered C").focus()
    page.keyboard.press("Alt+ArrowDown")
    expect(rows.nth(1)).to_contain_text("Ordered C")
    expect(page.get_by_text("Ordered C is now rule")).to_be_attached()
    until(lambda: names(service, "Ordered") == ["Ordered A", "Ordered C", "Ordered B"], "the key is stored", 20)
    page.get_by_role("switch", name="Ordered B is enabled").click(force=True)

    until(lambda: not stored(service, "Ordered B")[0]["enabled"], "the rule is off", 20)
    rows.nth(2).get_by_title("Drag to move").drag_to(page.get_by_role("heading", name="Rules", exact=True))
    rows.nth(0).evaluate(DROP_A_TEXT)
    expect(rows.nth(0)).to_contain_text("Ordered A")
    for rule in stored(service, "Ordered"):
        service.delete(f"/v1/rules/{rule['id']}")
    expect(rows).to_have_count(0)


def test_quick_keys_move_a_rule_one_place_each_and_switch_it_back(visit: Open, service: Service) -> None:
    for name in ("Quick A", "Quick B", "Quick C", "Quick D"):
        new_rule(service, name)
    page = signed_in(visit, service, "/w/home/rules")
    rows = page.get_by_role("list", name="Rules").get_by_role("listitem").filter(has_text="Quick")
    expect(rows).to_have_count(4)
    held = hold(page, "**/v1/rules/order")
    page.get_by_role("link", name="Quick A").focus()
    for number in (2, 3, 4):
        page.keyboard.press("Alt+ArrowDown")
        expect(rows.nth(number - 1)).to_contain_text("Quick A")
    until(lambda: page.evaluate(PAINTED) or held, "the first change is on its way", 60)
    held[0].continue_()
    expect(page.get_by_role("list", name="Rules")).not_to_have_attribute("aria-busy", "true")
    assert names(service, "Quick") == ["Quick B", "Quick C", "Quick D", "Quick A"]

    held = hold(page, f"**/v1/rules/{stored(service, 'Quick A')[0]['id']}")
    switch = page.get_by_role("switch", name="Quick A is enabled")
    switch.press("Space")
    expect(switch).not_to_be_checked()
    switch.press("Space")
    expect(switch).to_be_checked()
    answers: list[Any] = []
    page.on("response", lambda answer: answers.append(answer) if answer.request.method == "PATCH" else None)
    until(lambda: page.evaluate(PAINTED) or held, "the first change is on its way", 60)
    held[0].continue_()
    until(lambda: page.evaluate(PAINTED) or len(answers) == 2, "both changes are answered", 60)
    assert stored(service, "Quick A")[0]["enabled"]
    for rule in stored(service, "Quick"):
        service.delete(f"/v1/rules/{rule['id']}")


def hold(page: Any, pattern: str) -> list[Any]:
    """The next request of the page to this address, which waits until the test continues it."""
    held: list[Any] = []
    page.route(pattern, lambda route: held.append(route), times=1)
    return held


def names(service: Service, prefix: str) -> list[str]:
    return [each["name"] for each in stored(service, prefix)]
