"""The order of rules: dense, replaced as a whole, and protected by its revision (specification 6.2)."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from flask import Flask

from inbox.config.settings import Settings
from inbox.domain.values import ids
from inbox.models.records.audit import AuditEntry
from inbox.models.routing.rules import Rule
from tests.browser import Browser
from tests.cast import Cast, typeid

Browsers = Callable[[str], Browser]


@pytest.fixture
def workspace(cast: Cast) -> str:
    return typeid("wsp", cast.workspace.id)


@pytest.fixture
def adam(browser: Browsers) -> Browser:
    return browser("adam")


def make(browser: Browser, workspace: str, name: str, **more: Any) -> str:
    sent = {"workspaceId": workspace, "name": name, "matchText": "any event", "then": {"disposition": "log"}, **more}
    return str(browser.post("/v1/rules", sent).json["id"])


def listed(browser: Browser, workspace: str) -> tuple[list[str], int]:
    """The rules' names in their order, and the revision of the order."""
    page = browser.get(f"/v1/rules?workspaceId={workspace}")
    assert page.headers["ETag"].startswith(f'"{page.json["rulesRev"]}.')
    assert [item["position"] for item in page.json["items"]] == [*range(1, len(page.json["items"]) + 1)]
    return [item["name"] for item in page.json["items"]], page.json["rulesRev"]


def put(browser: Browser, workspace: str, rule_ids: list[str], rev: int | None, **more: Any) -> Any:
    named = {} if rev is None else {"rev": rev}
    return browser.put("/v1/rules/order", {"workspaceId": workspace, "ids": rule_ids, **named}, **more)


def pointers(answer: Any) -> list[str]:
    assert answer.status_code == 422, answer.json
    return [fault["pointer"] for fault in answer.json["errors"]]


def test_a_new_rule_without_a_position_is_the_last(adam: Browser, workspace: str) -> None:
    for name, more in (("a", {}), ("b", {}), ("c", {"position": 1}), ("d", {"position": 3}), ("e", {"position": 99})):
        make(adam, workspace, name, **more)

    assert listed(adam, workspace)[0] == ["c", "a", "d", "b", "e"]


def test_the_rule_order_is_replaced_with_its_current_revision(adam: Browser, workspace: str) -> None:
    a, b, c = (make(adam, workspace, name) for name in "abc")
    seen = listed(adam, workspace)[1]

    answer = put(adam, workspace, [c, a, b], seen)
    by_header = put(adam, workspace, [b, c, a], seen + 1, headers={"If-Match": answer.headers["ETag"]})

    assert (answer.status_code, by_header.status_code) == (200, 200)
    assert answer.json == {"workspaceId": workspace, "ids": [c, a, b], "rev": seen + 1}
    assert answer.headers["ETag"] == f'"{seen + 1}"'
    assert listed(adam, workspace) == (["b", "c", "a"], seen + 2)
    assert adam.get("/v1/rules?order=desc").json["items"][0]["name"] == "a"


@pytest.mark.parametrize("meanwhile", ["created", "deleted", "reordered"])
def test_an_outdated_rule_order_is_not_stored(meanwhile: str, adam: Browser, browser: Browsers, workspace: str) -> None:
    a, b, c = (make(adam, workspace, name) for name in "abc")
    seen, olga = listed(adam, workspace)[1], browser("olga")
    match meanwhile:
        case "created":
            make(olga, workspace, "d")
        case "deleted":
            olga.delete(f"/v1/rules/{c}")
        case _:
            put(olga, workspace, [c, b, a], seen)
    stands = listed(olga, workspace)

    refused = put(adam, workspace, [b, a, c], seen)

    assert (refused.status_code, refused.json["code"], refused.json["rev"]) == (412, "rev_mismatch", seen + 1)
    assert listed(adam, workspace) == stands


def test_an_order_without_the_revision_it_replaces_is_refused(adam: Browser, workspace: str) -> None:
    a, seen = make(adam, workspace, "a"), listed(adam, workspace)[1]

    assert pointers(put(adam, workspace, [a], None)) == ["/rev"]
    assert pointers(put(adam, workspace, [a], None, headers={"If-Match": f'"{seen}"'})) == ["/rev"]
    assert put(adam, workspace, [a], seen, headers={"If-Match": f'"{seen + 1}"'}).status_code == 412


def test_an_order_names_every_rule_of_the_workspace_once_and_no_other(
    adam: Browser, browser: Browsers, cast: Cast, workspace: str
) -> None:
    a, b = make(adam, workspace, "a"), make(adam, workspace, "b")
    foreign = make(browser("eve"), typeid("wsp", cast.foreign.id), "theirs")
    seen = listed(adam, workspace)[1]

    missing = put(adam, workspace, [a], seen)

    assert (missing.status_code, missing.json["code"]) == (409, "conflict")
    assert pointers(put(adam, workspace, [a, foreign, b], seen)) == ["/ids/1"]
    assert pointers(put(adam, workspace, [a, b, a], seen)) == ["/ids"]
    assert listed(adam, workspace) == (["a", "b"], seen)


def test_editing_a_rule_leaves_the_revision_of_the_order_alone(adam: Browser, workspace: str) -> None:
    a, b = make(adam, workspace, "a"), make(adam, workspace, "b")
    seen = listed(adam, workspace)[1]
    adam.patch(f"/v1/rules/{a}", {"name": "A"})

    assert put(adam, workspace, [b, a], seen).status_code == 200
    assert adam.get(f"/v1/rules/{a}").json["rev"] == 2


def test_a_list_that_spans_workspaces_has_no_revision_of_an_order(adam: Browser, workspace: str, cast: Cast) -> None:
    make(adam, workspace, "a")

    spanning = adam.get("/v1/rules")
    foreign = adam.get(f"/v1/rules?workspaceId={typeid('wsp', cast.foreign.id)}")

    assert (spanning.json["rulesRev"], spanning.headers["ETag"][:2]) == (None, "W/")
    assert (foreign.json["items"], foreign.json["rulesRev"]) == ([], None)


def test_the_audit_log_holds_the_order_before_and_after(adam: Browser, workspace: str, cast: Cast) -> None:
    a, b = make(adam, workspace, "a"), make(adam, workspace, "b")
    put(adam, workspace, [b, a], listed(adam, workspace)[1])

    entry = AuditEntry.get(AuditEntry.action == "rule.reordered")

    assert (entry.workspace_id, entry.details) == (cast.workspace.id, {"before": [a, b], "after": [b, a]})


def test_concurrent_rule_orders_let_one_win_and_report_the_conflict(
    app: Flask, cast: Cast, adam: Browser, workspace: str, settings: Settings
) -> None:
    rule_ids = [make(adam, workspace, name) for name in "abcdef"]
    seen = listed(adam, workspace)[1]
    orders = [rule_ids[turn:] + rule_ids[:turn] for turn in range(1, 6)]

    def order(required: tuple[str, list[str]]) -> int:
        return int(put(Browser(app, settings.base_url, cookie=required[0]), workspace, required[1], seen).status_code)

    with ThreadPoolExecutor(5) as pool:
        answers = list(pool.map(order, [(cast.cookie("adam"), required) for required in orders]))

    assert sorted(answers) == [200, 412, 412, 412, 412]
    won = orders[answers.index(200)]
    items = adam.get(f"/v1/rules?workspaceId={workspace}").json["items"]
    assert [item["id"] for item in items] == won
    assert listed(adam, workspace)[1] == seen + 1


def test_positions_stay_dense_under_concurrent_creation_and_deletion(
    app: Flask, cast: Cast, adam: Browser, workspace: str, settings: Settings
) -> None:
    doomed = [make(adam, workspace, f"old {number}") for number in range(6)]

    def act(cookie: str, number: int) -> None:
        browser = Browser(app, settings.base_url, cookie=cookie)
        if number % 2:
            assert browser.delete(f"/v1/rules/{doomed[number // 2]}").status_code == 204
        else:
            make(browser, workspace, f"new {number}", position=1 + number % 3)

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(act, [cast.cookie("adam") for _ in range(12)], range(12)))

    names, _ = listed(adam, workspace)
    assert sorted(names) == sorted(f"new {number}" for number in range(0, 12, 2))
    assert Rule.select().where(Rule.deleted_at.is_null()).count() == 6


def test_concurrent_edits_of_a_rule_do_not_overwrite_each_other(
    app: Flask, cast: Cast, adam: Browser, workspace: str, settings: Settings
) -> None:
    rule = make(adam, workspace, "a")

    def edit(cookie: str, number: int) -> int:
        browser = Browser(app, settings.base_url, cookie=cookie)
        sent = {"name": f"by {number}"}
        return int(browser.patch(f"/v1/rules/{rule}", sent, headers={"If-Match": '"1"'}).status_code)

    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(edit, [cast.cookie("adam") for _ in range(4)], range(4)))

    assert sorted(answers) == [200, 412, 412, 412]
    assert Rule.get_by_id(ids.decode("rul", rule)).name == f"by {answers.index(200)}"
