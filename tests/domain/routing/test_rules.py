"""Verdicts of a workspace's rules: order, sources, hours, continue, and combinations (specification 6.2)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inbox.domain.routing.rule_action import RuleAction
from inbox.domain.routing.rules import OpenAfter, Rule, RuleActions, RuleSet, conflicts
from inbox.domain.values import ids
from inbox.domain.values.severity import Severity

SATURDAY = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
HERE, THERE = UUID(int=1), UUID(int=2)
PAGER, CHAT = UUID(int=11), UUID(int=12)
ANY: dict[str, Any] = {"all": []}


@dataclass
class Event:
    title: str = "Disk full"
    severity: Severity = Severity.ERROR
    action: str = "trigger"
    type: str | None = None
    resource: str | None = None
    dedup_key: str | None = None
    external_id: str | None = None
    url: str | None = None
    body: str | None = None
    tags: tuple[str, ...] = ()
    metadata: dict[str, Any] | None = None
    source_id: str = ids.encode("src", HERE)
    source_name: str = "Prometheus"


def clause(field: str, op: str, value: Any) -> dict[str, Any]:
    return {"field": field, "op": op, "value": value}


def rule(number: int = 1, match: Any = ANY, then: RuleActions | None = None, **more: Any) -> Rule:
    row = {
        "id": UUID(int=100 + number),
        "name": f"Rule {number}",
        "source_ids": [],
        "match": match,
        "active_during": None,
        "open_after": None,
        "actions": (then or RuleActions(RuleAction.INCIDENT)).record(),
        "continue_matching": False,
        **more,
    }
    return Rule.of(SimpleNamespace(**row), "Europe/Berlin")


def names(rules: tuple[Rule, ...]) -> list[str]:
    return [each.name for each in rules]


def test_the_first_rule_that_matches_decides() -> None:
    rules = RuleSet([
        rule(1, clause("title", "contains", "network"), RuleActions(RuleAction.DROP)),
        rule(2, clause("title", "contains", "disk"), RuleActions(RuleAction.LOG)),
        rule(3, ANY, RuleActions(RuleAction.INCIDENT)),
    ])  # fmt: skip

    verdict = rules.verdict(Event(), HERE, SATURDAY)

    assert (verdict.rule, verdict.target, names(verdict.matched)) == (rules.rules[1], RuleAction.LOG, ["Rule 2"])
    assert rules.verdict(Event("Network down"), HERE, SATURDAY).target is RuleAction.DROP


def test_rules_decide_nothing_when_none_matches() -> None:
    rules = RuleSet([rule(1, clause("title", "contains", "network"))])

    verdict = rules.verdict(Event(), HERE, SATURDAY)

    assert (verdict.rule, verdict.target, verdict.matched, verdict.record(Event())) == (None, None, (), "")
    assert RuleSet([]).verdict(Event(), HERE, SATURDAY).target is None


def test_a_rule_with_sources_is_evaluated_for_their_events_only() -> None:
    rules = RuleSet(
        [rule(1, source_ids=[THERE], then=RuleActions(RuleAction.DROP)), rule(2, then=RuleActions(RuleAction.LOG))]
    )

    assert rules.verdict(Event(), HERE, SATURDAY).target is RuleAction.LOG
    assert rules.verdict(Event(), THERE, SATURDAY).target is RuleAction.DROP
    assert rules.verdict(Event(), HERE, SATURDAY).target is RuleAction.LOG


def test_a_rule_with_hours_holds_from_their_start_to_before_their_end_by_the_clock_of_the_workspace() -> None:
    hours = {"timezone": None, "windows": [{"days": ["sat"], "start": "10:00", "end": "11:00"}]}
    rules = RuleSet([rule(1, active_during=hours)])

    def is_met(at: datetime) -> bool:
        return rules.verdict(Event(), HERE, at).rule is not None

    assert [is_met(SATURDAY + timedelta(minutes=minutes)) for minutes in (-1, 0, 59, 60)] == [False, True, True, False]
    assert not is_met(SATURDAY + timedelta(days=1))
    assert [is_met(SATURDAY + timedelta(seconds=seconds)) for seconds in (-0.001, 0, 3599.999)] == [False, True, True]
    assert [is_met(SATURDAY + timedelta(minutes=minutes)) for minutes in range(10_050)].count(True) == 60
    assert is_met(SATURDAY) and not is_met(SATURDAY - timedelta(microseconds=1))


def test_continuing_rules_add_tags_and_destinations_and_the_last_rule_sets_other_fields() -> None:
    rules = RuleSet([
        rule(1, then=RuleActions(None, Severity.WARNING, ("a",), ("type",), (PAGER,), HERE, timedelta(minutes=5)), continue_matching=True),
        rule(2, clause("title", "contains", "nothing of the kind"), RuleActions(add_tags=("never",)), continue_matching=True),
        rule(3, then=RuleActions(None, Severity.CRITICAL, ("b", "a"), (), (CHAT, PAGER)), continue_matching=True),
        rule(4, then=RuleActions(RuleAction.INCIDENT, None, ("c",), ("title",), (), THERE), open_after={"count": 3, "withinMinutes": 5}),
        rule(5, then=RuleActions(RuleAction.DROP)),
    ])  # fmt: skip

    verdict = rules.verdict(Event(), HERE, SATURDAY)

    assert names(verdict.matched) == ["Rule 1", "Rule 3", "Rule 4"]
    assert (verdict.rule, verdict.target) == (rules.rules[3], RuleAction.INCIDENT)
    assert (verdict.severity, verdict.tags) == (Severity.CRITICAL, ("a", "b", "c"))
    assert (verdict.group_by, verdict.destination_ids) == (("title",), (PAGER, CHAT))
    assert (verdict.routing_profile_id, verdict.snooze) == (THERE, timedelta(minutes=5))
    assert verdict.open_after == OpenAfter(3, timedelta(minutes=5))


def test_the_last_continuing_rule_with_a_disposition_decides() -> None:
    says, tags = RuleActions(RuleAction.DROP), RuleActions(add_tags=("x",))
    rules = RuleSet([rule(1, then=says, continue_matching=True), rule(2, then=tags, continue_matching=True)])
    silent = RuleSet([rule(1, then=tags, continue_matching=True)])

    verdict, open_one = rules.verdict(Event(), HERE, SATURDAY), silent.verdict(Event(), HERE, SATURDAY)

    assert (verdict.rule, verdict.target, verdict.tags) == (rules.rules[0], RuleAction.DROP, ("x",))
    assert (open_one.rule, open_one.target, open_one.tags) == (None, None, ("x",))


def test_the_deciding_rule_alone_sets_open_after() -> None:
    waits = {"count": 2, "withinMinutes": 1}
    rules = RuleSet([rule(1, open_after=waits, continue_matching=True), rule(2)])

    assert rules.verdict(Event(), HERE, SATURDAY).open_after is None


def test_an_unreadable_rule_is_skipped_and_shown() -> None:
    broken = rule(1, {"no": "match"}, RuleActions(RuleAction.DROP))
    rules = RuleSet([broken, rule(2, then=RuleActions(RuleAction.LOG))])

    verdict = rules.verdict(Event(), HERE, SATURDAY)

    assert verdict.target is RuleAction.LOG
    assert json.loads(verdict.record(Event()))[1:] == [
        {"ruleId": ids.encode("rul", broken.id), "name": "Rule 1", "error": broken.error}
    ]
    assert broken.error


@pytest.mark.parametrize(
    "broken",
    [
        {"active_during": {"timezone": "Nowhere/Nothing", "windows": []}},
        {"actions": {"disposition": "explode"}},
        {"open_after": {}},
    ],
)
def test_a_rule_of_which_any_part_cannot_be_read_is_passed_over(broken: dict[str, Any]) -> None:
    rules = RuleSet([rule(1, **broken), rule(2)])

    assert rules.verdict(Event(), HERE, SATURDAY).rule is rules.rules[1]
    assert rules.invalid == (rules.rules[0],)


def test_the_routing_trace_names_each_matching_rule_and_its_clauses() -> None:
    disk = clause("title", "contains", "disk")
    rules = RuleSet([
        rule(1, then=RuleActions(add_tags=("x",)), continue_matching=True),
        rule(2, {"all": [disk, clause("severity", "gte", "WARNING")]}),
    ])  # fmt: skip

    trace = json.loads(rules.verdict(Event(), HERE, SATURDAY).record(Event()))

    assert [(each["name"], each["decided"]) for each in trace] == [("Rule 1", False), ("Rule 2", True)]
    assert trace[1]["ruleId"] == ids.encode("rul", rules.rules[1].id)
    assert [(step["matched"], step["value"]) for step in trace[1]["clauses"]] == [(True, "Disk full"), (True, "ERROR")]


def test_a_rule_set_states_the_columns_that_it_needs() -> None:
    rules = RuleSet([rule(1, clause("body", "contains", "x")), rule(2, clause("metadata.team", "eq", "db"))])

    assert rules.needs == {"body", "metadata"}
    assert RuleSet([rule(1), rule(2, {"no": "match"})]).needs == frozenset()


def test_rule_actions_are_stored_as_the_api_shows_them() -> None:
    then = RuleActions(
        RuleAction.INCIDENT, Severity.ERROR, ("db",), ("type",), (PAGER, CHAT), HERE, timedelta(hours=2)
    )  # fmt: skip
    stored = then.record()

    assert stored == {
        "disposition": "incident", "severity": "ERROR", "addTags": ["db"], "groupBy": ["type"], "resolveWhen": "all",
        "destinationIds": [ids.encode("dst", PAGER), ids.encode("dst", CHAT)],
        "routingProfileId": ids.encode("prf", HERE), "snoozeMinutes": 120, "runbookUrl": None, "people": [],
    }  # fmt: skip
    assert RuleActions.of(stored) == then
    assert RuleActions.of(RuleActions().record()) == RuleActions()
    assert OpenAfter.of(OpenAfter(3, timedelta(minutes=10)).record()) == OpenAfter(3, timedelta(minutes=10))


@pytest.mark.parametrize(
    ("then", "opens_late", "goes_on", "pointers"),
    [
        (RuleActions(None), False, False, ["/then/disposition"]),
        (RuleActions(None), False, True, []),
        (RuleActions(None), True, True, ["/openAfter"]),
        (RuleActions(RuleAction.INCIDENT, None, (), (), (PAGER,), HERE, timedelta(minutes=1)), True, False, []),
        (RuleActions(RuleAction.NOTIFY, None, (), (), (PAGER,)), False, False, []),
        (RuleActions(RuleAction.NOTIFY, None, (), (), (), HERE, timedelta(minutes=1)), True, False,
         ["/openAfter", "/then/routingProfileId", "/then/snoozeMinutes"]),
        (RuleActions(RuleAction.LOG, Severity.ERROR, ("x",), ("type",)), False, False, []),
        (RuleActions(RuleAction.LOG, None, (), (), (PAGER,)), False, False, ["/then/destinationIds"]),
        (RuleActions(RuleAction.DROP, None, (), (), (PAGER,), HERE), False, False,
         ["/then/destinationIds", "/then/routingProfileId"]),
        (RuleActions(RuleAction.LOG, None, (), (), (PAGER,), HERE), False, True, []),
    ],
)  # fmt: skip
def test_actions_that_can_never_take_effect_are_refused(
    then: RuleActions, opens_late: bool, goes_on: bool, pointers: list[str]
) -> None:
    assert [fault.pointer for fault in conflicts(then, has_open_after=opens_late, continues=goes_on)] == pointers


THENS = st.builds(
    RuleActions,
    st.sampled_from([None, RuleAction.INCIDENT, RuleAction.LOG, RuleAction.NOTIFY, RuleAction.DROP]),
    st.sampled_from([None, Severity.WARNING, Severity.CRITICAL]),
    st.lists(st.sampled_from("abc"), unique=True).map(tuple),
    st.sampled_from([(), ("type",), ("title",)]),
    st.lists(st.sampled_from([PAGER, CHAT, HERE]), unique=True).map(tuple),
    st.sampled_from([None, HERE, THERE]),
    st.sampled_from([None, timedelta(minutes=1), timedelta(minutes=2)]),
)
DRAWN = st.tuples(
    THENS, st.booleans(), st.sampled_from([[], [HERE], [THERE], [HERE, THERE]]), st.sampled_from(["Disk", "full", "no"])
)


@settings(deadline=None)
@given(st.lists(DRAWN, max_size=6), st.sampled_from([HERE, THERE]))
def test_the_verdict_of_any_rule_set_equals_a_naive_evaluation(drawn: list[Any], source: UUID) -> None:
    rules = RuleSet([
        rule(n, clause("title", "contains", word), then, source_ids=sources, continue_matching=goes_on)
        for n, (then, goes_on, sources, word) in enumerate(drawn)
    ])  # fmt: skip
    stated: dict[str, Any] = {"target": None, "severity": None, "profile": None, "snooze": None, "group_by": ()}
    tags: list[str] = []
    reported: list[UUID] = []
    for then, goes_on, sources, word in drawn:
        if word == "no" or (sources and source not in sources):
            continue
        tags += [tag for tag in then.add_tags if tag not in tags]
        reported += [each for each in then.destination_ids if each not in reported]
        stated["target"] = then.disposition or stated["target"]
        stated["severity"] = then.severity or stated["severity"]
        stated["profile"] = then.routing_profile_id or stated["profile"]
        stated["snooze"] = then.snooze or stated["snooze"]
        stated["group_by"] = then.group_by or stated["group_by"]
        if not goes_on:
            break

    verdict = rules.verdict(Event(), source, SATURDAY)

    assert {
        "target": verdict.target, "severity": verdict.severity, "profile": verdict.routing_profile_id,
        "snooze": verdict.snooze, "group_by": verdict.group_by,
    } == stated  # fmt: skip
    assert (list(verdict.tags), list(verdict.destination_ids)) == (tags, reported)
    assert (verdict.rule is None) == (verdict.target is None)
