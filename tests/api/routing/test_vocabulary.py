"""The vocabulary of a condition builder: fields, operators, and values of recent events (specification 6.3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from inbox.domain.routing import matchers
from inbox.domain.routing.matchers.fields import FIELDS, OPS, Op
from inbox.domain.routing.matchers.vocabulary import LABELS, OPERATOR_LABELS, value_of
from tests.browser import Browser
from tests.cast import Cast, present, typeid
from tests.flow.routing_fixtures import accept

Browsers = Callable[[str], Browser]
VALUES = {"value": "x", "list": ["x"], "pattern": "x", "number": 5, "boolean": True}


@pytest.fixture
def vocabulary(browser: Browsers) -> dict[str, Any]:
    answer: dict[str, Any] = browser("vic").get("/v1/rules/vocabulary").get_json()
    return answer


def suggested(browser: Browser, query: str) -> list[tuple[Any, int]]:
    items = browser.get(f"/v1/rules/suggestions?{query}").get_json()["items"]
    return [(each["value"], each["count"]) for each in items]


def test_every_field_and_every_operator_has_a_label(vocabulary: dict[str, Any]) -> None:
    assert [each["name"] for each in vocabulary["fields"]] == [*FIELDS, "metadata"] == list(LABELS)
    assert [each["op"] for each in vocabulary["operators"]] == [str(op) for op in Op]
    assert set(OPERATOR_LABELS) == set(Op)
    severity = vocabulary["fields"][0]
    assert severity["values"] == ["DEBUG", "INFO", "SUCCESS", "WARNING", "ERROR", "CRITICAL"]
    assert "gte" in severity["ops"] and "contains" not in severity["ops"]


def test_every_operator_that_is_offered_is_taken_with_the_form_of_value_that_is_named(
    vocabulary: dict[str, Any],
) -> None:
    for field in vocabulary["fields"]:
        name = field["name"] + (".team" if field["takesPath"] else "")
        for op in map(Op, field["ops"]):
            form = value_of(op)
            value: Any = VALUES[form]
            if field["values"] and form in ("value", "list", "number"):
                value = field["values"][0] if form != "list" else field["values"]
            assert matchers.check({"field": name, "op": str(op), "value": value}) == [], (name, op)
        refused = [op for op in Op if op not in field["ops"]]
        assert all(op not in OPS[FIELDS[field["name"]].kind] for op in refused if field["name"] in FIELDS)


def test_values_of_recent_events_are_suggested_the_most_frequent_first(browser: Browsers, cast: Cast) -> None:
    for tags in (["prod", "db"], ["prod"], ["preview"]):
        accept(cast.source, present(), tags=tags)
    vic = browser("vic")

    assert suggested(vic, "field=tags") == [("prod", 2), ("db", 1), ("preview", 1)]
    assert suggested(vic, "field=tags&prefix=PR") == [("prod", 2), ("preview", 1)]
    assert suggested(browser("eve"), "field=tags") == []
    assert suggested(vic, f"field=tags&workspaceId={typeid('wsp', cast.foreign.id)}") == []


def test_a_resource_has_a_kind_and_a_name(browser: Browsers, cast: Cast) -> None:
    accept(cast.source, present(), resource="host:db-1")
    accept(cast.source, present(), resource="host:db-2")

    assert suggested(browser("vic"), "field=resource.kind") == [("host", 2)]
    assert suggested(browser("vic"), "field=resource.name&prefix=db-2") == [("db-2", 1)]


def test_metadata_suggest_their_paths_and_then_their_values(browser: Browsers, cast: Cast) -> None:
    accept(cast.source, present(), metadata={"team": "ops", "labels": {"a b": 1}})
    accept(cast.source, present(), metadata={"team": "web"})

    assert suggested(browser("vic"), "field=metadata") == [("metadata.team", 2), ('metadata.labels."a b"', 1)]
    assert suggested(browser("vic"), "field=metadata&prefix=metadata.l") == [('metadata.labels."a b"', 1)]
    assert suggested(browser("vic"), "field=metadata.team") == [("ops", 1), ("web", 1)]


def test_closed_lists_and_sources_are_suggested(browser: Browsers, cast: Cast) -> None:
    assert suggested(browser("vic"), "field=severity&prefix=c") == [("CRITICAL", 0)]
    assert suggested(browser("vic"), "field=source&prefix=prom") == [("Prometheus", 1)]


@pytest.mark.parametrize("field", ["body", "title", "url", "colour", ""])
def test_a_field_without_suggestions_is_refused(browser: Browsers, field: str) -> None:
    assert browser("vic").get(f"/v1/rules/suggestions?field={field}").status_code == 422
