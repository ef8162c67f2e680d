"""Routes of Grafana OnCall as rules: templates over labels, their order, and skipped routes (specification 22.10)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inbox.intake.importers import oncall
from inbox.intake.importers.oncall.routes import LONGEST, NOT_OF_LABELS, OVER_PAYLOAD
from inbox.intake.importers.plan import ItemKind, Plan
from tests.intake.importers.rotas import SPRING

DB = {"field": "metadata.labels.team", "op": "eq", "value": "db"}
PAGE = {"field": "metadata.labels.severity", "op": "eq", "value": "page"}


def route(template: Any, **more: Any) -> dict[str, Any]:
    base = {"id": "R1", "integration_id": "CF", "routing_type": "jinja2", "position": 0, "is_the_last_route": False}
    return {**base, "routing_regex": template, **more}


def plan_of(*routes: dict[str, Any]) -> Plan:
    integration = {"id": "CF", "name": "Grafana", "type": "alertmanager"}
    answers = {oncall.INTEGRATIONS: {"results": [integration]}, oncall.ROUTES: {"results": list(routes)}}
    return oncall.read(answers, SPRING)


def match_of(template: str) -> Any:
    """The match of the only rule; None when there is none."""
    rules = [item for item in plan_of(route(template)).items if item.kind is ItemKind.RULE]
    return rules[0].fields["match"] if rules else None


@pytest.mark.parametrize(
    ("template", "match"),
    [
        ('{{ payload.commonLabels.team == "db" }}', {"all": [DB]}),
        ("{{payload.labels['team']=='db'}}", {"all": [DB]}),
        ('{{- payload.alerts[0].labels.team == "db" -}}', {"all": [DB]}),
        ('{{ payload.alerts.0.labels["team"] == "db" }}', {"all": [DB]}),
        ('{{ payload.groupLabels.team != "db" }}', {"all": [{"not": DB}]}),
        ('{{ payload.labels.team == "db" and payload.labels.severity == "page" }}', {"all": [DB, PAGE]}),
        ('{{ payload.labels.team == "db" or payload.labels.severity == "page" }}', {"any": [DB, PAGE]}),
        ('{{ payload.labels.team == "a and b or c" }}', {"all": [{**DB, "value": "a and b or c"}]}),
        (
            '{{ payload.labels.team == "" }}',
            {"all": [{"field": "metadata.labels.team", "op": "exists", "value": False}]},
        ),
    ],
)
def test_a_template_over_labels_is_a_match(template: str, match: Any) -> None:
    assert match_of(template) == match


@pytest.mark.parametrize(
    "template",
    [
        "", "{{ }}", "{{ True }}", "payload.labels.team == 'db'", '{{ payload.team == "db" }}',
        '{{ payload.labels.team == "db" and payload.labels.a == "b" or payload.labels.c == "d" }}',
        '{{ not payload.labels.team == "db" }}', '{{ (payload.labels.team == "db") }}', '{{ payload.labels.team }}',
        "{{ payload.labels.team == \"db' }}", '{{ payload.labels.team == "d\\"b" }}', '{{ "db" in payload.labels.team }}',
        '{{ payload.labels.team == "db" }} {{ payload.labels.team == "db" }}', '{{ payload.labels["team\'] == "db" }}',
        '{% if payload.labels.team == "db" %}True{% endif %}', '{{ payload.labels.team == "db" and }}',
        '{{ payload.labels.téam == "db" }}', '{{ payload.labels.team == "a\x00b" }}',
    ],
)  # fmt: skip
def test_an_unsupported_template_is_left_out(template: str) -> None:
    made = plan_of(route(template))

    assert [item.kind for item in made.items] == [ItemKind.SOURCE]
    assert [each.name for each in made.left_out] == ["Route of Grafana"]


@pytest.mark.parametrize(("more", "is_rule"), [(-1, True), (0, True), (1, False)])
def test_a_template_is_read_to_a_length(more: int, *, is_rule: bool) -> None:
    template = '{{ payload.labels.team == "db" }}'
    padded = template.replace(" }}", " " * (LONGEST + more - len(template) + 1) + "}}")

    assert bool(match_of(padded)) is is_rule


def test_a_pattern_over_the_raw_payload_is_left_out() -> None:
    for each in (route("us-(east|west)", routing_type="regex"), route("x", routing_type=None), route("x", id=None)):
        assert plan_of(each).left_out[0].reason == OVER_PAYLOAD
    assert plan_of(route("x")).left_out[0].reason == NOT_OF_LABELS


def test_rules_have_the_order_of_the_routes_and_belong_to_the_integration() -> None:
    first = route('{{ payload.labels.team == "db" }}', position=1)
    second = route('{{ payload.labels.severity == "page" }}', position=0, id="R2")
    last = route("", is_the_last_route=True, id="L")

    source, *rules = plan_of(first, last, second).items

    assert [rule.reference for rule in rules] == ["oncall:route:R2", "oncall:route:R1"]
    assert {rule.source for rule in rules} == {source.reference}
    assert rules[0].name == 'Grafana: severity="page"'
    assert rules[0].fields["continue_matching"] is False
    assert "escalation chain" in rules[0].warnings[0]


def test_a_route_of_an_unknown_integration_is_left_out() -> None:
    made = plan_of(route('{{ payload.labels.team == "db" }}', integration_id="X"))
    assert "not answered" in made.left_out[0].reason


PIECES = st.sampled_from(
    ["{{", "}}", " ", "payload", ".labels", ".team", "==", "!=", '"db"', "'", '"', "and", "or", "[0]", "(", "\\", "é"]
)


@given(pieces=st.lists(PIECES, max_size=30))
def test_any_template_becomes_a_rule_or_is_left_out(pieces: list[str]) -> None:
    made = plan_of(route("".join(pieces)))
    assert len(made.items) - 1 + len(made.left_out) == 1
