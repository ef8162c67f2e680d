"""An incident on a phone at night: what is wrong and where without a tap, its acts within reach, its silence in two taps."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

import pytest
import requests

from tests.faults.service_processes import until
from tests.web.conftest import PHONE, Open
from tests.web.layout import layout_faults
from tests.web.pages import signed_in
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]

DESCRIPTION = "/dev/sda1 has 12.4 % left, full in about 6 hours."
RUNBOOK = "https://runbooks.example/disk"


def grouped(service: Service, *hosts: str) -> dict[str, Any]:
    """The incident of one group of Alertmanager with an alert of each host."""
    workspace = service.home()
    source = service.post("/v1/sources", {"workspaceId": workspace["id"], "name": f"Alertmanager {hosts[0]}"})
    key = service.post(f"/v1/sources/{source['id']}/keys", {"name": "tests"})["secret"]
    alerts = [
        {
            "status": "firing",
            "labels": {"alertname": f"DiskNight {hosts[0]}", "instance": host, "severity": "critical"},
            "annotations": {"description": DESCRIPTION, "runbook_url": RUNBOOK},
            "startsAt": datetime.now(UTC).isoformat(),
            "endsAt": "0001-01-01T00:00:00Z",
            "fingerprint": f"{host}f",
        }
        for host in hosts
    ]
    body = {"version": "4", "status": "firing", "groupKey": hosts[0], "receiver": "r", "alerts": alerts}
    headers = {"Authorization": f"Bearer {key}"}
    requests.post(f"{service.address}/v1/hooks/alertmanager", json=body, headers=headers, timeout=60).raise_for_status()
    path = f"/v1/incidents?sourceId={source['id']}"
    until(lambda: [each["alertCount"] for each in service.get(path)["items"]] == [len(hosts)], "all alerts are one", 60)
    return dict(service.get(path)["items"][0])


def top(element: Any) -> float:
    """Where the element begins, in pixels from the top of the window."""
    return float(element.bounding_box()["y"])


def test_what_happened_who_and_the_acts_are_seen_without_a_tap(visit: Open, service: Service) -> None:
    incident = grouped(service, "night-1", "night-2")
    page = signed_in(visit, service, f"/w/home/incidents/{incident['id']}", size=PHONE)
    acts = page.get_by_role("group", name="Actions")
    parts = [
        page.get_by_role("heading", level=1),
        page.get_by_text("12.4 %"),
        page.get_by_role("link", name="Runbook"),
        page.get_by_text(re.compile("open for .* unassigned")),
        page.get_by_role("heading", name="Alerts"),
        page.get_by_role("tab", name="Timeline"),
    ]

    for part in parts[:4]:
        expect(part).to_be_in_viewport()
    expect(parts[-1]).to_be_visible()
    assert [top(each) for each in parts] == sorted(top(each) for each in parts)
    for name in ("Acknowledge", "Resolve", "Silence similar…", "More actions"):
        expect(acts.get_by_role("button", name=name)).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("navigation", name="Shortcuts")).to_be_hidden()
    note = page.get_by_role("textbox", name="Note")
    assert note.bounding_box()["height"] <= 48
    assert layout_faults(page, overlaps=True) == []
    page.get_by_role("link", name="Back to the inbox").click()
    expect(page.get_by_role("navigation", name="Shortcuts")).to_be_visible()


def test_acknowledging_is_one_tap_and_its_message_hides_no_button(visit: Open, service: Service) -> None:
    incident = service.incident("Woken at three", dedupKey="woken at three", severity="CRITICAL")
    page = signed_in(visit, service, f"/w/home/incidents/{incident['id']}", size=PHONE)
    page.get_by_role("button", name="Acknowledge", exact=True).tap()
    message = page.get_by_role("alert")
    expect(message).to_contain_text("Incident acknowledged")

    bar = page.get_by_role("group", name="Actions").bounding_box()
    shown = message.bounding_box()
    assert shown["y"] + shown["height"] <= bar["y"]
    message.get_by_role("button", name="Undo").tap()
    expect(page.get_by_text("Undone")).to_be_visible()
    expect(message).to_have_count(1)
    assert service.get(f"/v1/incidents/{incident['id']}")["state"] == "open"


def test_a_silence_of_this_alert_is_two_taps_and_no_scroll(visit: Open, service: Service) -> None:
    fields = {"resource": "host:night", "severity": "CRITICAL"}
    other = service.incident("Copy of night lags", dedupKey="night replica", **fields)
    incident = service.incident("Disk of night is full", dedupKey="night disk", **fields)
    page = signed_in(visit, service, f"/w/home/incidents/{incident['id']}", size=PHONE)
    page.get_by_role("button", name="Silence similar…").tap()
    sheet = page.get_by_role("dialog", name="Silence similar")
    expect(sheet.get_by_role("radio", name="This alert")).to_be_checked()
    expect(sheet.get_by_text("Mutes 1 open incident, would have muted 1 event in 7 days.")).to_be_in_viewport()
    sheet.get_by_role("radio", name="This resource").check()
    expect(sheet.get_by_text("Mutes 2 open incidents, would have muted 2 events in 7 days.")).to_be_visible()
    sheet.get_by_role("radio", name="This alert").check()
    create = sheet.get_by_role("button", name="Silence for 1 hour")
    expect(create).to_be_in_viewport(ratio=1)

    create.tap()

    expect(page.get_by_text("Silence created")).to_be_visible()
    path = f"/v1/incidents/{incident['id']}"
    until(lambda: service.get(path)["state"] == "silenced", "the incident is silenced", 60)
    assert service.get(f"/v1/incidents/{other['id']}")["state"] == "open"
    page.get_by_role("button", name="Undo").tap()
    until(lambda: service.get(path)["state"] == "open", "the silence has ended", 60)


def test_another_silence_begins_with_what_was_chosen(visit: Open, service: Service) -> None:
    incident = service.incident("Chosen otherwise", dedupKey="chosen otherwise", resource="host:otherwise")
    page = signed_in(visit, service, f"/w/home/incidents/{incident['id']}")
    page.get_by_role("button", name="Silence similar…").click()
    sheet = page.get_by_role("dialog", name="Silence similar")
    sheet.get_by_role("radio", name="This resource").check()
    sheet.get_by_role("radio", name="Custom…").click()

    expect(page).to_have_url(re.compile(r"/silences/new\?match=resource"))
    expect(page.get_by_label("Reason")).to_have_value(f"Like incident #{incident['number']}")


COVERED = """() => {
  const bottom = document.querySelector('footer').getBoundingClientRect().top;
  const [first, ...others] = [...document.querySelectorAll('main a[href], main button')];
  return [first, ...others, ...others.reverse()].filter((each) => {
    each.focus();
    const { bottom: end, height } = each.getBoundingClientRect();
    return height > 0 && end > bottom + 1;
  }).map((each) => each.textContent);
}"""


def test_the_bar_of_acts_covers_nothing_that_has_the_focus(visit: Open, service: Service) -> None:
    incident = grouped(service, "focus-1", "focus-2", "focus-3")
    page = signed_in(visit, service, f"/w/home/incidents/{incident['id']}", size=PHONE)
    expect(page.get_by_role("list", name="Timeline").get_by_role("listitem").first).to_be_visible()
    expect(page.get_by_role("group", name="Actions")).to_be_visible()

    assert page.evaluate("document.documentElement.scrollHeight") > PHONE["height"]
    assert page.evaluate(COVERED) == []
