"""The distance of an event from a rule: the number of clauses that would have to change for a match."""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inbox.domain.routing import matchers
from inbox.domain.routing.preview.near_misses import MAX_NEAREST, RuleReport
from inbox.domain.values.severity import Severity
from tests.domain.routing.test_preview_memory import Stored, watched
from tests.domain.routing.test_rules import HERE, SATURDAY, THERE, Event, clause, rule

MOST_CLAUSES = 6


def trees() -> st.SearchStrategy[Any]:
    """Trees by their shape; `named` gives each clause its own tag."""
    return st.recursive(
        st.just("clause"),
        lambda inner: st.one_of(
            st.builds(lambda parts: {"all": parts}, st.lists(inner, min_size=1, max_size=3)),
            st.builds(lambda parts: {"any": parts}, st.lists(inner, min_size=1, max_size=3)),
            st.builds(lambda part: {"not": part}, inner),
        ),
        max_leaves=MOST_CLAUSES,
    )


def named(shape: Any, numbers: Any) -> Any:
    if shape == "clause":
        return clause("tags", "eq", f"t{next(numbers)}")
    [(word, inner)] = shape.items()
    return {word: [named(part, numbers) for part in inner] if isinstance(inner, list) else named(inner, numbers)}


@settings(max_examples=400, deadline=None)
@given(trees(), st.sets(st.integers(0, MOST_CLAUSES - 1)))
def test_the_number_of_missing_clauses_is_the_number_that_has_to_change(shape: Any, tags: set[int]) -> None:
    numbers = count()
    tree = named(shape, numbers)
    clauses = next(numbers)
    if matchers.check(tree):
        return
    matches, wants = matchers.compile_match(tree), RuleReport(rule(1, tree), {})

    def with_(numbers: set[int]) -> Event:
        return Event(tags=tuple(f"t{number}" for number in sorted(numbers)))

    every = [{place for place in range(clauses) if chosen >> place & 1} for chosen in range(1 << clauses)]
    tags = {number for number in tags if number < clauses}
    miss = wants.unmet(wants.satisfied(with_(tags), SATURDAY))

    assert miss.missing == min(len(tags ^ other) for other in every if matches(with_(other)))
    nearer = [
        place
        for place in range(clauses)
        if miss.missing and wants.unmet(wants.satisfied(with_(tags ^ {place}), SATURDAY)).missing < miss.missing
    ]
    assert [place for place in range(clauses) if miss.nearer >> place & 1] == nearer
    alone = [place for place in range(clauses) if matches(with_(tags ^ {place}))] if miss.missing else []
    assert alone == (nearer if miss.missing == 1 else [])


def test_each_sufficient_clause_of_a_failed_any_counts_and_a_not_is_negated() -> None:
    disk, prod, old = clause("title", "contains", "disk"), clause("tags", "eq", "prod"), clause("tags", "eq", "old")
    report, remembering = watched(rule(1, {"all": [{"any": [disk, prod]}, {"not": {"any": [old, prod]}}]}))

    for title, tags in (("CPU busy", ()), ("Disk full", ("old",)), ("Disk full", ()), ("CPU busy", ("old", "prod"))):
        remembering.verdicts(Stored(), Event(title, tags=tags))
    remembering.flush()

    shown = [
        (text, counters.satisfied, counters.sole_failure)
        for text, counters in zip(report.texts, report.counters, strict=True)
    ]
    assert shown == [
        ('title contains "disk"', 2, 1), ('tags = "prod"', 1, 1), ('not tags = "old"', 2, 1), ('not tags = "prod"', 3, 0)
    ]  # fmt: skip
    assert [miss.unmet.missing for miss, _ in report.nearest()] == [1, 1, 2]


def test_sources_are_a_clause_named_by_their_names() -> None:
    elsewhere = rule(1, clause("title", "contains", "disk"), source_ids=[THERE, HERE])
    wants = RuleReport(elsewhere, {THERE: "Cron", HERE: "Alerts"})
    other = RuleReport(rule(1, source_ids=[THERE]), {THERE: "Cron"})

    assert wants.texts == ["sourceIds: Alerts, Cron", 'title contains "disk"']
    assert wants.unmet(wants.satisfied(Event(), SATURDAY)).missing == 0
    assert other.unmet(other.satisfied(Event(), SATURDAY)).missing == 1
    assert other.record(Event(), SATURDAY) == [{"clause": "sourceIds: Cron", "matched": False, "value": "Prometheus"}]


def played(failures: list[int]) -> RuleReport[Stored]:
    """A rule of eight clauses and events that each fail those of a number's bits."""
    tags = [f"t{place}" for place in range(8)]
    report, remembering = watched(rule(1, {"all": [clause("tags", "eq", tag) for tag in tags]}))
    for failed in failures:
        held = tuple(tag for place, tag in enumerate(tags) if not failed >> place & 1)
        remembering.verdicts(Stored(), Event(tags=held))
    remembering.flush()
    return report


@pytest.mark.parametrize(
    ("kinds", "shown"), [(MAX_NEAREST - 1, MAX_NEAREST - 1), (MAX_NEAREST, MAX_NEAREST), (MAX_NEAREST + 1, MAX_NEAREST)]
)
def test_the_kinds_of_misses_shown_are_limited(kinds: int, shown: int) -> None:
    report = played([1 << place for place in range(kinds)])

    assert len(report.nearest()) == shown
    assert sum(counters.sole_failure for counters in report.counters) == kinds


def test_a_nearer_kind_takes_the_place_of_a_farther_one_and_all_of_it_are_counted() -> None:
    far, nearer = [0b111, 0b1110, 0b11100, 0b111000, 0b1110000], [0b11, 0b1]

    report = played([*far, *far, *nearer, *far, 0b11, 0b11, 0b1])

    assert [(miss.unmet.nearer, events) for miss, events in report.nearest()] == [
        (0b1, 2), (0b11, 3), (0b111, 3), (0b1110, 3), (0b11100, 3)
    ]  # fmt: skip


def test_clauses_that_do_not_decide_make_no_separate_kind_of_miss() -> None:
    either = {"any": [clause("tags", "eq", "a"), clause("tags", "eq", "b")]}
    report, remembering = watched(rule(1, {"all": [either, clause("title", "contains", "cpu")]}))

    for tags in (("a",), ("b",), ("a", "b")):
        remembering.verdicts(Stored(), Event(tags=tags))
    remembering.flush()

    assert [(miss.unmet.missing, events) for miss, events in report.nearest()] == [(1, 3)]


def test_the_most_frequent_of_equally_near_misses_comes_first() -> None:
    assert [miss.unmet.nearer for miss, _ in played([0b1, 0b10, 0b10, 0b100]).nearest()] == [0b10, 0b1, 0b100]


def test_misses_of_one_kind_are_kept_when_the_unmet_clause_reads_different_values() -> None:
    report, remembering = watched(rule(1, {"all": [clause("tags", "eq", "prdo"), clause("title", "contains", "disk")]}))

    for title, tag in (("Disk full", "a"), ("Disk full again", "a"), ("CPU busy", "a"), ("Disk full", "b")):
        remembering.verdicts(Stored(), Event(title, tags=(tag,)))
    remembering.flush()

    shown = [(miss.unmet.missing, miss.subject.tags[0], events) for miss, events in report.nearest()]
    assert shown == [(1, "a", 3), (1, "b", 3), (2, "a", 1)]


def test_a_different_kind_of_miss_replaces_a_repeated_kind_equally_near() -> None:
    report, remembering = watched(rule(1, {"all": [clause("tags", "eq", "prdo"), clause("title", "contains", "disk")]}))

    for number in range(MAX_NEAREST + 1):
        remembering.verdicts(Stored(), Event("Disk full", tags=(f"t{number}",)))
    remembering.verdicts(Stored(), Event("CPU busy", tags=("prdo",)))
    remembering.verdicts(Stored(), Event("CPU busy", tags=("dev",)))
    remembering.flush()

    shown = [(miss.unmet.missing, miss.subject.tags[0]) for miss, _ in report.nearest()]
    assert shown == [*[(1, f"t{number}") for number in range(MAX_NEAREST - 1)], (1, "prdo")]


def test_a_long_clause_is_cut() -> None:
    wants = RuleReport(rule(1, clause("title", "in", ["x" * 100, "y" * 100, "z" * 100])), {})

    assert (len(wants.texts[0]), wants.texts[0][-1]) == (200, "…")
    assert wants.record(Event(severity=Severity.INFO), SATURDAY)[0]["clause"] == wants.texts[0]
