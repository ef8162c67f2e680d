"""Changing, deleting and counting rules, with permissions."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

from inbox.domain.routing import matchers
from inbox.domain.values import ids
from inbox.live.feed import Change
from inbox.models.records.audit import AuditEntry
from inbox.models.routing.rules import RuleMatch
from inbox.models.workspaces.tables import Workspace
from inbox.services.routing import rules
from tests.api.routing.rules_steps import (
    DISK,
    HOURS,
    Browsers,
    adam,  # noqa: F401
    destination,
    make,
    new,
    path,
    pointers,
    workspace,  # noqa: F401
)
from tests.browser import Browser
from tests.cast import Cast, make_source, typeid
from tests.clock import well_before_the_end_of


def actions() -> list[str]:
    return [entry.action for entry in AuditEntry.select().order_by(AuditEntry.id)]


def routing_rev(cast: Cast) -> int:
    return int(Workspace.get_by_id(cast.workspace.id).config_rev)


def test_an_edit_of_a_rule_changes_only_the_named_fields(cast: Cast, adam: Browser, workspace: str) -> None:
    pager = destination(cast.workspace)
    made = make(adam, workspace, then={"disposition": "incident", "destinationIds": [pager, pager], "addTags": ["a"]},
                activeDuring=HOURS, openAfter={"count": 2, "withinMinutes": 5})  # fmt: skip

    edited = adam.patch(path(made), {"then": {"severity": "CRITICAL", "addTags": []}, "activeDuring": None}).json
    renamed = adam.patch(path(made), {"name": "Other", "matchText": "any event", "enabled": False}).json

    assert edited == {
        **made, "then": {**made["then"], "severity": "CRITICAL", "addTags": []}, "activeDuring": None, "rev": 2,
        "text": edited["text"],
    }  # fmt: skip
    assert made["then"]["destinationIds"] == [pager]
    assert renamed == {
        **edited, "name": "Other", "match": {"all": []}, "matchText": "any event", "enabled": False, "rev": 3,
        "text": renamed["text"],
    }  # fmt: skip
    assert pointers(adam.patch(path(made), {"then": {"disposition": None}})) == ["/then/disposition", "/openAfter"]
    assert pointers(adam.patch(path(made), {"position": 1})) == ["/position"]


def test_the_second_edit_of_one_revision_is_refused(adam: Browser, workspace: str) -> None:
    made = make(adam, workspace)
    seen = {"If-Match": '"1"'}

    first = adam.patch(path(made), {"name": "First"}, headers=seen)
    second = adam.patch(path(made), {"name": "Second"}, headers=seen)
    removed = adam.delete(path(made), headers=seen)

    assert (first.status_code, second.status_code, removed.status_code) == (200, 412, 412)
    assert first.headers["ETag"] == '"2"'
    assert adam.get(path(made)).json["name"] == "First"


def test_rules_after_a_deleted_rule_move_up(adam: Browser, workspace: str) -> None:
    made = [make(adam, workspace, name=name) for name in "ABC"]

    assert adam.delete(path(made[0])).status_code == 204
    assert adam.get(path(made[0])).status_code == 404
    assert adam.delete(path(made[0])).status_code == 404
    items = adam.get("/v1/rules").json["items"]
    assert [(item["name"], item["position"]) for item in items] == [("B", 1), ("C", 2)]


def test_members_and_viewers_read_rules_and_cannot_change_them(
    browser: Browsers, adam: Browser, workspace: str
) -> None:
    made = make(adam, workspace)

    for name in ("mia", "vic"):
        assert browser(name).get(path(made)).status_code == 200
        assert browser(name).post("/v1/rules", new(workspace)).status_code == 403
        assert browser(name).patch(path(made), {"name": "X"}).status_code == 403
    eve = browser("eve")
    assert eve.get("/v1/rules").json["items"] == []
    assert [eve.get(path(made)).status_code, eve.delete(path(made)).status_code] == [404, 404]
    assert pointers(eve.post("/v1/rules", new(workspace))) == ["/workspaceId"]


def test_every_change_is_reported_audited_and_counted(cast: Cast, adam: Browser, workspace: str) -> None:
    revs = [routing_rev(cast)]
    made = make(adam, workspace)
    revs.append(routing_rev(cast))
    adam.patch(path(made), {"matchText": "any event", "then": {"severity": "ERROR"}})
    revs.append(routing_rev(cast))
    order = {"workspaceId": workspace, "ids": [made["id"]], "rev": 2}
    adam.put("/v1/rules/order", order)
    revs.append(routing_rev(cast))
    adam.delete(path(made))
    revs.append(routing_rev(cast))

    assert actions() == ["rule.created", "rule.changed", "rule.reordered", "rule.deleted"]
    assert [later - earlier for earlier, later in pairwise(revs)] == [1, 1, 1, 1]
    changed = AuditEntry.get(AuditEntry.action == "rule.changed")
    assert changed.target == {"type": "rule", "id": made["id"], "name": "Disks"}
    assert [each["field"] for each in changed.details["changes"]] == ["match", "then"]
    assert changed.details["changes"][0] == {
        "field": "match", "before": 'title contains "disk"', "after": "any event",
    }  # fmt: skip
    reported = [
        (reference["type"], reference["op"]) for row in Change.select().order_by(Change.seq) for reference in row.refs
    ]
    assert reported == [("rule", "created"), ("rule", "changed"), ("rule", "deleted")]


def test_a_rule_reports_how_often_it_matched_in_the_last_day_and_when_last(
    cast: Cast, adam: Browser, workspace: str
) -> None:
    made, other = make(adam, workspace), make(adam, workspace)
    well_before_the_end_of(timedelta(hours=1))
    this_hour = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
    for hours, events in ((0, 3), (23, 4), (25, 100)):
        at = this_hour - timedelta(hours=hours)
        RuleMatch.create(
            workspace_id=cast.workspace.id, rule_id=ids.decode("rul", made["id"]), hour=at, events=events, last_at=at
        )

    shown, unmet = adam.get(path(made)).json, adam.get(path(other)).json

    assert shown["matchedLast24h"] == 7
    assert shown["lastMatchedAt"] == this_hour.strftime("%Y-%m-%dT%H:00:00.000Z")
    assert (unmet["matchedLast24h"], unmet["lastMatchedAt"]) == (0, None)


def test_a_match_is_read_from_either_form_to_both(adam: Browser) -> None:
    both = {"match": DISK, "matchText": 'title contains "disk"'}

    assert adam.post("/v1/rules/parse", {"match": DISK}).json == both
    assert adam.post("/v1/rules/parse", {"matchText": 'title  CONTAINS "disk"'}).json == both
    assert pointers(adam.post("/v1/rules/parse", {})) == ["/match"]
    assert pointers(adam.post("/v1/rules/parse", both)) == ["/matchText"]
    assert pointers(adam.post("/v1/rules/parse", {"matchText": "title contains"})) == ["/matchText"]
    assert pointers(adam.post("/v1/rules/parse", {"match": {"any": []}})) == ["/match/any"]


def test_a_workspace_has_at_most_200_rules(cast: Cast, adam: Browser, workspace: str, monkeypatch: Any) -> None:
    monkeypatch.setattr(rules, "MAX_RULES", 2)
    first, _ = make(adam, workspace), make(adam, workspace)

    refused = adam.post("/v1/rules", new(workspace))
    adam.delete(path(first))

    assert (refused.status_code, refused.json["code"]) == (409, "conflict")
    assert make(adam, workspace)["position"] == 2


def test_a_source_that_is_named_twice_is_kept_once(cast: Cast, adam: Browser, workspace: str) -> None:
    other, _ = make_source(cast.workspace, "Other")
    both = [typeid("src", cast.source.id), typeid("src", other.id)]

    assert make(adam, workspace, sourceIds=[*both, both[0]])["sourceIds"] == both


def test_all_rules_of_a_workspace_share_one_search_limit(adam: Browser, workspace: str) -> None:
    costly = {"field": "body", "op": "matches", "value": "[ab]" * 100}
    fitting = matchers.TOTAL_LIMIT.long_steps // matchers.cost(costly).long_steps
    made = [make(adam, workspace, name=f"Rule {number}", match=costly) for number in range(fitting)]

    refused = adam.post("/v1/rules", new(workspace, match=costly))
    idle = make(adam, workspace, match=costly, enabled=False)
    switched_on = adam.patch(path(idle), {"enabled": True})
    assert [error["pointer"] for error in refused.json["errors"]] == ["/match"]
    assert (refused.status_code, switched_on.status_code) == (422, 422)

    assert adam.patch(path(made[0]), {"enabled": False}).status_code == 200
    assert adam.patch(path(idle), {"enabled": True}).status_code == 200
