"""The readers of the compatible formats, for the tables of what their senders can send (`sender_notices`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from inbox.intake import cloudevents, opsgenie, pagerduty, prometheus
from inbox.intake.base import Event, Node

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
Reader = Callable[[Any], list[Event]]


def _pagerduty(sent: Any) -> list[Event]:
    return [pagerduty.alert(sent, "new").event] if "event_action" in sent else [pagerduty.change(sent)]


def _opsgenie(sent: Any) -> list[Event]:
    if "act" not in sent:
        return [opsgenie.create(sent, "new")]
    return [opsgenie.act(sent["act"], {"note": "text", "endTime": "2026-12-01T00:00:00Z"}, "disk", "og:disk")]


def _prometheus(sent: Any) -> list[Event]:
    return [alert.event for alert in prometheus.read([sent], NOW).alerts]


READERS: Mapping[str, Reader] = {
    "pagerduty": _pagerduty,
    "prometheus": _prometheus,
    "opsgenie": _opsgenie,
    "cloudevents": lambda sent: cloudevents.read([Node(sent)]).events,
}
