"""The OpenAPI document uses the standard terms of the field."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask

from tests.house.test_sentences import private

PROPERTIES = {
    "act": "action",
    "because": "fallbackReason",
    "decidedBefore": "preempted",
    "failedAlone": "soleFailure",
    "fault": "error",
    "figure": "value",
    "hidesNow": "silencedIncidents",
    "hits": "matchedEvents",
    "holdSeconds": "delaySeconds",
    "idleRules": "unmatchedRules",
    "lastHitAt": "lastMatchedAt",
    "met": "matched",
    "missing": "failedClauses",
    "part": "result",
    "rung": "started",
    "told": "notified",
    "tried": "ruleReports",
    "whys": "reasons",
    "words": "text",
}
VALUES = {
    "calm": "flapping_ends",
    "calmed": "flapping_ended",
    "faulty": "invalid",
    "given_up": "retries_exhausted",
    "hold_ended": "delay_ended",
    "hold_ends": "delay_ends",
    "nobody_told": "undeliverable",
    "not_asked": "not_evaluated",
    "not_told": "never_notified",
    "over": "resolved_meanwhile",
    "passed": "matched",
    "sent_to": "notify",
    "suppressed": "waiting",
    "unheard": "undelivered",
    "wake": "snooze_ends",
}
RETAINED = {("RoutingRecord", "act"), ("OutcomeRecord", "act")}
"""The act of the state table that an event did."""

TITLES = "told|tell|hear|look at|let|try|give|put an|take an|what has had"


@pytest.fixture(scope="module")
def document(app: Flask) -> dict[str, Any]:
    return dict(app.test_client().get("/v1/openapi.json").json or {})


def nodes(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from nodes(each)


def operations(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for methods in document["paths"].values():
        yield from (each for each in methods.values() if isinstance(each, dict) and "operationId" in each)


def test_no_field_has_a_former_name(document: dict[str, Any]) -> None:
    found = [
        f"{schema}.{name}: say {PROPERTIES[name]}"
        for schema, shape in document["components"]["schemas"].items()
        for name in shape.get("properties", {})
        if name in PROPERTIES and (schema, name) not in RETAINED
    ]

    assert len(document["components"]["schemas"]) > 100 and found == []


def test_no_enumeration_has_a_former_value(document: dict[str, Any]) -> None:
    enumerated = [value for node in nodes(document) if isinstance(node.get("enum"), list) for value in node["enum"]]
    patterns = " ".join(node["pattern"] for node in nodes(document) if isinstance(node.get("pattern"), str))

    assert "waiting" in enumerated and "notify" in enumerated
    assert [f"{value}: say {VALUES[value]}" for value in enumerated if value in VALUES] == []
    assert [value for value in ("sent_to", "not_told") if value in patterns] == []


def test_titles_and_ids_of_operations_are_free_of_private_words(document: dict[str, Any]) -> None:
    titles = [each["summary"] for each in operations(document)]

    assert [title for title in titles if re.search(rf"\b({TITLES})\b", title.lower())] == []
    assert all(title[0].isupper() and not title.endswith(".") for title in titles)
    named = [each["operationId"] for each in operations(document)]
    assert [name for name in named if any(word in name.lower() for word in ("askfor", "closing", "told"))] == []


def test_descriptions_are_free_of_private_words(document: dict[str, Any]) -> None:
    texts = [node["description"] for node in nodes(document) if isinstance(node.get("description"), str)]

    assert len(texts) > 1000
    assert {text: found for text in texts if (found := private(text))} == {}
