"""Equal events of a source are evaluated once, as long as most events repeat (specification 6.2)."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime, timedelta
from sys import getsizeof
from typing import Any

from inbox.domain.routing.rule_action import RuleAction
from inbox.domain.routing.rules import RepeatCounter, RuleActions, RuleSet, Verdict, VerdictCache
from inbox.domain.routing.rules.ruleset import ENTRY_BYTES, MIN_REPEATS, PAUSE, PERIOD
from inbox.domain.values import ids
from tests.domain.routing.test_rules import HERE, SATURDAY, THERE, Event, clause, rule

DISK = RuleSet([rule(1, clause("title", "contains", "disk"), RuleActions(RuleAction.LOG)), rule(2, source_ids=[THERE])])
MORNING = {"timezone": None, "windows": [{"days": ["sat"], "start": "10:00", "end": "11:00"}]}


class Counted(RuleSet):
    """Counts its evaluations."""

    evaluations = 0

    def verdict(self, *event: Any) -> Verdict:
        self.evaluations += 1
        return super().verdict(*event)


def verdict(cache: VerdictCache, event: Event, rules: RuleSet = DISK, at: datetime = SATURDAY) -> tuple[Verdict, str]:
    return cache.verdict(rules, event, ids.decode("src", event.source_id) or HERE, at, RepeatCounter())


def test_events_with_the_same_matched_values_are_evaluated_once() -> None:
    cache, rules = VerdictCache(), Counted(DISK.rules)

    first = verdict(cache, Event(), rules)

    assert verdict(cache, Event(body="Another", dedup_key="other"), rules) is first
    assert rules.evaluations == 1
    assert verdict(cache, Event(title="Disk empty"), rules) is not first
    assert rules.evaluations == 2
    assert first[0] is rules.verdict(Event(), HERE, SATURDAY)


def test_each_source_and_each_rule_set_has_its_own_entries() -> None:
    cache, others = (
        VerdictCache(),
        RuleSet([rule(1, clause("title", "contains", "disk"), RuleActions(RuleAction.DROP))]),
    )
    here = Event(title="Network")
    there = replace(here, source_id=ids.encode("src", THERE))

    assert [verdict(cache, event)[0].target for event in (here, there)] == [None, RuleAction.INCIDENT]
    assert [verdict(cache, Event(), rules)[0].target for rules in (DISK, others)] == [RuleAction.LOG, RuleAction.DROP]


def test_the_verdict_of_rules_with_hours_holds_until_one_begins_or_ends() -> None:
    rules, cache = RuleSet([rule(1, active_during=MORNING)]), VerdictCache()
    start = SATURDAY  # ten o'clock in Berlin
    moments = [
        start - timedelta(seconds=1),
        start,
        start + timedelta(minutes=59, seconds=59),
        start + timedelta(hours=1),
    ]

    found = [verdict(cache, Event(), rules, at) for at in moments]

    assert [each.target for each, _ in found] == [None, RuleAction.INCIDENT, RuleAction.INCIDENT, None]
    assert found[1] is found[2]
    assert found[0] is found[3]


def test_the_record_equals_the_record_of_the_verdict() -> None:
    found, record = verdict(VerdictCache(), Event())

    assert json.loads(record) == json.loads(found.record(Event()))
    assert record


def test_a_full_cache_drops_the_oldest_verdict_alone() -> None:
    record = verdict(VerdictCache(), Event(title="Disk 1"))[1]
    cache = VerdictCache(max_bytes=2 * (ENTRY_BYTES + getsizeof(record)))
    first, second = verdict(cache, Event(title="Disk 1")), verdict(cache, Event(title="Disk 2"))

    verdict(cache, Event(title="Disk 3"))
    assert verdict(cache, Event(title="Disk 2")) is second
    assert verdict(cache, Event(title="Disk 1")) is not first


def test_a_source_whose_events_never_repeat_is_evaluated_without_the_cache_until_the_next_period() -> None:
    cache, rules, repeats = VerdictCache(), Counted(DISK.rules), RepeatCounter()
    for number in range(PERIOD):
        cache.verdict(rules, Event(title=f"Disk {number}"), HERE, SATURDAY, repeats)
    before = rules.evaluations

    for _ in range(PAUSE):
        cache.verdict(rules, Event(title="Disk 1"), HERE, SATURDAY, repeats)
    assert rules.evaluations == before + PAUSE

    cache.verdict(rules, Event(title="Disk 1"), HERE, SATURDAY, repeats)
    assert rules.evaluations == before + PAUSE


def test_a_source_with_enough_repeats_uses_the_cache_all_the_time() -> None:
    cache, rules, repeats = VerdictCache(), Counted(DISK.rules), RepeatCounter()
    titles = [f"Disk {number}" for number in range(PERIOD - MIN_REPEATS)]
    titles += ["Disk 1"] * (MIN_REPEATS + PERIOD)

    for title in titles:
        cache.verdict(rules, Event(title=title), HERE, SATURDAY, repeats)

    assert rules.evaluations == PERIOD - MIN_REPEATS


def test_verdict_and_record_are_the_same_without_the_cache() -> None:
    cache, paused = VerdictCache(), RepeatCounter()
    while paused.uses_cache():
        pass

    for title in ("Disk 1", "Network"):
        event = Event(title=title)
        assert cache.verdict(DISK, event, HERE, SATURDAY, paused) == verdict(cache, event)
