"""The filter `q` of short lists: rows whose name contains a text (specification 2.6)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.browser import Browser
from tests.cast import Cast, present, typeid
from tests.stand_ins.receivers import SECRET

Browsers = Callable[[str], Browser]
MATCH = 'title contains "100%_sure"'
LISTS: dict[str, dict[str, Any]] = {
    "sources": {},
    "rules": {"matchText": MATCH, "then": {"disposition": "log"}},
    "routing-profiles": {},
    "destinations": {"kind": "webhook", "config": {"url": "https://93.184.216.34/", "secret": SECRET}},
    "schedules": {"timezone": "UTC"},
    "heartbeat-monitors": {"schedule": {"kind": "cron", "expression": "0 3 * * *", "timezone": "UTC"}},
}


def named(olga: Browser, cast: Cast, path: str, name: str) -> dict[str, Any]:
    body = {"workspaceId": typeid("wsp", cast.workspace.id), "name": name, **LISTS[path]}
    if path == "routing-profiles":
        receiver = named(olga, cast, "destinations", f"Receiver of {name}")
        body["steps"] = [{"afterMinutes": 0, "destinationIds": [receiver["id"]]}]
    if path == "schedules":
        people = [[typeid("usr", cast.users["mia"].id)]]
        body["layers"] = [{"name": name, "start": "2026-03-02T09:00", "unit": "week", "every": 1, "members": people}]
    if path == "heartbeat-monitors":
        body["sourceId"] = typeid("src", cast.source.id)
    answer = olga.post(f"/v1/{path}", body)
    assert answer.status_code == 201, answer.json
    return dict(answer.json)


@pytest.mark.parametrize("path", LISTS)
def test_a_list_keeps_the_rows_whose_name_contains_the_text(browser: Browsers, cast: Cast, path: str) -> None:
    olga = browser("olga")
    for name in ("Disk 100%_sure", "Disk 100 sure", "Other"):
        named(olga, cast, path, name)

    def found(text: str) -> set[str]:
        return {row["name"] for row in olga.get(f"/v1/{path}" + "?" + urlencode({"q": text})).json["items"]}

    assert found("disk") == {"Disk 100%_sure", "Disk 100 sure"}
    assert found("100%_SURE") == {"Disk 100%_sure"}
    assert found("nothing like it") == set()


@pytest.mark.parametrize("path", LISTS)
def test_nobody_finds_rows_of_another_workspace(browser: Browsers, cast: Cast, path: str) -> None:
    named(browser("olga"), cast, path, "Payments")

    assert browser("eve").get(f"/v1/{path}" + "?" + urlencode({"q": "Payments"})).json["items"] == []


def test_members_are_found_by_name_and_address(browser: Browsers, cast: Cast) -> None:
    vic, path = browser("vic"), f"/v1/workspaces/{typeid('wsp', cast.workspace.id)}/members"

    by_name = vic.get(path + "?" + urlencode({"q": cast.users["mia"].name[:4]})).json["items"]
    by_address = vic.get(path + "?" + urlencode({"q": cast.users["mia"].email.upper()})).json["items"]

    assert "mia" in {each["email"].partition("@")[0] for each in by_name}
    assert [each["email"] for each in by_address] == [cast.users["mia"].email]


def test_silences_are_found_by_comment_and_match(browser: Browsers, cast: Cast) -> None:
    olga, body = browser("olga"), {"workspaceId": typeid("wsp", cast.workspace.id), "matchText": MATCH}
    for comment in ("Moving racks", "Nightly work"):
        assert (
            olga.post(
                "/v1/silences", {**body, "comment": comment, "endsAt": (present() + timedelta(hours=1)).isoformat()}
            ).status_code
            == 201
        )

    def found(text: str) -> list[str]:
        return sorted(row["comment"] for row in olga.get("/v1/silences" + "?" + urlencode({"q": text})).json["items"])

    assert found("RACKS") == ["Moving racks"]
    assert found("100%_sure") == ["Moving racks", "Nightly work"]


@pytest.mark.parametrize("text", ["", "x" * 257])
def test_a_text_without_or_with_too_many_characters_is_refused(browser: Browsers, text: str) -> None:
    answer = browser("vic").get("/v1/sources" + "?" + urlencode({"q": text}))

    assert (answer.status_code, answer.json["errors"][0]["pointer"]) == (422, "/query/q")
