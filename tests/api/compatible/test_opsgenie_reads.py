"""Clients of the Opsgenie format read their alerts: one, and the list (specification 19.11)."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from flask import Flask

from inbox.flow.routing.route import route
from tests.api.compatible.test_opsgenie import ALERT, ALERTS, ALIAS, BASE, call, post
from tests.cast import Cast, make_source, present


def test_an_alert_is_read_by_its_id_and_by_its_alias_before_and_after_it_is_routed(app: Flask, cast: Cast) -> None:
    sent = {**ALERT, "description": "3 % free", "entity": "db2", "tags": ["prod"], "details": {"free": "3 %"}}
    alert_id = post(app, cast.key, document=sent).get_json()["requestId"]

    for is_routed in (False, True):
        if is_routed:
            route(present)
        by_id = call(app, cast.key, "GET", f"{ALERTS}/{alert_id}").get_json()
        by_alias = call(app, cast.key, "GET", f"{ALERTS}/{quote('disk/db2', safe='')}{ALIAS}").get_json()
        data = by_id["data"]
        assert data == by_alias["data"]
        assert (data["id"], data["alias"], data["message"]) == (alert_id, "disk/db2", "Disk full on db2")
        assert (data["status"], data["acknowledged"], data["priority"], data["count"]) == ("open", False, "P1", 1)
        assert (data["description"], data["entity"], data["tags"]) == ("3 % free", "db2", ["prod"])
        assert data["details"] == {"free": "3 %"}
        assert {"took", "requestId"} < set(by_id)


def test_a_closed_alert_says_so(app: Flask, cast: Cast) -> None:
    post(app, cast.key)
    post(app, cast.key, f"{ALERTS}/disk%2Fdb2/close{ALIAS}", {})
    route(present)

    assert call(app, cast.key, "GET", f"{ALERTS}/disk%2Fdb2{ALIAS}").get_json()["data"]["status"] == "closed"


def test_an_alert_of_another_source_or_of_nothing_is_404(app: Flask, cast: Cast) -> None:
    _, other = make_source(cast.workspace, "Other")
    alert_id = post(app, cast.key).get_json()["requestId"]
    event = app.test_client().post("/v1/events", headers={"Authorization": f"Bearer {cast.key}"}, json={"title": "own"})
    route(present)

    for key in (cast.foreign_key, other):
        assert call(app, key, "GET", f"{ALERTS}/{alert_id}").status_code == 404
        assert call(app, key, "GET", f"{ALERTS}/disk%2Fdb2{ALIAS}").status_code == 404
        assert call(app, key, "GET", ALERTS).get_json()["data"] == []
    assert event.status_code == 202
    for unknown in ("nothing", event.get_json()["events"][0]["id"], "00000000-0000-0000-0000-000000000007"):
        answer = call(app, cast.key, "GET", f"{ALERTS}/{unknown}")
        assert (answer.status_code, answer.get_json()["message"]) == (404, "The alert does not exist.")


@pytest.mark.parametrize(
    ("query", "found"),
    [("", ["c", "b", "a"]), ("?limit=2", ["c", "b"]), ("?limit=2&offset=2", ["a"]), ("?query=status%3Aopen", ["c", "b"]),
     ("?query=status%3A%20closed", ["a"]), ("?query=alias:b%20AND%20status:open", ["b"]), ('?query=tag:%22x y%22', ["c"]),
     ("?limit=x&sort=createdAt", ["c", "b", "a"]), ("?query=status:acked", [])],
)  # fmt: skip
def test_the_list_has_the_alerts_of_the_source_by_the_search(
    app: Flask, cast: Cast, query: str, found: list[str]
) -> None:
    for alias in ("a", "b", "c", "b"):
        post(app, cast.key, document={"message": f"Alert {alias}", "alias": alias, "tags": ["x y"] * (alias == "c")})
    post(app, cast.key, f"{ALERTS}/a/close{ALIAS}", {})
    route(present)

    answer = call(app, cast.key, "GET", f"{ALERTS}{query}")

    assert answer.status_code == 200
    assert sorted((each["alias"] for each in answer.get_json()["data"]), reverse=True) == found


def test_a_search_by_another_field_is_refused_instead_of_answered_wrongly(app: Flask, cast: Cast) -> None:
    answer = call(app, cast.key, "GET", f"{ALERTS}?query=teams:ops")

    assert answer.status_code == 422
    assert answer.get_json()["errors"]["query"].startswith("Search by status, alias and tag")


@pytest.mark.parametrize("path", [ALERTS, f"{ALERTS}/disk", f"{ALERTS}/requests/7", f"{BASE}/heartbeats/x/ping"])
def test_a_query_that_is_no_text_is_refused_in_the_shape_of_the_format(app: Flask, cast: Cast, path: str) -> None:
    answer = call(app, cast.key, "GET", f"{path}?query=%00")

    assert (answer.status_code, answer.mimetype) == (422, "application/json")
    assert answer.get_json()["errors"] == {"query/query": "Must not contain the character U+0000."}
    assert {"message", "took", "requestId"} < set(answer.get_json())
