"""Hostile set-ups: any text gives items, notes or a refusal, in bounded work (specification 22.2)."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from inbox.domain.heartbeats import schedule
from inbox.domain.routing import matchers
from inbox.intake.importers import alertmanager, bounded_yaml, crontab, plan
from inbox.intake.importers.plan import MAX_ITEMS, MAX_NOTES, ItemKind, Plan, Unreadable

ANY = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
"""Texts as JSON and YAML may have them: both readers refuse half a surrogate."""
FIELD = st.sampled_from(["*", "0", "*/5", "1-5", "MON", "L", "61", "~", "@", "1,2", "x", "\0", "31"]) | ANY
SCHEDULE = st.lists(FIELD, min_size=5, max_size=5).map(" ".join) | st.sampled_from(
    ["@daily", "@reboot", "@often", "0 0 30 2 *", "0 0 29 2 *", "30 2 * * *", "* * * * *"]
)
COMMAND = st.sampled_from(["/bin/a --all", "A=1 B='2 3' job x", "%", "true", "a\\%b"]) | ANY
SETTING = st.sampled_from(["CRON_TZ=Europe/Berlin", "CRON_TZ=No/Where", "MAILTO=", 'A="b', "=", "# note"])
LINE = st.tuples(SCHEDULE, COMMAND).map(" ".join) | SETTING | ANY


def check(made: Plan) -> None:
    """What holds of every plan."""
    assert len(made.items) <= MAX_ITEMS
    assert max(len(made.left_out), len(made.warnings)) <= MAX_NOTES
    references = [each.reference for each in made.items]
    assert len(set(references)) == len(references)
    for item in made.items:
        assert 0 < len(item.name) <= plan.NAME_LIMIT and "\0" not in item.name
        assert len(item.reference) <= plan.REFERENCE_LIMIT
        assert item.name.encode()


@settings(max_examples=300, deadline=None)
@given(lines=st.lists(LINE, max_size=8), has_user=st.booleans())
def test_each_line_of_a_crontab_becomes_a_monitor_or_is_named(lines: list[str], has_user: bool) -> None:
    text = "\n".join(lines)

    made = crontab.read(text, timezone="UTC", has_user=has_user)

    check(made)
    jobs = [
        line for line in map(str.strip, text.splitlines())
        if line and not line.startswith("#") and not crontab._SETTING.match(line)
    ]  # fmt: skip
    monitors = [item for item in made.items if item.kind is ItemKind.MONITOR]
    assert len(monitors) + len(made.left_out) == len(jobs)
    for item in monitors:
        stored = item.fields["schedule"]
        assert schedule.normalized(stored["expression"]) == stored["expression"]
        assert 300 <= item.fields["grace_seconds"] <= plan.LONGEST_GRACE.total_seconds()


@pytest.mark.parametrize(("line", "is_read"), [("0 0 * * * job", True), ("0 0 61 * * job", False)])
def test_a_crontab_of_any_length_takes_bounded_work_and_says_where_it_ends(line: str, is_read: bool) -> None:
    made = crontab.read(f"{line}\n" * 20_000, timezone="UTC", has_user=False)

    check(made)
    last = MAX_ITEMS if is_read else crontab.MOST_JOBS + 1
    assert any(f"Line {last} " in each for each in made.warnings)
    assert len(made.items) == (MAX_ITEMS if is_read else 1)


@pytest.mark.parametrize("above", [0, 1])
def test_the_last_line_that_is_read_is_at_the_limit(above: int) -> None:
    made = crontab.read("0 0 * * * job\n" * (MAX_ITEMS - 1 + above), timezone="UTC", has_user=False)

    assert (len(made.items), len(made.warnings)) == (MAX_ITEMS, above)


VALUE = st.none() | st.booleans() | st.integers() | st.floats() | ANY
MATCHER = st.sampled_from(['team="db"', "a=~b.*", "a!~(", "{a=b,c!=d}", "0=1", 'x="', "a=", "a!="]) | ANY
ROUTE: st.SearchStrategy[Any] = st.recursive(
    st.fixed_dictionaries(
        {},
        optional={
            "receiver": st.sampled_from(["ops", "null", "none"]) | VALUE,
            "matchers": st.lists(MATCHER, max_size=3) | VALUE,
            "match": st.dictionaries(ANY, VALUE, max_size=2) | VALUE,
            "match_re": st.dictionaries(st.sampled_from(["a", "team"]), VALUE, max_size=2),
            "continue": VALUE,
            "group_by": st.lists(ANY, max_size=2),
            "mute_time_intervals": st.lists(ANY, max_size=2),
        },
    ),
    lambda child: st.builds(
        lambda route, routes: {**route, "routes": routes}, child, st.lists(child | VALUE, max_size=3) | VALUE
    ),
    max_leaves=8,
)


@settings(max_examples=300, deadline=None)
@given(route=ROUTE, receivers=st.lists(st.dictionaries(st.sampled_from(["name", "slack_configs"]), VALUE), max_size=2))
def test_each_route_of_alertmanager_becomes_a_rule_or_is_named(route: Any, receivers: list[Any]) -> None:
    text = yaml.safe_dump({"route": route, "receivers": receivers}, allow_unicode=True)

    made = alertmanager.read(text)

    check(made)
    rules = [item for item in made.items if item.kind is ItemKind.RULE]
    assert rules or made.left_out
    assert [fault for item in rules for fault in matchers.check(item.fields["match"])] == []


@settings(max_examples=200, deadline=None)
@given(text=st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from("{}[]:-&*<\n '\"!|>"), max_size=80))
def test_any_text_is_a_configuration_of_alertmanager_or_a_clear_refusal(text: str) -> None:
    try:
        check(alertmanager.read(text))
    except Unreadable as refused:
        assert str(refused)


def levels(number: int, leaf: str, inner: str, refs: int = 8) -> str:
    """A document in which each level refers to the one below several times."""
    lines = [f"l0: &l0 {leaf}"]
    for level in range(1, number):
        below = ",".join([f"*l{level - 1}"] * refs)
        lines.append(f"l{level}: &l{level} {{{inner}: [{below}]}}")
    return "\n".join([*lines, f"route: {{receiver: a, {inner}: [*l{number - 1}]}}"])


@pytest.mark.parametrize(
    "text",
    [
        levels(12, "{match: {'0bad': x}}", "routes"),
        levels(12, "{receiver: b}", "routes"),
        levels(12, "{a: 1, b: 2}", "<<"),
        "route: &r {receiver: a, routes: [*r, *r]}",
        "route: &r {<<: *r}",
        "route: *nothing",
        "[" * 200_000,
        "- " * 100_000,
        "route: " + "{a: " * 50_000,
        "route:\n  routes: [" + "{}," * 60_000 + "]",
    ],
    ids=["bad routes", "routes", "merges", "itself", "merge of itself", "unknown", "lists", "lines", "objects", "wide"],
)
def test_a_configuration_that_expands_or_nests_without_end_is_refused_at_once(text: str) -> None:
    with pytest.raises(Unreadable):
        alertmanager.read(text)


@pytest.mark.parametrize("above", [0, 1])
def test_levels_and_values_are_read_up_to_their_limits(above: int) -> None:
    deep = "[" * (bounded_yaml.DEEPEST + above) + "]" * (bounded_yaml.DEEPEST + above)
    wide = "[" + "1," * (bounded_yaml.MOST_NODES - 1 + above) + "]"
    referring = "- &a [1, 1]\n" + "- *a\n" * 10 + "- " + "[" + "1," * (bounded_yaml.MOST_NODES - 35 + above) + "]"

    for text in (deep, wide, referring):
        if above:
            with pytest.raises(Unreadable, match="more than"):
                bounded_yaml.document(text)
        else:
            assert bounded_yaml.document(text)


def test_references_and_merges_of_a_usual_file_are_read() -> None:
    document = bounded_yaml.document("a: &a {x: 1}\nb: {<<: *a, y: 2}\nc: *a")

    assert document == {"a": {"x": "1"}, "b": {"x": "1", "y": "2"}, "c": {"x": "1"}}


@pytest.mark.parametrize(
    "value",
    [
        *("!!timestamp foo", "!!bool maybe", "!!int ''", "!!float ''", "!!int '-'", "!!int '1:59'", "!!str x", "! x"),
        *("!!seq [a]", "!!map {a: b}", "!<tag:yaml.org,2002:int> ''", "!secret x", "!!binary eA=="),
    ],
)
def test_a_value_with_a_tag_is_refused_with_its_line(value: str) -> None:
    with pytest.raises(Unreadable, match="tag in line 2"):
        alertmanager.read(f"route:\n  a: {value}")


@pytest.mark.parametrize(
    "value",
    [
        *("1", "010", "0x1F", "0b1", "1_000", "1:59:59", "1:59.5", ".5", "1e3", ".inf", "2026-01-01", "2026-99-99"),
        *("yes", "No", "on", "true", "=", "1:" + "59:" * 170_000 + "59", "1" * 500_000, "0x" + "f" * 500_000),
    ],
    ids=lambda value: value[:12],
)
def test_a_value_is_its_literal_text(value: str) -> None:
    assert bounded_yaml.document(f"a: {value}") == {"a": value}


@pytest.mark.parametrize("value", ["", "~", "null"])
def test_a_missing_yaml_value_is_none(value: str) -> None:
    assert bounded_yaml.document(f"a: {value}") == {"a": None}
