"""Query parameters of every list: defaults, and how often a parameter may be given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import peewee
import pytest
from flask import Flask

from inbox.api.http.policy import POLICY
from inbox.config.settings import Settings
from tests.api.http.filled import entered
from tests.api.openapi.operations import Operation, operations
from tests.api.stage import IN_FORCE
from tests.browser import Browser
from tests.cast import Cast, typeid
from tests.proving import HOME

NAMES = frozenset({"name", "title", "email", "source"})
OWN_ANSWERS = ("oidc.callback", "heartbeats.ping", "push_pings.", "legacy.push", "opsgenie.")
"""An identity provider, a cron job and a sender cannot read a problem: the first value counts, or the whole call is refused."""

Browsers = Callable[[str], Browser]


def parameters(operation: Operation) -> dict[str, dict[str, Any]]:
    found = operation.described.get("parameters", ())
    return {each["name"]: each["schema"] for each in found if each.get("in") == "query"}


def lists(app: Flask) -> dict[str, dict[str, dict[str, Any]]]:
    found = {each.endpoint: parameters(each) for each in operations(app) if each.method == "GET"}
    return {endpoint: existing for endpoint, existing in found.items() if "sort" in existing}


def test_no_list_is_sorted_by_a_name_unless_asked(app: Flask) -> None:
    defaults = {endpoint: existing["sort"]["default"] for endpoint, existing in lists(app).items()}

    assert len(defaults) > 15
    assert {endpoint for endpoint, sort in defaults.items() if sort in NAMES} == set()
    assert {defaults[f"{noun}.list"] for noun in ("sources", "destinations", "profiles", "views", "workspaces")} == {
        "created"
    }
    assert (defaults["keys.list"], defaults["members.list"]) == ("created", "joined")


def test_every_list_but_the_rules_begins_with_the_latest(app: Flask) -> None:
    ascending = {endpoint for endpoint, existing in lists(app).items() if existing["order"]["default"] != "desc"}

    assert ascending == {"rules.list"}


def test_sources_come_with_the_newest_first(browser: Browsers, cast: Cast) -> None:
    olga, workspace = browser("olga"), typeid("wsp", cast.workspace.id)
    for name in ("Zabbix", "Alertmanager"):
        assert olga.post("/v1/sources", {"workspaceId": workspace, "name": name}).status_code == 201
    listed = [item["name"] for item in olga.get(f"/v1/sources?workspaceId={workspace}").json["items"]]

    assert listed == ["Alertmanager", "Zabbix", "Prometheus"]


def test_rules_are_listed_in_the_order_of_evaluation(browser: Browsers, cast: Cast) -> None:
    adam, workspace = browser("adam"), typeid("wsp", cast.workspace.id)
    for name in ("first", "second"):
        body = {"workspaceId": workspace, "name": name, "matchText": "any event", "then": {"disposition": "log"}}
        assert adam.post("/v1/rules", body).status_code == 201

    assert [item["name"] for item in adam.get("/v1/rules").json["items"]] == ["first", "second"]


@pytest.mark.slow
@pytest.mark.parametrize("endpoint", sorted(POLICY))
def test_a_parameter_of_one_value_is_refused_when_it_is_given_twice(
    endpoint: str, app: Flask, ground: peewee.Database, in_settings: Callable[..., Settings]
) -> None:
    in_settings(**IN_FORCE)
    for operation in operations(app):
        existing = parameters(operation)
        if operation.endpoint != endpoint or endpoint.startswith(OWN_ANSWERS) or not existing:
            continue
        stage, token = entered(app)
        browser, path = Browser(app, HOME, cookie=token), operation.path(app, operation.values(stage))
        for name, schema in existing.items():
            value = schema.get("enum", schema.get("items", {}).get("enum", ["1"]))[0]
            answer = browser.call(operation.method, f"{path}?{name}={value}&{name}={value}")
            reported = {"pointer": f"/query/{name}", "detail": "Accepts one value. Send it once."}
            if "array" in schema.get("type", ()):
                assert answer.status_code == 200 or reported not in answer.json["errors"], name
            else:
                assert (answer.status_code, reported in answer.json["errors"]) == (422, True), name


def test_all_faults_of_a_query_are_reported_together(browser: Browsers, cast: Cast) -> None:
    answer = browser("mia").get("/v1/incidents?minSeverity=ERROR&minSeverity=WARNING&limit=0&nope=1&nope=2")

    assert {fault["pointer"] for fault in answer.json["errors"]} == {
        "/query/minSeverity",
        "/query/limit",
        "/query/nope",
    }


def test_a_list_parameter_takes_several_values(browser: Browsers, cast: Cast) -> None:
    for path in ("/v1/incidents", "/v1/incidents/counts"):
        assert browser("mia").get(f"{path}?state=open&state=resolved").status_code == 200


FILTERED = ["/v1/incidents", "/v1/incidents/counts", "/v1/incidents/facets", "/v1/events", "/v1/events/facets"]


@pytest.mark.parametrize(("values", "status"), [(20, 200), (21, 422)])
@pytest.mark.parametrize("path", FILTERED)
def test_a_filter_takes_at_most_20_values(browser: Browsers, cast: Cast, path: str, values: int, status: int) -> None:
    query = "&".join(f"tag=t{number}" for number in range(values))

    assert browser("mia").get(f"{path}?{query}").status_code == status


@pytest.mark.parametrize(
    ("query", "pointer"),
    [
        ("last=0h", "/query/last"),
        ("last=24", "/query/last"),
        ("last=367d", "/query/last"),
        ("last=24h&since=2026-11-21T09:02:00Z", "/query/last"),
        ("resourceKind=host:db1", "/query/resourceKind/0"),
        ("fingerprint=", "/query/fingerprint/0"),
        ("ruleId=nope", "/query/ruleId/0"),
    ],
)
@pytest.mark.parametrize("path", FILTERED)
def test_a_filter_that_fits_nothing_is_refused_at_its_place(
    browser: Browsers, cast: Cast, path: str, query: str, pointer: str
) -> None:
    answer = browser("mia").get(f"{path}?{query}")

    assert answer.status_code == 422
    assert [fault["pointer"] for fault in answer.json["errors"]] == [pointer]


@pytest.mark.parametrize(
    ("query", "status"), [("assigneeId=none", 200), ("acknowledgedBy=none", 422), ("assigneeId=you", 422)]
)
def test_only_the_assignee_filter_accepts_nobody(browser: Browsers, cast: Cast, query: str, status: int) -> None:
    assert browser("mia").get(f"/v1/incidents?{query}").status_code == status


def test_the_longest_period_is_366_days(browser: Browsers, cast: Cast) -> None:
    assert browser("mia").get("/v1/incidents?last=366d").status_code == 200


@pytest.mark.parametrize("token", ["\0", "a\0b", ["\0"], {"a\0": "\0"}])
def test_a_link_token_with_a_nul_is_refused_like_any_other(
    token: Any, anonymous: Browser, cast: Cast, in_settings: Any
) -> None:
    in_settings(**IN_FORCE)
    anonymous.base_url = HOME
    sent = {
        "/v1/auth/password-reset/confirm": ({"password": "a phrase of my own"}, "token_invalid"),
        "/v1/auth/email-change/confirm": ({}, "token_invalid"),
        "/v1/auth/verify-email": ({}, "token_invalid"),
        "/v1/invites/preview": ({}, "invite_invalid"),
        "/v1/invites/accept": ({}, "invite_invalid"),
    }
    for path, (more, code) in sent.items():
        answer = anonymous.post(path, {"token": token, **more})
        assert (answer.status_code, answer.json["code"]) == (403, code), path
