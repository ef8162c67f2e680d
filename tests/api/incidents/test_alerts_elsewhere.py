"""Alerts outside their incident: in an export of the workspace, in statistics, and after an undo."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import orjson

from inbox.domain.values import times
from inbox.models.incidents.tables import Incident
from tests.browser import Browser
from tests.cast import NOW, Cast, typeid
from tests.flow.routing_fixtures import incident, routed

Browsers = Callable[[str], Browser]
MINUTE = timedelta(minutes=1)


def at(minutes: int) -> datetime:
    return NOW + minutes * MINUTE


def test_an_export_has_the_alerts_with_the_values_that_the_api_shows(browser: Browsers, cast: Cast) -> None:
    routed(cast.source, at(0), key="alone", title="load is high", severity="WARNING")
    routed(cast.source, at(1), key="alone", title="load is very high", severity="CRITICAL")
    for minute, key in enumerate(("n1", "n2", "n2"), 2):
        routed(cast.source, at(minute), key=key, by="nodes", title=f"Node {key}")

    exported = orjson.loads(browser("olga").get(f"/v1/workspaces/{typeid('wsp', cast.workspace.id)}/export").data)

    names = ("key", "title", "severity", "eventCount", "lastSeenAt")
    found = sorted([each[name] for name in names] for each in exported["alerts"])
    assert found == [
        ["alone", "load is very high", "CRITICAL", 2, times.rfc3339(at(1))],
        ["n1", "Node n1", "ERROR", 1, times.rfc3339(at(2))],
        ["n2", "Node n2", "ERROR", 2, times.rfc3339(at(4))],
    ]
    for one in Incident.select():
        page = browser("vic").get(f"/v1/incidents/{typeid('inc', one.id)}/alerts").get_json()["items"]
        assert sorted([each[name] for name in names] for each in page) == [
            each for each in found if (each[0] == "alone") == (one.dedup_key == "alone")
        ]


def test_joined_alerts_and_their_ends_are_no_incidents_and_no_resolutions_of_statistics(
    browser: Browsers, cast: Cast
) -> None:
    for minute, key in enumerate(("n1", "n2", "n3")):
        routed(cast.source, at(minute), key=key, by="nodes")
    for minute, key in ((10, "n1"), (20, "n2"), (60, "n3")):
        routed(cast.source, at(minute), key=key, by="nodes", action="resolve")

    span = f"since={times.rfc3339(at(-60))}&until={times.rfc3339(at(120))}".replace("+", "%2B")
    found = browser("vic").get(f"/v1/statistics?{span}").get_json()

    assert sum(each["incidents"] for each in found["buckets"]) == 1
    assert (found["timeToResolve"]["n"], found["timeToResolve"]["meanSeconds"]) == (1, 3_600)
    assert found["resolvedBy"]["recovery"] == 1


def test_an_undone_resolve_brings_the_alerts_back_that_fired(browser: Browsers, cast: Cast) -> None:
    for minute, key in enumerate(("n1", "n2")):
        one = incident(routed(cast.source, at(minute), key=key, by="nodes").id)
    path = f"/v1/incidents/{typeid('inc', one.id)}"

    undo = browser("mia").post(f"{path}/resolve", {}).headers["X-Undo-Id"]
    assert browser("vic").get(path).get_json()["firingCount"] == 0
    browser("mia").post("/v1/incidents/undo", {"undoId": undo})

    record = browser("vic").get(path).get_json()
    assert (record["state"], record["firingCount"], record["alertCount"]) == ("open", 2, 2)
