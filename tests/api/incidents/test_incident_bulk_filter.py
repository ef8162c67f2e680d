"""A bulk action on all incidents that pass a filter (specification 7.4)."""

from __future__ import annotations

from typing import Any

import pytest

from inbox.models.incidents.tables import Incident
from tests.api.incidents.incident_bulk_steps import (
    BULK,
    UNDO,
    Browsers,
    states,
    statuses,
    three,  # noqa: F401
)
from tests.cast import Cast, join, present, typeid
from tests.flow.routing_fixtures import incident, reasons, routed


def all_of(expected_count: Any, act: str = "acknowledge", **filters: Any) -> dict[str, Any]:
    return {"filter": {"state": ["open"], **filters}, "expectedCount": expected_count, "action": act}


def test_a_bulk_act_by_filter_changes_all_matches_and_is_undone_as_a_whole(
    browser: Browsers, three: list[Incident]
) -> None:
    Incident.update(assignee_id=three[2].id).where(Incident.id == three[2].id).execute()
    mia = browser("mia")

    answer = mia.post(BULK, all_of(2, "resolve", tag=["db", "no such tag"], assigneeId=["none"], last="1h"))

    assert statuses(answer) == [200, 200]
    assert states(three) == ["resolved", "resolved", "open"]
    assert statuses(mia.post(UNDO, {"undoId": answer.get_json()["undoId"]})) == [200, 200]
    assert states(three) == ["open"] * 3


@pytest.mark.parametrize("expected_count", [2, 4])
def test_a_bulk_act_with_an_unexpected_number_of_matches_changes_nothing(
    browser: Browsers, three: list[Incident], expected_count: int
) -> None:
    refused = browser("mia").post(BULK, all_of(expected_count))

    assert (refused.status_code, refused.get_json()["code"]) == (409, "conflict")
    assert refused.get_json()["detail"].endswith(f"not {expected_count}. Nothing was changed.")
    assert states(three) == ["open"] * 3


def test_a_filter_never_reaches_another_workspace(browser: Browsers, cast: Cast, three: list[Incident]) -> None:
    hers = incident(routed(cast.foreign_source, present(), key="hers").id)
    mia = browser("mia")

    assert mia.post(BULK, all_of(1, workspaceId=typeid("wsp", cast.foreign.id))).status_code == 409
    assert statuses(mia.post(BULK, all_of(3))) == [200] * 3
    assert states([hers]) == ["open"]


def test_a_filter_finds_only_where_one_may_act(browser: Browsers, cast: Cast, three: list[Incident]) -> None:
    hers = incident(routed(cast.foreign_source, present(), key="hers").id)
    join(cast.foreign, cast.users["mia"], "viewer")

    assert browser("mia").post(BULK, all_of(4)).status_code == 409
    assert statuses(browser("mia").post(BULK, all_of(3))) == [200] * 3
    assert states([hers]) == ["open"]
    assert browser("vic").post(BULK, all_of(4)).status_code == 403


@pytest.mark.parametrize(
    ("sent", "pointer"),
    [
        ({"action": "acknowledge"}, "/ids"),
        ({"action": "resolve", "filter": {}}, "/expectedCount"),
        ({"action": "resolve", "expectedCount": 3}, "/ids"),
        (all_of(0), "/expectedCount"),
        (all_of(501), "/expectedCount"),
        (all_of("3"), "/expectedCount"),
        (all_of(3, colour="red"), "/filter/colour"),
        (all_of(3, severity=["LOUD"]), "/filter/severity/0"),
        (all_of(3, since="2026-11-21T09:00:00Z", last="1h"), "/filter/last"),
        (all_of(3, limit=3), "/filter/limit"),
    ],
)
def test_a_bad_filter_is_refused_at_its_place(
    browser: Browsers, three: list[Incident], sent: dict[str, Any], pointer: str
) -> None:
    refused = browser("mia").post(BULK, sent)

    assert refused.status_code == 422
    assert pointer in [each["pointer"] for each in refused.get_json()["errors"]]
    assert states(three) == ["open"] * 3


def test_five_hundred_is_the_largest_number(browser: Browsers, three: list[Incident]) -> None:
    assert browser("mia").post(BULK, all_of(500)).status_code == 409


def test_ids_and_a_filter_exclude_each_other(browser: Browsers, three: list[Incident]) -> None:
    refused = browser("mia").post(BULK, {**all_of(1), "ids": [typeid("inc", three[0].id)]})

    assert [each["pointer"] for each in refused.get_json()["errors"]] == ["/filter"]
    assert reasons(three[0].id) == ["opened"]
