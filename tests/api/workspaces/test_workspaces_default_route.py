"""The default route of a workspace is replaced as a whole."""

from __future__ import annotations

from typing import Any

import pytest

from inbox.models.records.audit import AuditEntry
from inbox.models.workspaces.tables import Workspace
from tests.api.workspaces.workspaces_steps import (
    Browsers,
    destination,
    path,  # noqa: F401
)
from tests.cast import Cast, present


def test_the_shipped_default_route(browser: Browsers, path: str) -> None:
    answer = browser("vic").get(f"{path}/default-route")

    assert answer.json == {
        "destinationIds": [],
        "people": [],
        "routingProfileId": None,
        "dispositions": {
            "DEBUG": "log",
            "INFO": "log",
            "SUCCESS": "log",
            "WARNING": "incident",
            "ERROR": "incident",
            "CRITICAL": "incident",
        },
    }
    assert answer.headers["ETag"].startswith('"1.')


def test_a_default_route_is_replaced_as_a_whole(browser: Browsers, cast: Cast, path: str) -> None:
    first, second = destination(cast.workspace), destination(cast.workspace)
    adam = browser("adam")
    chosen = {"destinationIds": [second, first, second], "dispositions": {"INFO": "incident", "WARNING": "incident"}}
    answer = adam.put(f"{path}/default-route", chosen)

    assert answer.status_code == 200 and answer.json["destinationIds"] == [second, first]
    assert answer.json["dispositions"]["INFO"] == "incident" and answer.headers["ETag"] == '"2"'
    stored = Workspace.get_by_id(cast.workspace.id).default_route
    assert stored["dispositions"] == {"INFO": "incident"} and len(stored["destinationIds"]) == 2
    assert adam.get(f"{path}/default-route").json == answer.json

    repeated = adam.put(f"{path}/default-route", {"destinationIds": []})
    assert repeated.json["destinationIds"] == [] and repeated.json["dispositions"]["INFO"] == "log"


def test_the_default_route_and_the_settings_have_revisions_of_their_own(
    browser: Browsers, cast: Cast, path: str
) -> None:
    adam, route = browser("adam"), {"destinationIds": [destination(cast.workspace)]}
    adam.patch(path, {"name": "Acme Inc"})
    first = adam.put(f"{path}/default-route", route, headers={"If-Match": '"1"'})

    assert (first.status_code, first.headers["ETag"]) == (200, '"2"')
    assert adam.get(path).json["rev"] == 2
    assert adam.patch(path, {"name": "Acme"}, headers={"If-Match": '"2"'}).status_code == 200
    assert adam.put(f"{path}/default-route", route, headers={"If-Match": '"1"'}).status_code == 412


def test_the_same_route_and_the_same_settings_change_nothing(browser: Browsers, cast: Cast, path: str) -> None:
    adam = browser("adam")
    route = adam.get(f"{path}/default-route").json
    entries = AuditEntry.select().count()

    same = adam.put(f"{path}/default-route", route)
    adam.patch(path, {"name": "Acme", "settings": {"reopenWindowMinutes": 60}})

    assert same.headers["ETag"] == '"1"'
    assert adam.get(path).json["rev"] == 1
    assert AuditEntry.select().count() == entries


def test_a_deleted_destination_leaves_the_route_as_its_next_revision(browser: Browsers, cast: Cast, path: str) -> None:
    adam, pager = browser("adam"), destination(cast.workspace)
    adam.put(f"{path}/default-route", {"destinationIds": [pager]})
    adam.delete(f"/v1/destinations/{pager}")

    answer = adam.get(f"{path}/default-route")

    assert answer.json["destinationIds"] == []
    assert answer.headers["ETag"].startswith('"3.')
    assert adam.get(path).json["rev"] == 1


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, "/destinationIds"),
        ({"destinationIds": ["dst_01j0000000e008000000000001"]}, "/destinationIds/0"),
        ({"destinationIds": ["nonsense"]}, "/destinationIds/0"),
        ({"destinationIds": "dst_01j0000000e008000000000001"}, "/destinationIds"),
        ({"destinationIds": [], "routingProfileId": "prf_01j0000000e008000000000001"}, "/routingProfileId"),
        ({"destinationIds": [], "dispositions": {"ERROR": "drop"}}, "/dispositions/ERROR"),
        ({"destinationIds": [], "dispositions": {"error": "log"}}, "/dispositions/error"),
        ({"destinationIds": [], "dispositions": None}, "/dispositions"),
    ],
    ids=str,
)
def test_a_bad_route_is_reported_and_nothing_changes(
    body: Any, pointer: str, browser: Browsers, cast: Cast, path: str
) -> None:
    answer = browser("adam").put(f"{path}/default-route", body)

    assert (answer.status_code, [each["pointer"] for each in answer.json["errors"]]) == (422, [pointer])
    assert Workspace.get_by_id(cast.workspace.id).default_route == {}


def test_destinations_of_elsewhere_and_deleted_ones_are_unknown_alike(browser: Browsers, cast: Cast, path: str) -> None:
    foreign, gone = destination(cast.foreign), destination(cast.workspace, deleted_at=present())
    unknown = "dst_01j0000000e008000000000001"
    adam = browser("adam")
    answers = [adam.put(f"{path}/default-route", {"destinationIds": [each]}) for each in (foreign, gone, unknown)]
    answers += [adam.patch(path, {"settings": {"fallbackDestinationId": each}}) for each in (foreign, gone, unknown)]

    assert {answer.status_code for answer in answers} == {422}
    assert len({str(answer.json["errors"]) for answer in answers}) == 2
