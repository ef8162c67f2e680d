"""Of events that look the same the rules are asked once, as long as they would say the same (specification 6.2)."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta

from inbox.domain import ids
from inbox.domain.rule_action import RuleAction
from inbox.domain.rules import CachedVerdict, RuleActions, RuleSet, VerdictCache
from tests.domain.test_rules import HERE, SATURDAY, THERE, Event, clause, rule

DISK = RuleSet([rule(1, clause("title", "contains", "disk"), RuleActions(RuleAction.LOG)), rule(2, source_ids=[THERE])])
MORNING = {"timezone": None, "windows": [{"days": ["sat"], "start": "10:00", "end": "11:00"}]}


def asked(memory: VerdictCache, event: Event, rules: RuleSet = DISK) -> CachedVerdict:
    return memory.verdict(rules, event, ids.decode("src", event.source_id) or HERE, SATURDAY)


def test_what_looks_the_same_is_remembered() -> None:
    memory = VerdictCache()

    first = asked(memory, Event(severity=Event.severity))

    assert asked(memory, Event(body="Another", dedup_key="other")) is first
    assert asked(memory, Event(title="Disk empty")) is not first
    assert first.verdict is DISK.verdict(Event(), HERE, SATURDAY)


def test_each_source_and_each_rule_set_is_remembered_by_itself() -> None:
    memory, others = (
        VerdictCache(),
        RuleSet([rule(1, clause("title", "contains", "disk"), RuleActions(RuleAction.DROP))]),
    )
    here = Event(title="Network")
    there = replace(here, source_id=ids.encode("src", THERE))

    assert [asked(memory, event).verdict.target for event in (here, there)] == [None, RuleAction.INCIDENT]
    assert [asked(memory, Event(), rules).verdict.target for rules in (DISK, others)] == [
        RuleAction.LOG,
        RuleAction.DROP,
    ]


def test_what_rules_with_hours_say_holds_until_one_begins_or_ends() -> None:
    rules, memory = RuleSet([rule(1, active_during=MORNING)]), VerdictCache()
    start = SATURDAY  # ten o'clock in Berlin
    moments = [
        start - timedelta(seconds=1),
        start,
        start + timedelta(minutes=59, seconds=59),
        start + timedelta(hours=1),
    ]

    said = [memory.verdict(rules, Event(), HERE, at) for at in moments]

    assert [one.verdict.target for one in said] == [None, RuleAction.INCIDENT, RuleAction.INCIDENT, None]
    assert said[1] is said[2] and said[0] is said[3]


def test_the_record_is_written_once_and_is_that_of_the_verdict() -> None:
    said = asked(VerdictCache(), Event())

    record = said.record(Event())

    assert said.record(Event()) is record
    assert json.loads(record) == json.loads(said.verdict.record(Event()))
    assert record


def test_it_keeps_no_more_than_it_may() -> None:
    memory = VerdictCache(most=2)
    first = asked(memory, Event(title="Disk 1"))
    asked(memory, Event(title="Disk 2"))

    assert asked(memory, Event(title="Disk 1")) is first
    asked(memory, Event(title="Disk 3"))
    assert asked(memory, Event(title="Disk 1")) is not first
