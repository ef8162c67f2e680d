"""Configurations of Alertmanager: routes become rules in an order with the same decisions (specification 22.5)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
import yaml

from inbox.domain.routing import matchers
from inbox.intake.importers import alertmanager, alertmanager_silences
from inbox.intake.importers.alertmanager_matchers import BadMatchers, clause_of
from inbox.intake.importers.plan import Item, ItemKind, Plan, Unreadable

RECEIVERS = [
    {"name": "default", "webhook_configs": [{"url": "http://x"}]},
    {"name": "pager", "pagerduty_configs": [{}]},
    {"name": "nobody"},
]


def read(route: dict[str, Any], **more: Any) -> Plan:
    return alertmanager.read(yaml.safe_dump({"route": route, "receivers": RECEIVERS, **more}))


def rules(made: Plan) -> list[Item]:
    return [item for item in made.items if item.kind is ItemKind.RULE]


def texts(made: Plan) -> list[str]:
    return [matchers.to_text(item.fields["match"]) for item in rules(made)]


def test_children_come_before_their_parent_and_have_its_matchers() -> None:
    made = read(
        {
            "receiver": "default",
            "routes": [
                {
                    "matchers": ['team="db"'],
                    "receiver": "pager",
                    "routes": [{"matchers": ['severity="info"'], "receiver": "nobody"}],
                },
                {"match": {"team": "web"}},
            ],
        }
    )

    assert texts(made) == [
        'metadata.labels.team = "db" and metadata.labels.severity = "info"',
        'all (metadata.labels.team = "db")',
        'all (metadata.labels.team = "web")',
        "any event",
    ]
    assert [item.destinations for item in rules(made)] == [(), ("pager",), ("default",), ("default",)]
    assert [item.fields["then"]["disposition"] for item in rules(made)] == ["log", "incident", "incident", "incident"]
    assert all(item.source == "alertmanager" for item in rules(made))


def test_a_route_that_continues_is_a_rule_that_continues_and_warns() -> None:
    made = read({"receiver": "default", "routes": [{"matchers": ['a="b"'], "continue": True}]})

    first, last = rules(made)
    assert (first.fields["continue_matching"], last.fields["continue_matching"]) == (True, False)
    assert any("parent" in each for each in first.warnings)


@pytest.mark.parametrize("written", ["true", "yes", "On", "TRUE"])
def test_continue_is_read_in_each_spelling_of_yaml(written: str) -> None:
    made = alertmanager.read(f"route: {{receiver: a, routes: [{{match: {{a: b}}, continue: {written}}}]}}")

    assert [item.fields["continue_matching"] for item in rules(made)] == [True, False]


def ends_early(made: Plan) -> list[bool]:
    """For each rule, whether it warns that routes after it apply in Alertmanager."""
    return [any("No rule after" in each for each in item.warnings) for item in rules(made)]


def test_a_route_below_one_that_continues_warns_where_others_follow() -> None:
    team = {
        "match": {"team": "db"},
        "receiver": "default",
        "continue": True,
        "routes": [{"match": {"severity": "critical"}, "receiver": "pager"}],
    }
    audit = {"match": {"severity": "critical"}, "receiver": "default"}

    followed = read({"receiver": "default", "routes": [team, audit]})
    last = read({"receiver": "default", "routes": [audit, team]})
    alone = read({"receiver": "default", "routes": [{**team, "continue": False}, audit]})

    assert ends_early(followed) == [True, False, False, False]
    assert [item.fields["continue_matching"] for item in rules(followed)] == [False, True, False, False]
    assert not any(ends_early(last)) and not any(ends_early(alone))


def test_all_routes_below_a_continuing_route_warn_unless_they_continue() -> None:
    leaf = {"match": {"c": "1"}, "routes": [{"match": {"d": "1"}, "continue": True}, {"match": {"d": "2"}}]}
    top = {"match": {"a": "1"}, "continue": True, "routes": [leaf]}

    made = read({"receiver": "default", "routes": [top, {"match": {"b": "1"}}]})

    assert ends_early(made) == [False, True, True, False, False, False]


def test_the_root_has_no_routes_after_it() -> None:
    made = read({"receiver": "default", "continue": True, "routes": [{"match": {"a": "1"}}, {"match": {"b": "1"}}]})

    assert not any(ends_early(made))


@pytest.mark.parametrize("name", ["match", "match_re"])
@pytest.mark.parametrize("value", ["''", '""', "", "~"])
def test_an_empty_value_of_a_mapping_is_a_missing_label(name: str, value: str) -> None:
    made = alertmanager.read(f"route: {{receiver: a, routes: [{{{name}: {{team: {value}}}}}]}}")

    match = rules(made)[0].fields["match"]
    assert {"field": "metadata.labels.team", "op": "exists", "value": False} in (
        match["all"] if name == "match" else match["all"][0]["any"]
    )


@pytest.mark.parametrize("value", ["010", "yes", "2026-01-01", "1:30", "' a '"])
def test_a_value_of_a_mapping_is_its_literal_text(value: str) -> None:
    made = alertmanager.read(f"route: {{receiver: a, routes: [{{match: {{team: {value}}}}}]}}")

    [clause] = rules(made)[0].fields["match"]["all"]
    assert clause == {"field": "metadata.labels.team", "op": "eq", "value": value.strip("'")}


@pytest.mark.parametrize("written", ["[a]", "text", "{team: [a]}", "{team: {a: b}}", "{~: a}", "{'': a}"])
def test_a_mapping_that_is_none_leaves_its_route_out(written: str) -> None:
    made = alertmanager.read(f"route: {{receiver: a, routes: [{{match: {written}}}]}}")

    assert texts(made) == ["any event"]
    assert "routes below it are left out" in made.left_out[0].reason


@pytest.mark.parametrize(
    ("matcher", "text"),
    [
        (("a", "=", "b"), 'all (metadata.labels.a = "b")'),
        (("a", "!=", "b"), 'all (not metadata.labels.a = "b")'),
        (("a", "=", ""), "all (metadata.labels.a missing)"),
        (("a", "!=", ""), "all (metadata.labels.a exists)"),
        (("a", "=~", "b|c"), 'all (metadata.labels.a matches "^(?:b|c)$")'),
        (("a", "!~", "b.+"), 'all (not metadata.labels.a matches "^(?:b.+)$")'),
        (("a", "=~", ".*"), 'all (metadata.labels.a missing or metadata.labels.a matches "^(?:.*)$")'),
        (("a", "=~", "(b|)"), 'all (metadata.labels.a missing or metadata.labels.a matches "^(?:(b|))$")'),
    ],
)
def test_a_matcher_means_the_same_as_in_alertmanager(matcher: tuple[str, str, str], text: str) -> None:
    found = clause_of(*matcher).clause

    assert matchers.check({"all": [found]}) == []
    written = matchers.to_text({"all": [found]})
    assert matchers.from_text(written) == matchers.canonical({"all": [found]})
    assert matchers.canonical(matchers.from_text(text)) == matchers.canonical({"all": [found]})


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (['a="x,y"', "b=~c"], ['metadata.labels.a = "x,y"', 'metadata.labels.b matches "^(?:c)$"']),
        (['{a="b", c!="d"}'], ['metadata.labels.a = "b"', 'not metadata.labels.c = "d"']),
        (['a = "q\\"r"'], ['metadata.labels.a = "q\\"r"']),
        (["a=b c"], ['metadata.labels.a = "b c"']),
    ],
)
def test_matchers_are_read_in_their_forms(written: list[str], expected: list[str]) -> None:
    made = read({"receiver": "default", "routes": [{"matchers": written}]})

    for part in expected:
        assert part in texts(made)[0]


@pytest.mark.parametrize("written", ["a", "=b", "a=b=c,d", 'a="b', "a~b", 7])
def test_a_matcher_that_cannot_be_read_leaves_its_route_out(written: object) -> None:
    made = read({"receiver": "default", "routes": [{"matchers": [written], "routes": [{"match": {"x": "y"}}]}]})

    assert texts(made) == ["any event"]
    assert "routes below it are left out" in made.left_out[0].reason


def test_a_pattern_that_is_none_leaves_its_route_out() -> None:
    with pytest.raises(BadMatchers):
        clause_of("a", "=~", "(")
    assert texts(read({"receiver": "default", "routes": [{"match_re": {"a": "("}}]})) == ["any event"]


def test_configuration_without_a_counterpart_is_listed() -> None:
    made = read(
        {"receiver": "default", "group_by": ["a"], "repeat_interval": "4h", "mute_time_intervals": ["nights"]},
        inhibit_rules=[{}, {}],
        time_intervals=[{"name": "nights"}],
        templates=["x.tmpl"],
    )

    assert [each.reason.split(" have")[0] for each in made.left_out] == [
        "2 inhibit rules",
        "1 time intervals",
        "1 templates",
    ]
    [rule] = rules(made)
    assert [each.split(" ")[0] for each in rule.warnings] == ["Not", "Its"]


@pytest.mark.parametrize("text", ["", "[]", "a: b", "route: 7", "{", "a: !!python/object:os.system x", "\t- x: ["])
def test_an_invalid_configuration_is_refused(text: str) -> None:
    with pytest.raises(Unreadable):
        alertmanager.read(text)


def test_values_that_the_database_cannot_store_are_left_out_or_replaced() -> None:
    made = alertmanager.read('route: {receiver: "a\\0", routes: [{match: {team: "b\\0"}}]}')

    assert "cannot be stored" in made.left_out[0].reason
    [rule] = rules(made)
    assert "\0" not in rule.name


def test_the_size_is_bounded() -> None:
    text = "route: {receiver: a}\n#"
    fits = text + "x" * (alertmanager.MAX_CHARACTERS - len(text))

    assert len(rules(alertmanager.read(fits))) == 1
    with pytest.raises(Unreadable):
        alertmanager.read(fits + "x")


def test_aliases_that_multiply_end_at_the_limit_of_items() -> None:
    levels = "\n".join(f"l{n}: &l{n} {{routes: [{', '.join([f'*l{n - 1}'] * 10)}]}}" for n in range(1, 4))
    made = alertmanager.read(f"l0: &l0 {{receiver: x}}\n{levels}\nroute: *l3")

    assert len(made.items) == 500


def silence(**more: Any) -> dict[str, Any]:
    matcher = {"name": "team", "value": "db", "isRegex": False, "isEqual": True}
    base = {"id": "s1", "matchers": [matcher], "comment": "Upgrade", "status": {"state": "active"}}
    return {**base, "startsAt": "2026-11-24T10:00:00Z", "endsAt": "2026-11-24T18:00:00Z", **more}


NOW = datetime(2026, 11, 24, 12, tzinfo=UTC)


def test_a_silence_that_has_not_ended_becomes_one_from_now() -> None:
    expired = silence(id="s2", status={"state": "expired"})
    made = alertmanager_silences.read([silence(), expired], NOW)

    [_, item] = made.items
    assert (item.kind, item.name, item.reference) == (ItemKind.SILENCE, "Upgrade", "alertmanager:silence:s1")
    assert matchers.to_text(item.fields["match"]) == 'all (metadata.labels.team = "db")'
    assert (item.fields["starts_at"], item.fields["ends_at"]) == (NOW, datetime(2026, 11, 24, 18, tzinfo=UTC))


@pytest.mark.parametrize(
    "bad",
    [
        {"matchers": []},
        {"endsAt": "x"},
        {"endsAt": "2026-11-24T11:00:00Z"},
        {"id": ""},
        {"matchers": [{"name": "a b"}]},
    ],
)
def test_a_silence_that_cannot_be_expressed_is_left_out(bad: dict[str, Any]) -> None:
    made = alertmanager_silences.read([silence(**bad)], NOW)

    assert (len(made.items), len(made.left_out)) == (1, 1)


def test_a_silence_of_years_is_cut_with_a_warning() -> None:
    [_, item] = alertmanager_silences.read([silence(endsAt="2036-01-01T00:00:00Z")], NOW).items

    assert (item.fields["ends_at"] - NOW).days == 365 and item.warnings
