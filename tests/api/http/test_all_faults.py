"""All faults of a body are listed at once, one entry for each bad field, also of documents within it.

Specification 2.2.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from inbox.domain.routing.matchers import TEXT_LIMIT
from inbox.domain.values import times
from tests.browser import Browser
from tests.cast import Cast, present, typeid
from tests.flow.routing_fixtures import incident, routed

Browsers = Callable[[str], Browser]

BAD_MATCH = {"all": [{"field": "severity", "op": "gte", "value": "bad"}, {"field": "colour", "op": "eq", "value": 1}]}
BAD_MATCH_AT = ["/match/all/0/value", "/match/all/1/field"]
BAD_TEXT = 'severity = x or title matches "("'
LOG = {"disposition": "log"}
NOBODY = "src_01h455vb4pex5vsknk084sn02q"


@pytest.fixture
def olga(browser: Browsers) -> Browser:
    return browser("olga")


@pytest.fixture
def here(cast: Cast) -> str:
    return typeid("wsp", cast.workspace.id)


def pointers(answer: Any) -> list[str]:
    assert answer.status_code == 422, answer.json
    return sorted(fault["pointer"] for fault in answer.json["errors"])


@pytest.mark.parametrize(
    ("room", "body", "wrong"),
    [
        ("views", {"name": "X", "filters": {"state": ["opne"], "foo": 1, "limit": 5, "cursor": "x"}},
         ["/filters/cursor", "/filters/foo", "/filters/limit", "/filters/state/0"]),
        ("views", {"name": "", "filters": {"minSeverity": "LOUD", "offset": 0}},
         ["/filters/minSeverity", "/filters/offset", "/name"]),
        ("views", {"name": "", "list": "rules", "filters": {"foo": 1}}, ["/list", "/name"]),
        ("rules", {"name": "", "match": BAD_MATCH, "then": {"disposition": "sing"}},
         [*BAD_MATCH_AT, "/name", "/then/disposition"]),
        ("rules", {"name": "", "matchText": BAD_TEXT, "then": LOG}, ["/matchText", "/matchText", "/name"]),
        ("silences", {"match": BAD_MATCH, "endsAt": "soon", "comment": ""}, ["/comment", "/endsAt", *BAD_MATCH_AT]),
        ("silences", {"endsAt": "2020-01-01T00:00:00Z", "comment": "X", "sourceIds": [NOBODY]},
         ["/endsAt", "/match", "/sourceIds/0"]),
        ("silences/preview", {"sourceIds": [NOBODY]}, ["/match", "/sourceIds/0"]),
        ("rules/preview", {"since": "2026-01-02T00:00:00Z", "until": "2026-01-01T00:00:00Z", "sourceIds": [NOBODY],
                           "rules": [{"match": {"all": []}, "then": LOG}, {"then": LOG}, {"match": {"all": []}}]},
         ["/rules/1/match", "/rules/2/then/disposition", "/sourceIds/0", "/until"]),
        ("rules/preview", {"since": "2026-01-01T00:00:00Z", "rules": [{"match": BAD_MATCH}, {"name": ""}]},
         [*(f"/rules/0{at}" for at in BAD_MATCH_AT), "/rules/1/name"]),
        ("rules/preview/event", {"event": {"title": " ", "action": "sing"}, "sourceId": NOBODY, "rule": {"then": LOG}},
         ["/event/action", "/event/title", "/rule/match", "/sourceId"]),
        ("rules/preview/event", {"event": {"events": []}}, ["/event/events", "/sourceId"]),
        ("routing-profiles", {"name": "", "steps": [{"afterMinutes": -1, "destinationIds": []}, {"minSeverity": "x"}],
                              "renotifyMinutes": {"ERROR": -1}, "repeat": 6},
         ["/name", "/renotifyMinutes/ERROR", "/repeat", "/steps/0/afterMinutes", "/steps/0/destinationIds",
          "/steps/1/afterMinutes", "/steps/1/destinationIds", "/steps/1/minSeverity"]),
        ("destinations", {"name": "X", "kind": "webhook", "config": {"url": 5, "secret": "x", "colour": "red"}},
         ["/config/colour", "/config/secret", "/config/url"]),
    ],
)  # fmt: skip
def test_all_faults_of_a_new_record_are_reported_at_once(
    olga: Browser, here: str, room: str, body: dict[str, Any], wrong: list[str]
) -> None:
    assert pointers(olga.post(f"/v1/{room}", {"workspaceId": here, **body})) == sorted(wrong)


def test_all_faults_of_workspace_settings_are_reported_at_once(olga: Browser, here: str) -> None:
    window = {"days": ["someday"], "start": "25:00", "end": "07:00"}
    quiet = {"enabled": 1, "timezone": "Mars", "windows": [window], "holidays": ["x"]}
    settings = {"quietHours": quiet, "retention": {"eventDays": 0}, "renotifyMinutes": {"INFO": 1}, "colour": 1}

    assert pointers(olga.patch(f"/v1/workspaces/{here}", {"name": "", "settings": settings})) == [
        "/name",
        "/settings/colour",
        "/settings/quietHours/enabled",
        "/settings/quietHours/holidays/0",
        "/settings/quietHours/timezone",
        "/settings/quietHours/windows/0/days/0",
        "/settings/quietHours/windows/0/start",
        "/settings/renotifyMinutes/INFO",
        "/settings/retention/eventDays",
    ]


@pytest.mark.parametrize(
    ("more", "wrong"),
    [
        ({"action": "snooze", "tags": ["x"], "assigneeId": None}, ["/assigneeId", "/tags", "/until"]),
        ({"action": "tag", "tags": [""], "until": "2026-01-01T00:00:00Z"}, ["/tags/0", "/until"]),
        ({"action": "sing", "tags": ["x"]}, ["/action"]),
        ({"action": "assign", "assigneeId": "x", "colour": 1}, ["/assigneeId", "/colour"]),
    ],
)
def test_all_faults_of_a_bulk_act_are_reported_at_once(
    olga: Browser, cast: Cast, more: dict[str, Any], wrong: list[str]
) -> None:
    existing = incident(routed(cast.source, present()).id)

    assert pointers(olga.post("/v1/incidents/bulk", {"ids": [typeid("inc", existing.id)], **more})) == wrong
    assert pointers(olga.post("/v1/incidents/bulk", {"ids": [], **more})) == sorted(["/ids", *wrong])


def test_an_edit_reports_all_that_is_wrong_with_filters_and_silences(olga: Browser, here: str) -> None:
    view = olga.post("/v1/views", {"workspaceId": here, "name": "X", "filters": {}}).headers["Location"]
    ends = times.rfc3339(present() + timedelta(hours=1))
    silence = {"workspaceId": here, "match": {"all": []}, "endsAt": ends, "comment": "X"}
    made = olga.post("/v1/silences", silence).headers["Location"]

    filters = {"state": ["opne"], "foo": 1, "limit": 5}
    assert pointers(olga.patch(view, {"filters": filters})) == ["/filters/foo", "/filters/limit", "/filters/state/0"]
    assert pointers(olga.patch(made, {"match": BAD_MATCH, "comment": ""})) == ["/comment", *BAD_MATCH_AT]
    assert olga.get(made).json["rev"] == olga.get(view).json["rev"] == 1


@pytest.mark.parametrize(("characters", "taken"), [(TEXT_LIMIT - 1, True), (TEXT_LIMIT, True), (TEXT_LIMIT + 1, False)])
def test_a_text_has_so_many_characters(olga: Browser, characters: int, taken: bool) -> None:
    answer = olga.post("/v1/rules/parse", {"matchText": "title exists".ljust(characters)})

    assert answer.status_code == (200 if taken else 422)


def test_all_faults_of_a_rule_order_are_reported_at_once(olga: Browser, here: str) -> None:
    nobody = "rul_01h455vb4pex5vsknk084sn02q"

    assert pointers(olga.call("PUT", "/v1/rules/order", {"workspaceId": here, "ids": [nobody]})) == ["/ids/0", "/rev"]


def test_all_faults_of_passwords_and_factors_are_reported_at_once(olga: Browser, here: str) -> None:
    weak = {"currentPassword": "not the present one", "newPassword": "password1234"}
    step_up = {"factor": "passkey", "challenge": 5, "password": 5}

    assert pointers(olga.post("/v1/me/password", weak)) == ["/currentPassword", "/newPassword"]
    assert pointers(olga.post("/v1/auth/step-up", step_up)) == ["/challenge", "/credential", "/password"]


def test_a_foreign_workspace_is_the_only_reported_fault(olga: Browser) -> None:
    made = {"workspaceId": "wsp_01h455vb4pex5vsknk084sn02q", "name": ""}

    assert pointers(olga.post("/v1/sources", made)) == ["/workspaceId"]


def test_a_caller_without_permission_is_not_shown_faults_of_the_body(browser: Browsers, cast: Cast, here: str) -> None:
    source = f"/v1/sources/{typeid('src', cast.source.id)}"

    assert browser("vic").post("/v1/sources", {"workspaceId": here, "name": ""}).status_code == 403
    assert browser("vic").patch(source, {"name": ""}).status_code == 403
    assert browser("eve").patch(source, {"name": ""}).status_code == 404


def test_a_character_that_cannot_be_stored_is_reported_with_all_other_faults(olga: Browser, here: str) -> None:
    made = {"workspaceId": here, "name": "a\0b", "kind": "sing", "groupBy": ["title", "\0"]}

    assert pointers(olga.post("/v1/sources", made)) == ["/groupBy/1", "/kind", "/name"]
