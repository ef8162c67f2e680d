"""Near misses of a preview: the deciding clauses and the nearest events (specification 6.9)."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from inbox.flow.preview.rule_report import MAX_RULES
from inbox.services.routing import previews
from jobs import preview as door
from tests.browser import Browser
from tests.cast import NOW, Cast, make_source, typeid
from tests.flow.routing_fixtures import accept
from tests.flow.rulemaking import ANY, clause, rule

HOUR = timedelta(hours=1)
LOG = {"disposition": "log"}


@pytest.fixture
def adam(browser: Callable[[str], Browser]) -> Browser:
    return browser("adam")


def requested(cast: Cast, **more: Any) -> dict[str, Any]:
    day = {"since": "2026-11-21T00:00:00Z", "until": "2026-11-22T00:00:00Z"}
    return {"workspaceId": typeid("wsp", cast.workspace.id), **day, **more}


def outcomes(adam: Browser, cast: Cast, **more: Any) -> Any:
    answer = adam.post("/v1/rules/preview", requested(cast, **more))
    assert answer.status_code == 200, answer.json
    return answer.json["ruleReports"]


def outcome(adam: Browser, cast: Cast, text: str, **more: Any) -> Any:
    [reported] = outcomes(adam, cast, rule={"matchText": text, "then": LOG, **more})
    return reported


def counted(reported: Any) -> list[tuple[str, int, int]]:
    return [(each["clause"], each["matched"], each["soleFailure"]) for each in reported["clauses"]]


def test_a_typo_in_a_tag_is_the_clause_but_for_which_all_would_match(adam: Browser, cast: Cast) -> None:
    disks = [accept(cast.source, NOW + n * HOUR, tags=["prod"]) for n in range(3)]
    accept(cast.source, NOW, title="CPU busy", tags=["prod"])

    reported = outcome(adam, cast, 'title contains "disk" and tags = "prdo"', name="Disks")

    assert (reported["name"], reported["matched"], reported["preempted"]) == ("Disks", 0, 0)
    assert counted(reported) == [('title contains "disk"', 3, 0), ('tags = "prdo"', 0, 3)]
    near, farther = reported["nearMisses"]
    assert near == {
        "eventId": typeid("evt", disks[0]),
        "title": "Disk full",
        "severity": "ERROR",
        "sourceId": typeid("src", cast.source.id),
        "sourceName": "Prometheus",
        "receivedAt": "2026-11-21T09:00:00.000Z",
        "failedClauses": 1,
        "events": 3,
        "clauses": [
            {"clause": 'title contains "disk"', "matched": True, "value": "Disk full"},
            {"clause": 'tags = "prdo"', "matched": False, "value": '["prod"]'},
        ],
    }
    assert (farther["title"], farther["failedClauses"], farther["events"]) == ("CPU busy", 2, 1)


def test_a_rule_that_matches_all_has_no_near_misses_even_where_another_decides(adam: Browser, cast: Cast) -> None:
    accept(cast.source, NOW)
    assert outcome(adam, cast, "severity = ERROR")["nearMisses"] == []
    rule(cast.workspace, ANY, "drop")

    reported = outcome(adam, cast, "severity = ERROR")

    assert (reported["matched"], reported["preempted"], reported["nearMisses"]) == (1, 1, [])
    assert counted(reported) == [("severity = ERROR", 1, 0)]


def test_hours_and_sources_of_a_rule_are_clauses_of_it(adam: Browser, cast: Cast) -> None:
    cron, _ = make_source(cast.workspace, "Cron")
    accept(cast.source, NOW)
    accept(cron, NOW)
    accept(cron, NOW + 3 * HOUR)
    hours = {"timezone": "Europe/Berlin", "windows": [{"days": ["sat", "sun"], "start": "12:00", "end": "18:00"}]}

    reported = outcome(adam, cast, "any event", sourceIds=[typeid("src", cron.id)], activeDuring=hours)

    during = "activeDuring: sat sun 12:00-18:00 Europe/Berlin"
    assert (reported["matched"], counted(reported)) == (1, [("sourceIds: Cron", 2, 0), (during, 1, 1)])
    assert [(near["failedClauses"], [step["value"] for step in near["clauses"]]) for near in reported["nearMisses"]] == [
        (1, ["Cron", "sat 10:00"]), (2, ["Prometheus", "sat 10:00"])
    ]  # fmt: skip


def test_a_preview_of_all_rules_reports_new_and_changed_rules(adam: Browser, cast: Cast) -> None:
    retained, changed = (
        rule(cast.workspace, clause("title", "contains", name), "log", name=name) for name in ("a", "b")
    )
    accept(cast.source, NOW)
    stored, edited = {"id": typeid("rul", retained.id)}, {"id": typeid("rul", changed.id), "matchText": 'title = "c"'}
    new, off = {"name": "New", "matchText": 'title = "d"', "then": LOG}, {"name": "Off", "enabled": False}
    unasked = {**new, **off}

    assert [reported["name"] for reported in outcomes(adam, cast, rules=[new, edited, unasked, stored])] == ["New", "b"]
    assert outcomes(adam, cast, rules=[{"id": edited["id"]}, stored]) == outcomes(adam, cast) == []
    assert outcomes(adam, cast, rule=unasked) == []
    [same] = outcomes(adam, cast, rule=stored)
    assert (same["name"], counted(same)) == ("a", [('title contains "a"', 0, 1)])


def test_a_rule_that_cannot_be_evaluated_is_skipped(adam: Browser, cast: Cast) -> None:
    hours = {"timezone": "Mars/Olympus", "windows": [{"days": ["sat"], "start": "12:00", "end": "18:00"}]}
    broken = rule(cast.workspace, ANY, "log", active_during=hours)
    accept(cast.source, NOW)

    assert outcomes(adam, cast, rule={"id": typeid("rul", broken.id), "name": "Renamed"}) == []


@pytest.mark.parametrize(
    ("given", "reported"), [(MAX_RULES - 1, MAX_RULES - 1), (MAX_RULES, MAX_RULES), (MAX_RULES + 1, MAX_RULES)]
)
def test_a_preview_of_all_rules_reports_the_first_few(adam: Browser, cast: Cast, given: int, reported: int) -> None:
    accept(cast.source, NOW)
    new = [{"name": f"Rule {n}", "matchText": f'title = "{n}"', "then": LOG} for n in range(given)]

    found = outcomes(adam, cast, rules=new)

    assert [one["name"] for one in found] == [f"Rule {n}" for n in range(reported)]


def test_a_background_preview_reports_the_same_near_misses(
    adam: Browser, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    for n in range(12):
        accept(cast.source, NOW + n * HOUR, severity=("ERROR", "INFO")[n % 2], tags=[f"t{n % 5}"])
    tried = {"matchText": 'severity >= ERROR and (tags = "t1" or not tags startsWith "t") or type exists', "then": LOG}
    at_once = adam.post("/v1/rules/preview", requested(cast, rule=tried)).json
    assert at_once["ruleReports"][0]["nearMisses"]

    monkeypatch.setattr(previews, "AT_ONCE", 11)
    path = adam.post("/v1/rules/preview", requested(cast, rule=tried)).headers["Location"]
    door.run()

    result = adam.get(path).json["result"]
    for each in (at_once, result):
        for reported in each["ruleReports"]:
            reported.pop("ruleId")
    assert result["ruleReports"] == at_once["ruleReports"]


def test_events_of_other_workspaces_are_neither_counted_nor_shown(adam: Browser, cast: Cast) -> None:
    accept(cast.source, NOW, title="Ours")
    accept(cast.foreign_source, NOW, title="Theirs")

    reported = outcome(adam, cast, 'title = "none"')

    assert counted(reported) == [('title = "none"', 0, 1)]
    assert [near["title"] for near in reported["nearMisses"]] == ["Ours"]


def test_a_near_miss_shows_only_the_fields_that_its_clauses_read(adam: Browser, cast: Cast) -> None:
    hidden, long = "hunter2-hunter2", "x" * 5_000
    accept(cast.source, NOW, metadata={"team": long, "password": hidden}, body=hidden, url=f"https://{hidden}.example")

    reported = outcome(adam, cast, 'metadata.team = "db" and severity = INFO')

    assert hidden not in json.dumps(reported)
    assert [step["value"] for step in reported["nearMisses"][0]["clauses"]] == ["x" * 199 + "…", "ERROR"]


def test_near_misses_of_the_largest_rules_stay_small(adam: Browser, cast: Cast) -> None:
    for n in range(8):
        accept(cast.source, NOW + n * HOUR, body="y" * 9_000, tags=["t" * 60] * n)
    clauses = [clause("body", "contains", f"{n:02}" + "ä" * 600) for n in range(49)]
    many = {"all": [*clauses, {"not": clause("tags", "exists", True)}]}

    reported = outcomes(adam, cast, rules=[{"name": f"Rule {n}", "match": many, "then": LOG} for n in range(MAX_RULES)])

    assert [len(one["clauses"]) for one in reported] == [50] * MAX_RULES
    assert len(json.dumps(reported, ensure_ascii=False).encode()) < 2_000_000
