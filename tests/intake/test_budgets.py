"""Readers of payloads spend from the budget of a request."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from inbox.domain.values.refusals import TooCostly
from inbox.intake import cloudevents, prometheus, registry
from inbox.intake.base import MOST_ELEMENTS, Node, Payload
from inbox.intake.mapping import EventMapping
from inbox.intake.tools import alertmanager
from inbox.runtime import work_budget
from tests.cast import NOW
from tests.database.call_counts import calls_of
from tests.intake.payloads import payload
from tests.intake.test_tools import replaced
from tests.intake.tools import table

SECONDS = 0.05
"""Of computing. Each of the readers needs more than ten times as much for the payloads below."""


@pytest.fixture(autouse=True)
def budget() -> Iterator[None]:
    work_budget.begin(SECONDS)
    yield
    work_budget.end()


READERS: dict[str, Callable[[], object]] = {
    "Prometheus": lambda: prometheus.read([{"labels": {"a": "b"}}] * 66_000, NOW),
    "CloudEvents": lambda: cloudevents.read(cloudevents.documents([0] * 190_000, batched=True)),
    "a mapping": lambda: EventMapping(
        {"items": "[*]", "title": {"template": "{a}"}, "metadata": {f"m{number}": "{b} {c}" for number in range(300)}}
    ).events(Payload([{"a": "A", "b": "B"}] * 10_000)),
}


@pytest.mark.parametrize("name", READERS)
def test_a_reader_stops_when_the_budget_is_used(name: str) -> None:
    with pytest.raises(TooCostly):
        READERS[name]()


def test_the_alerts_that_a_tool_read_until_the_budget_ended_are_kept_and_the_others_counted() -> None:
    result = alertmanager.TOOL.events(Payload({"alerts": large_group(5_000)}))

    assert 0 < len(result.events) < 5_000
    assert result.unread == 5_000 - len(result.events)
    assert result.faults[-1].pointer == f"/alerts/{len(result.events)}"


def large_group(alerts: int) -> Any:
    labels = {"alertname": "DiskFull", "severity": "critical", "job": "node", "cluster": "eu-1", "team": "ops"}
    notes = {"summary": "The disk is nearly full", "description": "Less than 3 % of the disk is free."}
    return [
        {
            "status": "firing",
            "labels": labels | {"instance": f"db{number}:9100"},
            "annotations": notes,
            "startsAt": "2026-11-22T12:34:12.666Z",
            "endsAt": "0001-01-01T00:00:00Z",
            "fingerprint": f"{number:016x}",
        }
        for number in range(alerts)
    ]


def test_a_group_of_alerts_as_large_as_a_body_fits_the_budget_of_a_request() -> None:
    work_budget.begin()

    result = alertmanager.TOOL.events(Payload({"alerts": large_group(5_000)}))

    assert len(result.events) == 5_000


LISTS = table("LIST")


@pytest.mark.parametrize("name", LISTS)
def test_a_list_inside_an_item_is_read_in_part(name: str) -> None:
    work_budget.end()
    document = replaced(payload(name, "alarm"), LISTS[name], [0] * 190_000)

    calls = calls_of(lambda: registry.TOOLS[name].events(Payload(document)))

    assert calls < 100 * MOST_ELEMENTS


@pytest.mark.parametrize(("count", "read"), [(4_999, 4_999), (5_000, 5_000), (5_001, 5_000)])
def test_a_node_reads_a_bounded_number_of_elements(count: int, read: int) -> None:
    elements = Node({"tags": list(range(count))}).elements("tags")

    assert (len(elements), elements[-1].pointer) == (read, f"/tags/{read - 1}")
