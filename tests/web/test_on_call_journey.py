"""People on call in real browsers: a rota, a cover, a handover, and what a viewer sees."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.faults.service_processes import until
from tests.web.conftest import PHONE, Open
from tests.web.pages import signed_in
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]

EVERY_DAY = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
NIGHT = {"days": EVERY_DAY, "start": "20:00", "end": "08:00"}


@pytest.fixture(scope="module")
def team(service: Service) -> dict[str, Service]:
    """Three members and a viewer. A service allows few proofs in a short time, and each invitation needs one."""
    roles = {"Nora": "member", "Omar": "member", "Pia": "member", "Xenia": "viewer"}
    return {name: service.joined(name, role) for name, role in roles.items()}


def schedule(service: Service, name: str, by_day: Service, by_night: Service) -> dict[str, Any]:
    """A schedule in which one person is on call by day and another one from 20:00 to 8:00."""
    workspace = service.home()
    layer = {"start": "2026-03-02T09:00", "unit": "week", "every": 1}
    days = {**layer, "name": "Days", "level": 1, "members": [[own_id(by_day)]]}
    nights = {**layer, "name": "Nights", "level": 2, "members": [[own_id(by_night)]], "windows": [NIGHT]}
    body = {"workspaceId": workspace["id"], "name": name, "timezone": "UTC", "layers": [days, nights]}
    return dict(service.post("/v1/schedules", body))


def own_id(service: Service) -> str:
    return str(service.get("/v1/me")["id"])


def overrides(service: Service, made: dict[str, Any]) -> list[dict[str, Any]]:
    """The overrides of the schedule that have not ended."""
    return list(service.get(f"/v1/schedules/{made['id']}/overrides")["items"])


def test_a_rota_of_four_people_is_made_and_the_effect_of_an_edit_is_shown_before(
    visit: Open, service: Service, team: dict[str, Service]
) -> None:
    people = ["Olga Ivanova", "Nora", "Omar", "Pia"]
    page = signed_in(visit, service, "/w/home/on-call")
    page.get_by_role("link", name="New schedule").click()
    page.get_by_role("textbox", name="Name").fill("Rota of four")
    for name in people:
        page.get_by_role("combobox", name="Add a person").click()
        page.get_by_role("option", name=name, exact=True).click()
    preview = page.get_by_role("complementary", name="The next four weeks")
    expect(preview.get_by_text("No problem found")).to_be_visible()
    page.get_by_role("button", name="Create the schedule").click()

    expect(page.get_by_role("heading", name="Rota of four")).to_be_visible()
    shifts = page.get_by_role("listbox", name="Shifts of Rota of four")
    expect(shifts.get_by_role("option").first).to_be_visible()
    page.get_by_text("Month", exact=True).click()
    for name in people:
        expect(shifts.get_by_role("option", name=re.compile(f"^{name}, ")).first).to_be_visible()

    page.get_by_role("link", name="Edit", exact=True).click()
    expect(preview.get_by_text("The same people are on call as before.")).to_be_visible()
    page.get_by_role("button", name="Remove turn 4").click()
    expect(preview.get_by_role("listitem").filter(has_text="instead of Pia").first).to_be_visible()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("button", name="History")).to_be_visible()
    [saved] = [each for each in service.get("/v1/schedules?limit=200")["items"] if each["name"] == "Rota of four"]
    assert len(saved["layers"][0]["members"]) == 3


def test_four_people_take_nights_and_weekends_in_another_order(
    visit: Open, service: Service, team: dict[str, Service]
) -> None:
    people = ["Olga Ivanova", "Nora", "Omar", "Pia"]
    page = signed_in(visit, service, "/w/home/on-call/new")
    page.evaluate("window.acts = 0; addEventListener('pointerdown', () => window.acts++, true)")
    page.evaluate("addEventListener('change', (event) => event.target.type === 'time' && window.acts++, true)")
    page.get_by_role("textbox", name="Name").fill("Nights and weekends")
    page.get_by_role("button", name="Add a layer").click()
    days, nights = (page.get_by_role("region", name=f"Layer {number}") for number in (1, 2))
    for layer, order in ((days, people), (nights, [*people[2:], *people[:2]])):
        for name in order:
            layer.get_by_role("combobox", name="Add a person").click()
            page.get_by_role("option", name=name, exact=True).click()
    nights.get_by_role("textbox", name="Layer").fill("Off hours")
    nights.get_by_label("Only during certain hours").check(force=True)
    nights.get_by_label("Start of window 1").fill("18:00")
    nights.get_by_label("End of window 1").fill("09:00")
    nights.get_by_role("button", name="Add hours").click()
    # The weekend, as whole days from nine to nine, is filled in.
    expect(nights.get_by_label("Start of window 2")).to_have_value("09:00")
    preview = page.get_by_role("complementary", name="The next four weeks")
    expect(preview.get_by_text("No problem found")).to_be_visible()
    page.get_by_role("button", name="Create the schedule").click()

    expect(page.get_by_role("heading", name="Nights and weekends")).to_be_visible()
    assert page.evaluate("window.acts") <= 25
    expect(page.get_by_role("img", name=re.compile("^Off hours: "))).to_be_visible()
    [made] = [each for each in service.get("/v1/schedules?q=Nights%20and")["items"]]
    assert [len(each["members"]) for each in made["layers"]] == [4, 4]
    windows = [(each["days"], each["start"], each["end"]) for each in made["layers"][1]["windows"]]
    assert windows == [(EVERY_DAY[:5], "18:00", "09:00"), (EVERY_DAY[5:], "09:00", "09:00")]


def test_a_member_covers_a_night_on_a_phone_in_three_taps_and_takes_it_back(
    visit: Open, service: Service, team: dict[str, Service]
) -> None:
    nora = team["Nora"]
    made = schedule(service, "Cover on a phone", service, team["Omar"])
    page = signed_in(visit, nora, "/w/home/inbox", size=PHONE)
    page.evaluate("window.taps = 0; addEventListener('pointerdown', () => window.taps++, true)")
    page.get_by_role("navigation", name="Shortcuts").get_by_role("link", name="On call").tap()
    page.get_by_role("link", name="Cover on a phone").first.tap()
    page.get_by_role("button", name=re.compile("^Cover Omar, ")).first.tap()

    [cover] = until(lambda: overrides(service, made), "the cover is stored", 60)
    assert (cover["userIds"], cover["createdBy"]) == ([own_id(nora)], own_id(nora))
    expect(page.get_by_role("table", name="Shifts").get_by_text("Nora (you)").first).to_be_visible()
    assert page.evaluate("window.taps") == 3
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    page.get_by_role("button", name="Undo").tap()
    until(lambda: not overrides(service, made), "the cover is removed", 60)
    expect(page.get_by_text("Nora (you)")).to_have_count(0)


def test_a_shift_is_covered_by_keys_and_others_see_it_at_once(
    visit: Open, service: Service, team: dict[str, Service]
) -> None:
    made = schedule(service, "Cover by keys", service, team["Omar"])
    other = signed_in(visit, service, f"/w/home/on-call/{made['id']}")
    expect(other.get_by_role("table", name="Shifts").get_by_text("Omar").first).to_be_visible()
    page = signed_in(visit, team["Nora"], f"/w/home/on-call/{made['id']}?view=week")
    shifts = page.get_by_role("listbox", name="Shifts of Cover by keys")
    expect(shifts.get_by_role("option").last).to_be_visible()
    shifts.focus()
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    expect(shifts.get_by_role("option", selected=True)).to_have_count(1)
    page.keyboard.press("Enter")

    expect(page.get_by_role("heading", name="Overrides")).to_be_visible()
    expect(other.get_by_role("listitem").filter(has_text="Nora")).to_be_visible()
    assert len(overrides(service, made)) == 1


def test_a_member_hands_an_own_shift_over_with_a_reason(
    visit: Open, service: Service, team: dict[str, Service]
) -> None:
    nora, omar = team["Nora"], team["Omar"]
    made = schedule(service, "Handover", nora, omar)
    page = signed_in(visit, nora, f"/w/home/on-call/{made['id']}")
    page.get_by_role("button", name=re.compile("^Change Nora, ")).first.click()
    dialog = page.get_by_role("dialog", name="Change who is on call")
    dialog.get_by_role("combobox", name="On call").click()
    page.get_by_role("option", name="Omar", exact=True).click()
    dialog.get_by_label("Reason").fill("Dentist")
    dialog.get_by_role("button", name="Create the override").click()

    expect(page.get_by_role("listitem").filter(has_text="Omar instead of Nora")).to_contain_text("Dentist")
    [stored] = overrides(service, made)
    assert (stored["userIds"], stored["insteadOf"], stored["reason"]) == ([own_id(omar)], own_id(nora), "Dentist")


def test_an_override_is_edited_and_found_by_the_name_of_its_schedule(
    visit: Open, service: Service, team: dict[str, Service]
) -> None:
    nora, omar = team["Nora"], team["Omar"]
    made = schedule(service, "Edited override", nora, nora)
    begins = datetime.now(UTC).replace(second=0, microsecond=0) + timedelta(days=1)
    body = {"startsAt": begins.isoformat(), "endsAt": (begins + timedelta(hours=2)).isoformat()}
    service.post(f"/v1/schedules/{made['id']}/overrides", {**body, "userIds": [own_id(omar)], "reason": "Dentist"})
    page = signed_in(visit, service, "/w/home/rules")
    expect(page.get_by_role("heading", name="Rules")).to_be_visible()
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name="Search incidents, records").fill("edited over")
    page.get_by_role("option", name="Edited override").click()
    page.get_by_role("button", name=re.compile("^Edit the override Omar, ")).click()
    dialog = page.get_by_role("dialog", name="Edit the override")
    expect(dialog.get_by_role("button", name="Save")).to_be_disabled()
    dialog.get_by_role("combobox", name="On call").click()
    page.get_by_role("option", name="Pia", exact=True).click()
    dialog.get_by_label("Reason").fill("Both of them")
    dialog.get_by_role("button", name="Save").click()

    expect(page.get_by_role("listitem").filter(has_text="Omar and Pia")).to_contain_text("Both of them")
    [stored] = overrides(service, made)
    assert stored["userIds"] == [own_id(omar), own_id(team["Pia"])]
    assert datetime.fromisoformat(stored["startsAt"]) == begins


def test_one_of_two_people_who_are_on_call_together_is_covered(
    visit: Open, service: Service, team: dict[str, Service]
) -> None:
    omar, pia = team["Omar"], team["Pia"]
    made = schedule(service, "Two at once", omar, pia)
    layers = [{**each, "level": 1, "windows": []} for each in made["layers"]]
    service.patch(f"/v1/schedules/{made['id']}", {"layers": layers})
    page = signed_in(visit, team["Nora"], f"/w/home/on-call/{made['id']}")
    page.get_by_role("button", name=re.compile("^Cover Omar and Pia, ")).first.click()
    page.get_by_role("menuitem", name="Instead of Pia").click()

    expect(page.get_by_role("listitem").filter(has_text="Nora instead of Pia")).to_be_visible()
    [stored] = overrides(service, made)
    assert (stored["userIds"], stored["insteadOf"]) == ([own_id(team["Nora"])], own_id(pia))


def test_a_member_forwards_the_own_shifts_for_a_holiday(
    visit: Open, service: Service, team: dict[str, Service]
) -> None:
    pia, omar = team["Pia"], team["Omar"]
    made = schedule(service, "Holiday", pia, pia)
    page = signed_in(visit, pia, "/w/home/on-call")
    state = page.get_by_role("banner").get_by_role("link", name="You are on call")
    expect(state).to_be_visible()
    page.get_by_role("button", name="Forward shifts").click()
    dialog = page.get_by_role("dialog", name="Forward shifts")
    dialog.get_by_role("combobox", name="To").click()
    page.get_by_role("option", name="Omar", exact=True).click()
    dialog.get_by_label("Until").fill(f"{datetime.now() + timedelta(days=3):%Y-%m-%dT%H:%M}")
    dialog.get_by_role("button", name="Forward the shifts").click()

    own = page.get_by_role("table", name="On call now").get_by_role("row").filter(has_text="Holiday")
    expect(own).to_contain_text("Omar")
    expect(state).to_have_count(0)
    [shift, *_] = service.get(f"/v1/schedules/{made['id']}/shifts")["items"]
    assert [each["userId"] for each in shift["people"]] == [own_id(omar)]
    page.get_by_role("button", name="Remove the forwarding from Pia to Omar").click()
    expect(own).to_contain_text("Pia (you)")


def test_a_viewer_sees_shifts_and_gaps_and_no_acts(visit: Open, service: Service, team: dict[str, Service]) -> None:
    made = schedule(service, "Only seen", service, team["Omar"])
    layers = [{**made["layers"][1], "windows": [NIGHT]}]
    service.patch(f"/v1/schedules/{made['id']}", {"layers": layers})
    page = signed_in(visit, team["Xenia"], f"/w/home/on-call/{made['id']}")
    expect(page.get_by_role("region", name="Problems")).to_contain_text("Nobody is on call from")
    expect(page.get_by_role("table", name="Shifts").get_by_text("Nobody").first).to_be_visible()
    for act in ("Cover", "Change"):
        expect(page.get_by_role("button", name=re.compile(f"^{act} "))).to_have_count(0)
    expect(page.get_by_role("link", name="Edit")).to_have_count(0)
