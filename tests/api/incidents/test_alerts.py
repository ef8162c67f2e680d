"""The alerts of an incident in the API: their page and their numbers (specification 7.13)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from inbox.models.incidents.tables import Incident
from tests.browser import Browser
from tests.cast import NOW, Cast, typeid
from tests.flow.routing_fixtures import incident, routed

Browsers = Callable[[str], Browser]


def three(cast: Cast) -> Incident:
    """An incident with three alerts, of which the first has ended."""
    for number in (1, 2, 3):
        opening = routed(
            cast.source, NOW + timedelta(seconds=number), key=f"n{number}", by="nodes", title=f"Node {number}"
        )
    routed(cast.source, NOW + timedelta(minutes=1), key="n1", by="nodes", action="resolve")
    return incident(opening.id)


def path_of(one: Incident) -> str:
    return f"/v1/incidents/{typeid('inc', one.id)}"


def test_an_incident_shows_its_alerts_and_how_many_fire(browser: Browsers, cast: Cast) -> None:
    one = three(cast)

    record = browser("vic").get(path_of(one)).get_json()
    page = browser("vic").get(f"{path_of(one)}/alerts").get_json()

    assert (record["alertCount"], record["firingCount"], record["alertsLeftOut"]) == (3, 2, 0)
    assert [(each["key"], each["title"], each["state"]) for each in page["items"]] == [
        ("n3", "Node 3", "firing"), ("n2", "Node 2", "firing"), ("n1", "Node 1", "ended"),
    ]  # fmt: skip
    assert page["items"][2]["eventCount"] == 2
    assert page["items"][2]["id"].startswith("alr_")


def test_alerts_are_paged_and_narrowed_to_a_state(browser: Browsers, cast: Cast) -> None:
    path = f"{path_of(three(cast))}/alerts"

    first = browser("vic").get(f"{path}?limit=2").get_json()
    rest = browser("vic").get(f"{path}?limit=2&cursor={first['nextCursor']}").get_json()
    ended = browser("vic").get(f"{path}?state=ended").get_json()

    assert [each["key"] for each in (*first["items"], *rest["items"])] == ["n3", "n2", "n1"]
    assert [each["key"] for each in ended["items"]] == ["n1"]
    assert browser("vic").get(f"{path}?state=gone").status_code == 422


def test_alerts_that_fire_come_first_and_the_most_severe_of_them_before_the_others(
    browser: Browsers, cast: Cast
) -> None:
    severities = {"a": "WARNING", "b": "CRITICAL", "c": "ERROR", "d": "WARNING", "e": "CRITICAL", "f": "CRITICAL"}
    for number, (key, severity) in enumerate(severities.items()):
        at = NOW + timedelta(milliseconds=number)
        opening = routed(cast.source, at, key=key, by="nodes", title=f"Node {key}", severity=severity)
    for minute, key in enumerate("ad", 1):
        routed(cast.source, NOW + timedelta(minutes=minute), key=key, by="nodes", severity=severities[key])
    routed(cast.source, NOW + timedelta(minutes=3), key="f", by="nodes", action="resolve")
    path, viewer, found = f"{path_of(incident(opening.id))}/alerts", browser("vic"), list[str]()

    page = viewer.get(f"{path}?limit=1").get_json()
    found += [each["key"] for each in page["items"]]
    while page["nextCursor"]:
        page = viewer.get(f"{path}?limit=1&cursor={page['nextCursor']}").get_json()
        found += [each["key"] for each in page["items"]]

    assert found == ["e", "b", "c", "d", "a", "f"]
    assert [each["key"] for each in viewer.get(f"{path}?state=ended").get_json()["items"]] == ["f"]
    assert [each["key"] for each in viewer.get(f"{path}?sort=firstSeen").get_json()["items"]] == list("fedcba")


def test_no_alert_of_a_resolved_incident_fires(browser: Browsers, cast: Cast) -> None:
    one = three(cast)
    browser("mia").post(f"{path_of(one)}/resolve", {})

    assert browser("vic").get(path_of(one)).get_json()["firingCount"] == 0
    assert browser("vic").get(f"{path_of(one)}/alerts?state=firing").get_json()["items"] == []


def test_the_timeline_says_how_many_alerts_still_fire(browser: Browsers, cast: Cast) -> None:
    items = browser("vic").get(f"{path_of(three(cast))}/timeline").get_json()["items"]

    assert items[0]["kind"] == "alert_ended"
    assert items[0]["text"].endswith("ended an alert: 2 of 3 still firing.")
