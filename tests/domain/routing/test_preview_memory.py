"""A preview evaluates the rules once for events with equal relevant fields, and again for any difference."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

import pytest

from inbox.domain.routing.preview import verdict_cache
from inbox.domain.routing.preview.near_misses import RuleReport
from inbox.domain.routing.preview.verdict_cache import CachedRuleSets
from inbox.domain.routing.rule_action import RuleAction
from inbox.domain.routing.rules import Rule, RuleActions, RuleSet
from tests.domain.routing.test_rules import ANY, HERE, SATURDAY, Event, clause, rule

AN_HOUR = {"timezone": "UTC", "windows": [{"days": ["sat"], "start": "09:00", "end": "10:00"}]}


class Stored(NamedTuple):
    received_at: datetime = SATURDAY
    source_id: UUID = HERE


def watched(tried: Rule, *others: Rule) -> tuple[RuleReport[Stored], CachedRuleSets]:
    report = RuleReport[Stored](tried, {})
    return report, CachedRuleSets(RuleSet(others), RuleSet([*others, tried]), [report])


def test_a_key_in_quotes_is_looked_at_like_any_other() -> None:
    rules = RuleSet([rule(1, clause('metadata."k8s.io/team"', "eq", "db"), RuleActions(RuleAction.DROP))])
    remembering = CachedRuleSets(rules, RuleSet([]))
    events = [Event(metadata={"k8s.io/team": team}) for team in ("db", "web", "db")]

    stated = [remembering.verdicts(Stored(), event) for event in events]

    assert [(before.target, after.target) for before, after in stated] == [
        (RuleAction.DROP, None),
        (None, None),
        (RuleAction.DROP, None),
    ]
    assert stated[2] is stated[0]


@pytest.mark.parametrize("retained", [1, 2, 3, 50_000])
def test_misses_are_counted_whatever_the_size_of_the_cache(monkeypatch: pytest.MonkeyPatch, retained: int) -> None:
    monkeypatch.setattr(verdict_cache, "MAX_ENTRIES", retained)
    report, remembering = watched(rule(1, {"all": [clause("title", "eq", "a"), clause("tags", "eq", "x")]}))
    looks = [("a", "x"), ("a", "y"), ("b", "x"), ("b", "y"), ("a", "y"), ("a", "z"), ("b", "y")]

    for title, tag in looks:
        remembering.verdicts(Stored(), Event(title, tags=(tag,)))
    remembering.flush()

    assert report.matched == 1
    assert [(counters.satisfied, counters.sole_failure) for counters in report.counters] == [(4, 1), (2, 3)]
    shown = [(miss.unmet.missing, events, miss.subject.tags) for miss, events in report.nearest()]
    assert shown == [(1, 3, ("y",)), (1, 3, ("z",)), (1, 1, ("x",)), (2, 2, ("y",))]


def test_an_event_decided_by_earlier_rules_counts_as_preempted() -> None:
    report, remembering = watched(rule(2), rule(1, clause("title", "eq", "a"), RuleActions(RuleAction.LOG)))

    for title in ("a", "a", "b"):
        remembering.verdicts(Stored(), Event(title))
    remembering.flush()

    assert (report.matched, report.preempted, report.nearest()) == (3, 2, [])


def test_hours_are_a_clause_that_holds_from_their_first_minute_to_their_last() -> None:
    report, remembering = watched(rule(1, clause("title", "eq", "a"), active_during=AN_HOUR))
    hour, second = timedelta(hours=1), timedelta(seconds=1)
    times: list[Any] = [(-second, "a"), (-second, "b"), (0 * hour, "a"), (hour - second, "a"), (hour, "a"), (hour, "b")]

    for after, title in times:
        remembering.verdicts(Stored(SATURDAY + after), Event(title))
    remembering.flush()

    assert report.matched == 2
    assert report.texts == ['title = "a"', "activeDuring: sat 09:00-10:00 UTC"]
    assert [(counters.satisfied, counters.sole_failure) for counters in report.counters] == [(4, 0), (2, 2)]
    shown = [
        (miss.unmet.missing, events, report.record(miss.subject, miss.event.received_at))
        for miss, events in report.nearest()
    ]
    during = {"clause": "activeDuring: sat 09:00-10:00 UTC", "matched": False}
    assert [(missing, events, record[1]) for missing, events, record in shown] == [
        (missing, 2, {**during, "value": value}) for missing in (1, 2) for value in ("sat 08:59", "sat 10:00")
    ]


def test_a_rule_that_matches_any_event_has_no_clause_and_misses_nothing() -> None:
    report, remembering = watched(rule(1, ANY))

    remembering.verdicts(Stored(), Event())
    remembering.flush()

    assert (report.matched, report.counters, report.nearest()) == (1, [], [])
