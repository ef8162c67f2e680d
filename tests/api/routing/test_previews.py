"""Previews over HTTP: rules tried on stored events and on one event (specification 6.9)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from inbox.database.base import db
from inbox.domain.routing import matchers
from inbox.models.deliveries.tables import Notice
from inbox.models.events.tables import Event
from inbox.models.incidents.tables import Incident
from inbox.models.routing.rules import Rule, RuleMatch
from tests.api.routing.previews_steps import (
    HOUR,
    LOG,
    SINCE,
    adam,  # noqa: F401
    requested,
)
from tests.browser import Browser
from tests.cast import NOW, Cast, present, typeid
from tests.flow.routing_fixtures import accept, listen, settle
from tests.flow.rulemaking import ANY, clause, rule, silence

NIGHT = datetime.fromisoformat("2026-11-21T01:00:00+00:00")


def sample_text(reported: Any) -> tuple[str, str]:
    """What the first sample says of before and after."""
    sample = reported["sample"][0]
    return sample["before"]["text"], sample["after"]["text"]


def tried(adam: Browser, cast: Cast, **more: Any) -> Any:
    answer = adam.post("/v1/rules/preview", requested(cast, **more))
    assert answer.status_code == 200, answer.json
    return answer.json


def test_a_rule_preview_runs_on_stored_events_without_any_effect(adam: Browser, cast: Cast) -> None:
    listen(cast.workspace)
    accept(cast.source, NIGHT, key="a", severity="ERROR", title="Backup failed")
    accept(cast.source, NOW, key="b", severity="CRITICAL", title="Disk full")
    before = [
        db.execute_sql(f"SELECT count(*) FROM {each}").fetchone() for each in ("timers", "change_feed", "audit_log")
    ]

    reported = tried(adam, cast, rule={"matchText": 'title contains "backup"', "then": LOG})

    assert (reported["events"], reported["matched"], reported["changed"]) == (2, 1, 1)
    assert reported["incidents"] == {"before": 2, "after": 1}
    assert reported["byDisposition"] == {"before": {"opened": 2}, "after": {"logged": 1, "opened": 1}}
    assert reported["bySeverity"][:2] == [
        {"severity": "CRITICAL", "events": 1, "matched": 0}, {"severity": "ERROR", "events": 1, "matched": 1}
    ]  # fmt: skip
    assert (
        reported["text"]
        == "1 of 2 events match. 1 event would have a different outcome. Notifications: 7 instead of 14."
    )
    assert sample_text(reported) == ("Event opened the incident.", "Event logged only.")
    [of_source] = reported["bySource"]
    assert (of_source["sourceName"], of_source["events"], of_source["matched"]) == ("Prometheus", 2, 1)
    [sample] = reported["sample"]
    assert (sample["title"], sample["before"]["disposition"], sample["after"]["disposition"]) == (
        "Backup failed", "opened", "logged"
    )  # fmt: skip
    assert sample["clauses"] == [{"clause": 'title contains "backup"', "matched": True, "value": "Backup failed"}]
    for nothing in (Incident, Notice, Rule, RuleMatch):
        assert nothing.select().count() == 0
    assert [event.disposition for event in Event.select()] == ["pending", "pending"]
    after = [
        db.execute_sql(f"SELECT count(*) FROM {each}").fetchone() for each in ("timers", "change_feed", "audit_log")
    ]
    assert after == before


def test_a_preview_counts_notices_of_timers_and_distinguishes_night(adam: Browser, cast: Cast) -> None:
    listen(cast.workspace)
    settle(cast.workspace, renotifyMinutes={"ERROR": 60}, renotifyMax=9)
    accept(cast.source, datetime.fromisoformat("2026-11-21T05:30:00+00:00"))

    reported = tried(adam, cast, until="2026-11-21T08:00:00Z")["notices"]

    assert reported["byReason"]["after"] == {"opened": 1, "renotify": 2}
    assert (reported["before"], reported["atNight"]) == (3, {"before": 2, "after": 2})


def test_the_preview_of_a_stored_rule_keeps_its_position_and_its_other_fields(adam: Browser, cast: Cast) -> None:
    first = rule(cast.workspace, clause("title", "contains", "disk"), "log", name="Disks")
    rule(cast.workspace, ANY, "drop")
    accept(cast.source, NOW)

    reported = tried(adam, cast, rule={"id": typeid("rul", first.id), "matchText": 'title contains "cpu"'})
    assert (reported["matched"], reported["byDisposition"]["after"]) == (0, {"dropped": 1})
    assert [step["matched"] for step in reported["sample"][0]["clauses"]] == [False]
    moved = tried(adam, cast, rule={"id": typeid("rul", first.id), "position": 2})
    assert moved["byDisposition"] == {"before": {"logged": 1}, "after": {"dropped": 1}}
    assert tried(adam, cast, rule={"id": typeid("rul", first.id), "enabled": False})["changed"] == 1
    assert Rule.get_by_id(first.id).match == clause("title", "contains", "disk")


def test_a_preview_of_a_rule_set_replaces_the_stored_rules(adam: Browser, cast: Cast) -> None:
    made = rule(cast.workspace, ANY, "log")
    accept(cast.source, NOW)
    retained = {"id": typeid("rul", made.id)}

    before_it = {"name": "First", "matchText": "any event", "then": {"disposition": "drop"}}
    assert tried(adam, cast, rules=[before_it, retained])["byDisposition"]["after"] == {"dropped": 1}
    assert tried(adam, cast, rules=[])["byDisposition"]["after"] == {"opened": 1}
    assert tried(adam, cast)["changed"] == 0


def test_a_preview_reads_only_events_of_its_period_sources_and_workspace(adam: Browser, cast: Cast) -> None:
    accept(cast.source, NOW)
    accept(cast.source, NOW + HOUR)
    accept(cast.foreign_source, NOW)
    source = [typeid("src", cast.source.id)]

    assert tried(adam, cast)["events"] == 2
    assert tried(adam, cast, since=NOW.isoformat(), until=(NOW + HOUR).isoformat())["events"] == 1
    assert tried(adam, cast, sourceIds=source)["events"] == 2
    foreign = requested(cast, sourceIds=[typeid("src", cast.foreign_source.id)])
    assert adam.post("/v1/rules/preview", foreign).json["errors"][0]["pointer"] == "/sourceIds/0"


@pytest.mark.parametrize(
    ("wrong", "pointer"),
    [
        ({"until": SINCE}, "/until"),
        ({"rule": {"matchText": "title is"}}, "/rule/matchText"),
        ({"rule": {"match": ANY}}, "/rule/then/disposition"),
        ({"rules": [{"id": "rul_01900000000070008000000001"}]}, "/rules/0/id"),
        ({"rule": {"matchText": "any event", "then": LOG}, "rules": []}, "/rules"),
    ],
)
def test_an_invalid_preview_is_refused_with_its_pointer(
    adam: Browser, cast: Cast, wrong: dict[str, Any], pointer: str
) -> None:
    answer = adam.post("/v1/rules/preview", requested(cast, **wrong))

    assert (answer.status_code, answer.json["errors"][0]["pointer"]) == (422, pointer)


def test_a_stored_event_is_explained_rule_by_rule(adam: Browser, cast: Cast) -> None:
    pager = listen(cast.workspace)
    rule(cast.workspace, {"any": [clause("title", "contains", "cpu"), {"not": clause("type", "exists", True)}]}, None,
         name="Passing", continue_matching=True)  # fmt: skip
    rule(cast.workspace, clause("severity", "eq", "INFO"), "drop", name="Low")
    rule(cast.workspace, ANY, "incident", name="Elsewhere", source_ids=[cast.foreign_source.id])
    rule(cast.workspace, ANY, "incident", name="Deciding")
    rule(cast.workspace, ANY, "log", name="Late")
    event_id = accept(cast.source, NOW)

    body = {"workspaceId": requested(cast)["workspaceId"], "eventId": typeid("evt", event_id)}
    reported = adam.post("/v1/rules/preview/event", body).json

    assert [(part["name"], part["result"]) for part in reported["rules"]] == [
        ("Passing", "matched"), ("Low", "no_match"), ("Elsewhere", "other_source"), ("Deciding", "decided"),
        ("Late", "not_evaluated"),
    ]  # fmt: skip
    assert [(step["clause"], step["matched"]) for step in reported["rules"][0]["clauses"]] == [
        ('title contains "cpu"', False), ("not type exists", True)
    ]  # fmt: skip
    assert (reported["after"]["disposition"], reported["after"]["reason"]) == ("opened", "opened")
    assert reported["notices"]["after"] == [{
        "reason": "opened",
        "text": "The incident opens. Notified: Pager.",
        "destinations": [{"destinationId": typeid("dst", pager.id), "name": "Pager", "decision": "notify",
                          "text": "Pager would be notified."}],
        "people": [],
    }]  # fmt: skip
    assert [part["text"] for part in reported["rules"]] == [
        'Rule "Passing" matches and continues to the next rule: not type exists (no value).',
        'Rule "Low" does not match. Not met: severity = INFO (value: "ERROR").',
        'Rule "Elsewhere" applies to other sources only.',
        'Rule "Deciding" matches and decides: any event.',
        'Rule "Late" is not evaluated: an earlier rule decided.',
    ]
    assert reported["after"]["text"] == "Event opened the incident."
    assert reported["after"]["reasons"][-1] == 'Rule "Deciding" opens or updates an incident.'


@pytest.mark.parametrize("enabled", [True, False], ids=["enabled", "disabled"])
def test_a_stored_match_above_the_limit_of_size_is_shown(adam: Browser, cast: Cast, enabled: bool) -> None:
    long = [clause("title", "in", [f"{place} {number} {'x' * 20}" for number in range(100)]) for place in range(49)]
    match = {"any": [*long, clause("title", "contains", "disk")]}
    assert matchers.json_bytes(match) > matchers.BYTES_LIMIT
    rule(cast.workspace, match, name="Large")
    Rule.update(enabled=enabled).execute()
    event_id = accept(cast.source, NOW, title="Disk full")

    body = {"workspaceId": requested(cast)["workspaceId"], "eventId": typeid("evt", event_id)}
    [shown] = adam.post("/v1/rules/preview/event", body).json["rules"]

    assert (shown["matched"], len(shown["clauses"])) == (True, 50)
    assert shown["result"] == ("decided" if enabled else "disabled")


def test_a_pasted_event_is_read_as_if_its_source_had_sent_it(adam: Browser, cast: Cast) -> None:
    silence(cast.workspace, clause("tags", "eq", "quiet"), present() - HOUR, ends_at=present() + HOUR)
    body = {
        "workspaceId": requested(cast)["workspaceId"],
        "sourceId": typeid("src", cast.source.id),
        "event": {"title": "Disk full", "severity": "crit", "tags": ["quiet"]},
        "rule": {"name": "All", "matchText": "severity >= ERROR", "then": {"disposition": "incident"}},
    }

    reported = adam.post("/v1/rules/preview/event", body).json
    assert (reported["event"]["eventId"], reported["event"]["severity"]) == (None, "CRITICAL")
    assert [part["result"] for part in reported["rules"]] == ["decided"]
    assert reported["after"]["act"] == "trigger_silenced"
    assert reported["after"]["text"] == "Event opened the incident under a silence: no notification."
    wrong = adam.post("/v1/rules/preview/event", {**body, "event": {"severity": "ERROR"}})
    assert (wrong.status_code, wrong.json["errors"][0]["pointer"]) == (422, "/event/title")
    foreign = adam.post("/v1/rules/preview/event", {**body, "sourceId": typeid("src", cast.foreign_source.id)})
    assert (foreign.status_code, foreign.json["errors"][0]["pointer"]) == (422, "/sourceId")
