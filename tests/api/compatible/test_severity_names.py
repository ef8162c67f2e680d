"""Severities are stored and returned by their own names, whatever name a match uses (specification 4.2)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from inbox.database.base import db
from inbox.domain.values import times
from inbox.models.records.audit import AuditEntry
from tests.browser import Browser
from tests.cast import Cast, present, typeid

Browsers = Callable[[str], Browser]

CALLED: dict[str, Any] = {
    "all": [
        {"field": "severity", "op": "in", "value": ["crit", "err", "FATAL"]},
        {"not": {"field": "severity", "op": "eq", "value": "Debug"}},
    ]
}
NAMED: dict[str, Any] = {
    "all": [
        {"field": "severity", "op": "in", "value": ["CRITICAL", "ERROR"]},
        {"not": {"field": "severity", "op": "eq", "value": "DEBUG"}},
    ]
}
CALLED_TEXT = 'severity in (crit, err, "FATAL") and not severity = Debug'
NAMED_TEXT = "severity in (CRITICAL, ERROR) and not severity = DEBUG"
EITHER_FORM = [{"match": CALLED}, {"matchText": CALLED_TEXT}]


@pytest.fixture
def adam(browser: Browsers) -> Browser:
    return browser("adam")


@pytest.fixture
def here(cast: Cast) -> dict[str, str]:
    return {"workspaceId": typeid("wsp", cast.workspace.id)}


def forms(answer: Any) -> tuple[Any, Any]:
    return answer.json["match"], answer.json["matchText"]


@pytest.mark.parametrize("form", EITHER_FORM)
def test_a_match_that_is_read_is_reported_by_canonical_names(adam: Browser, form: dict[str, Any]) -> None:
    assert forms(adam.post("/v1/rules/parse", form)) == (NAMED, NAMED_TEXT)


@pytest.mark.parametrize("form", EITHER_FORM)
def test_a_rule_accepts_severity_aliases_and_stores_the_canonical_name(
    adam: Browser, here: dict[str, str], form: dict[str, Any]
) -> None:
    made = adam.post("/v1/rules", {**here, "name": "Bad", **form, "then": {"disposition": "log"}})
    path = made.headers["Location"]
    other = adam.patch(path, {"matchText": "severity >= warn"})

    assert forms(made) == (NAMED, NAMED_TEXT)
    assert forms(other)[1] == "severity >= WARNING"
    assert forms(adam.patch(path, form)) == forms(adam.get(path)) == (NAMED, NAMED_TEXT)
    assert db.execute_sql("SELECT match FROM rules").fetchone()[0] == NAMED
    made_so, *edits = AuditEntry.select().where(AuditEntry.action.startswith("rule.")).order_by(AuditEntry.id)
    assert made_so.details["match"] == NAMED_TEXT
    assert [entry.details["changes"] for entry in edits] == [
        [{"field": "match", "before": NAMED_TEXT, "after": "severity >= WARNING"}],
        [{"field": "match", "before": "severity >= WARNING", "after": NAMED_TEXT}],
    ]


@pytest.mark.parametrize("form", EITHER_FORM)
def test_a_silence_accepts_severity_aliases_and_stores_the_canonical_name(
    browser: Browsers, here: dict[str, str], form: dict[str, Any]
) -> None:
    mia, ends = browser("mia"), times.rfc3339(present() + timedelta(hours=1))
    made = mia.post("/v1/silences", {**here, **form, "endsAt": ends, "comment": "Upgrade"})
    path = made.headers["Location"]

    assert forms(made) == (NAMED, NAMED_TEXT)
    assert forms(mia.patch(path, {"matchText": "severity <= warn"}))[1] == "severity <= WARNING"
    assert forms(mia.patch(path, form)) == forms(mia.get(path)) == (NAMED, NAMED_TEXT)
    assert db.execute_sql("SELECT match FROM silences").fetchone()[0] == NAMED


def test_a_view_accepts_severity_aliases_and_stores_the_canonical_name(adam: Browser, here: dict[str, str]) -> None:
    filters = {"severity": "crit", "minSeverity": "Warn"}

    made = adam.post("/v1/views", {**here, "name": "Bad", "filters": filters})

    assert made.json["filters"] == {"severity": "CRITICAL", "minSeverity": "WARNING"}


def test_a_preview_accepts_severity_aliases_and_shows_the_canonical_name(
    adam: Browser, cast: Cast, here: dict[str, str]
) -> None:
    requested = {
        **here,
        "sourceId": typeid("src", cast.source.id),
        "event": {"title": "Disk full", "severity": "warn"},
        "rule": {"name": "Bad", "matchText": "severity >= err", "then": {"disposition": "log"}},
    }

    reported = adam.post("/v1/rules/preview/event", requested).json

    assert [step["clause"] for step in reported["rules"][0]["clauses"]] == ["severity >= ERROR"]
