"""Explanations and notices of workspaces with many destinations: short pages, bounded work (specification 7.7)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import orjson
import pytest

from inbox.database.base import new_id
from inbox.domain.deliveries.notices import Cause, decision_record
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.tables import Notice
from inbox.models.incidents.tables import Incident
from inbox.services.explaining import explanations, notices
from tests.browser import Browser
from tests.cast import Cast, present, typeid
from tests.database.call_counts import steps_of
from tests.stand_ins.outgoing_posts import make_incident

Browsers = Callable[[str], Browser]
PATHS = {"explain?kind=notice&": explanations.MAX_DECISIONS, "notices?": notices.MAX_DECISIONS}


def make_destinations(cast: Cast, count: int) -> list[Destination]:
    rows = [
        Destination(id=new_id(), workspace=cast.workspace, name=f"Team {n}", kind="webhook", created_at=present())
        for n in range(count)
    ]
    Destination.bulk_create(rows)
    return rows


def make_notices(incident: Incident, addressed: list[Destination], count: int) -> list[Any]:
    decisions = [decision_record(typeid("dst", each.id), each.name, Cause.DISABLED) for each in addressed]
    body = orjson.dumps({"type": "incident.opened", "data": {"title": "Disk full", "severity": "ERROR"}}).decode()
    fields = {"workspace_id": incident.workspace_id, "incident_id": incident.id, "reason": "opened", "body": body}
    rows = [
        Notice(id=new_id(), seq=number, created_at=present(), decisions=decisions, **fields)
        for number in range(1, count + 1)
    ]
    Notice.bulk_create(rows)
    return [row.id for row in rows]


def pages_of(browser: Browser, path: str) -> list[dict[str, Any]]:
    found, cursor = [], ""
    while True:
        page = browser.get(f"{path}{cursor}").json
        found.append(page)
        if page["nextCursor"] is None:
            return found
        cursor = f"&cursor={page['nextCursor']}"


@pytest.mark.parametrize("path", PATHS)
def test_pages_are_short_where_a_workspace_has_many_destinations(browser: Browsers, cast: Cast, path: str) -> None:
    incident = make_incident(cast)
    fits = 5
    destinations = make_destinations(cast, PATHS[path] // fits)
    made = make_notices(incident, destinations[:2], fits + 1)
    base = f"/v1/incidents/{typeid('inc', incident.id)}/{path}"

    for limit, lengths, is_partial in ((fits, [5, 1], False), (fits + 1, [5, 1], True), (fits - 1, [4, 2], False)):
        found = pages_of(browser("vic"), f"{base}limit={limit}")
        assert [len(page["items"]) for page in found] == lengths
        assert (found[0]["partial"], found[-1]["partial"]) == (is_partial, False)
        assert sorted(each["seq"] for page in found for each in page["items"]) == list(range(1, len(made) + 1))
    assert browser("vic").get(f"{base}offset=0&limit={fits}").status_code == 200
    refused = browser("vic").get(f"{base}offset=0&limit={fits + 1}")
    assert (refused.status_code, refused.json["errors"][0]["pointer"]) == (422, "/query/limit")
    assert "at most 5" in refused.json["errors"][0]["detail"]


def test_the_work_for_a_notice_grows_with_the_destinations_only_once(cast: Cast) -> None:
    destinations = make_destinations(cast, 40)
    made = make_notices(make_incident(cast), destinations, 4)
    explain = partial(explanations.explained, cast.workspace.id, made)
    few = steps_of(explain)
    make_destinations(cast, 160)

    assert steps_of(explain) < 5 * few
