"""The rulebook of the measurement: the service accepts it, and events match rules throughout the order."""

from __future__ import annotations

import json
from collections import Counter
from types import SimpleNamespace

from bench import rule_fixture
from bench.load import TEAMS, alert, requests
from inbox.domain.routing import matchers
from inbox.domain.values.severity import Severity

EVENTS = 5_000


def test_the_rule_fixture_has_the_stated_number_of_valid_rules() -> None:
    rules = rule_fixture.rules(["prf_x"] * rule_fixture.PROFILES)

    assert len(rules) == rule_fixture.RULES
    assert [fault for rule in rules for fault in matchers.check(matchers.from_text(rule["matchText"]))] == []


def test_four_of_five_alerts_are_decided_by_a_rule_and_by_many_different_ones() -> None:
    rules = [rule for rule in rule_fixture.rules(["prf_x"] * rule_fixture.PROFILES) if not rule.get("continue")]
    tests = [matchers.compile_match(matchers.from_text(rule["matchText"])) for rule in rules]
    decided: Counter[int] = Counter()
    for number in range(EVENTS):
        sent = alert(number)
        subject = SimpleNamespace(
            **{name: sent[name] for name in ("title", "type", "resource", "body", "tags", "metadata")},
            severity=Severity(sent["severity"]), action="trigger", dedup_key=sent["dedupKey"], url=None,
            external_id=None, source_id="src_x", source_name="Bench",
        )  # fmt: skip
        decided[next((place for place, holds in enumerate(tests) if holds(subject)), -1)] += 1

    assert decided[-1] == EVENTS // 5
    assert len(decided) - 1 == TEAMS * 4 // 5


def test_a_request_of_alerts_has_a_hundred_with_the_fields_of_the_rules() -> None:
    _, _, body = next(requests("alerts", ["svc_src_x"], 50)).partition(b"\r\n\r\n")

    events = json.loads(body)["events"]

    assert len(events) == 100
    assert all({"metadata", "tags", "resource", "type"} <= event.keys() for event in events)
