"""The table of metrics, the alert rules and the code agree; no label can hold data of a request."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from inbox.services.instance import scrape

PROJECT = Path(__file__).parent.parent.parent.parent
ALERTS = (PROJECT / "docs/operators/examples/prometheus/alerts.yml").read_text()
ROW = re.compile(r"^\| `(inbox_\w+)` \| (counter|gauge|histogram) \| ([^|]*)\|", re.MULTILINE)

BOUNDED = {
    *("method", "route", "status", "outcome", "reason", "code", "state", "severity", "queue", "kind", "version"),
    *("python", "process", "cause", "problem"),
}
"""Labels whose values come from our own code, plus `le`."""


@pytest.fixture
def exposed(ground: object) -> dict[str, str]:
    """The type of each metric of ours."""
    text = scrape.exposition().decode()
    return dict(re.findall(r"^# TYPE (inbox_\w+) (\w+)$", text, re.MULTILINE))


def documented() -> dict[str, tuple[str, set[str]]]:
    text = (PROJECT / "docs/operators/monitoring.md").read_text()
    return {name: (kind, set(re.findall(r"`(\w+)`", labels))) for name, kind, labels in ROW.findall(text)}


def test_the_table_lists_exactly_the_metrics_there_are_with_their_types(exposed: dict[str, str]) -> None:
    assert {name: kind for name, (kind, _) in documented().items()} == exposed


def test_the_table_lists_every_label_that_a_sample_has(exposed: dict[str, str]) -> None:
    table = documented()
    for family in text_string_to_metric_families(scrape.exposition().decode()):
        name = f"{family.name}_total" if family.type == "counter" else family.name
        for sample in family.samples if name.startswith("inbox_") else ():
            assert set(sample.labels) - {"le", "process"} <= table[name][1], name


def test_every_label_is_one_with_few_values() -> None:
    assert {label for _, labels in documented().values() for label in labels} <= BOUNDED


def test_names_and_units_follow_the_conventions(exposed: dict[str, str]) -> None:
    counters = [name for name, kind in exposed.items() if kind == "counter"]
    times = [name for name, kind in exposed.items() if kind == "histogram"]

    assert all(name.endswith("_total") for name in counters)
    assert all(name.endswith("_seconds") for name in times)
    assert not [name for name in exposed if re.search(r"_(ms|milliseconds|minutes|kb|mb)(_|$)", name)]


def test_the_alert_rules_ask_for_metrics_that_exist(exposed: dict[str, str]) -> None:
    samples = set(exposed)
    for name, kind in exposed.items():
        if kind == "histogram":
            samples |= {f"{name}_{part}" for part in ("bucket", "sum", "count")}
    expressions = re.findall(r"^ +expr: (.*)$", ALERTS, re.MULTILINE)
    requested = {name for expression in expressions for name in re.findall(r"\binbox_\w+", expression)}

    assert len(expressions) >= 10
    assert requested - samples == set()


def test_every_alert_has_a_severity_and_a_remedy() -> None:
    rules = ALERTS.split("- alert: ")[1:]

    assert [rule.splitlines()[0] for rule in rules if "severity:" not in rule or "description:" not in rule] == []
    assert len({rule.splitlines()[0] for rule in rules}) == len(rules)
