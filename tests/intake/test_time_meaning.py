"""Each tool says what its time means, and a beginning may be old (specification 4.3, 19.5)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from inbox.domain.events import validation
from inbox.domain.events.time_meaning import TimeMeaning
from inbox.domain.values import times
from inbox.intake import mapping, pagerduty, prometheus
from inbox.intake.base import Payload
from inbox.intake.registry import TOOLS
from inbox.intake.snippets import KINDS
from tests.cast import NOW
from tests.intake.payloads import payload

BEGINNINGS = (
    "alertmanager", "azure_monitor", "better_stack", "gcp", "grafana", "home_assistant", "netdata", "zabbix",
)  # fmt: skip
UNTIMED = ("librenms", "prtg")


def days_ago(days: float) -> str:
    return times.rfc3339(NOW - timedelta(days=days))


def accepted(time: TimeMeaning | None, at: str) -> validation.NewEvent:
    [event] = validation.accept({"title": "Disk full", "occurredAt": at}, received_at=NOW, time=time)
    return event


def test_the_meaning_of_each_tool_is_as_its_page_says() -> None:
    assert sorted(name for name, tool in TOOLS.items() if tool.time is TimeMeaning.BEGINNING) == sorted(BEGINNINGS)
    assert sorted(name for name, tool in TOOLS.items() if tool.time is TimeMeaning.NONE) == sorted(UNTIMED)
    assert {pagerduty.TIME, prometheus.TIME} == {TimeMeaning.BEGINNING}
    assert {name for name, kind in KINDS.items() if kind.time is None} == {"events", "heartbeats"}


UNTIMED_ALARMS = ("sentry", "zabbix")
"""Tools whose sample is one of their payloads without a time."""


@pytest.mark.parametrize("tool", sorted(set(TOOLS) - set(UNTIMED_ALARMS)))
def test_a_tool_without_a_time_sends_none(tool: str) -> None:
    [alarm] = TOOLS[tool].events(Payload(payload(tool, "alarm"))).events

    assert ("occurredAt" in alarm) == (TOOLS[tool].time is not TimeMeaning.NONE)


@pytest.mark.parametrize("days", [9, 60, 365])
def test_an_old_beginning_is_kept_without_a_warning(days: int) -> None:
    event = accepted(TimeMeaning.BEGINNING, days_ago(days))

    assert (event.warnings, event.flags, event.occurred_at) == ([], [], NOW - timedelta(days=days))


@pytest.mark.parametrize(
    ("time", "days"), [(TimeMeaning.BEGINNING, 367), (TimeMeaning.MOMENT, 9), (None, 9), (TimeMeaning.BEGINNING, -1)]
)
def test_a_time_that_no_clock_of_a_sender_can_mean_is_replaced(time: TimeMeaning | None, days: int) -> None:
    event = accepted(time, days_ago(days))

    assert ([warning.code for warning in event.warnings], event.flags) == (["clock_skew"], ["clock_skew"])
    assert event.occurred_at == NOW


@pytest.mark.parametrize(
    ("stored", "meaning"),
    [({}, TimeMeaning.BEGINNING), ({"time_meaning": "moment"}, TimeMeaning.MOMENT)],
)
def test_the_time_of_a_mapping_is_a_beginning_unless_it_says_otherwise(
    stored: dict[str, Any], meaning: TimeMeaning
) -> None:
    assert mapping.of_stored({"occurred_at": {"template": "{began}"}, **stored}).time is meaning
