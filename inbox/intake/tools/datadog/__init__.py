"""Datadog: the payload that our snippet publishes, and the one that Datadog sends by default."""

from __future__ import annotations

import re

from inbox.domain.events.time_meaning import TimeMeaning
from inbox.domain.values.severity import Severity
from inbox.intake import event, macros
from inbox.intake.base import Event, Node, Payload, Tool, body_with

_MONITOR = re.compile(r"/monitors[/#](\d{1,20})")
_STATE = re.compile(r"(?:\[P\d\]\s*)?\[([A-Za-z -]+?)(?: on \{(.*?)\})?\]\s*")
"""Matches the text that Datadog writes before a monitor's title: priority, state, and scope of a group."""

PRIORITIES = {"P1": Severity.CRITICAL, "P2": Severity.ERROR, "P3": Severity.WARNING}
RECOVERED = "recovered"
TEST = "[TEST]"
"""Datadog writes it before the title of a test notification."""

WARNINGS = ("warn", "no data", "re-warn", "re-no data")


def read(body: Node, payload: Payload) -> Event:
    """Returns the event of a monitor's transition."""
    transition = _filled(body, "transition")
    if TEST in body.text("title").upper()[:100]:
        return event.log(body.text("title"), type="monitor.test")
    if not transition:
        return _default(body)
    key = _filled(body, "cycle") or event.joined((_filled(body, "monitor"), _filled(body, "scope")), ":")
    priority = _filled(body, "priority").upper()
    kind = event.severity(_filled(body, "alertType"))
    name = _name(_filled(body, "title")) or "Monitor"
    return event.either(
        transition.lower() == RECOVERED,
        name,
        f"dd:{key or f'title:{name}'}",
        PRIORITIES.get(priority, Severity.INFO if priority in ("P4", "P5") else kind),
        body=_filled(body, "body").replace("%%%", ""),
        type="monitor",
        resource=f"host:{_filled(body, 'host')}" if _filled(body, "host") else "",
        tags=event.tags(*_filled(body, "tags").split(",")),
        url=_filled(body, "link"),
        occurredAt=event.epoch(_filled(body, "ts"), per_second=1000),
    )


def _default(body: Node) -> Event:
    title, text = body.require("title"), body.text("body")
    state, monitor = _STATE.match(title), _MONITOR.search(text)
    if state is None:
        return event.log(title, body=text.replace("%%%", "").strip(), type="event")
    word, scope = state[1].lower(), state[2] or ""
    return event.either(
        word == RECOVERED,
        _name(title) or title,
        event.joined(("dd:monitor", monitor[1], scope), ":") if monitor else f"dd:title:{_name(title)}",
        Severity.WARNING if word in WARNINGS else Severity.ERROR,
        body=text.replace("%%%", "").strip(),
        type="monitor",
        occurredAt=event.epoch(body.first("last_updated", "date"), per_second=1000),
    )


def _name(title: str) -> str:
    """Returns the title without the state.

    Appends the scope of a group, because the groups of a monitor share a title.
    """
    state = _STATE.match(title)
    if state is None:
        return title
    return event.joined((title[state.end() :], f"({state[2]})" if state[2] else ""))


def _filled(body: Node, name: str) -> str:
    """Returns the text of a member; empty if Datadog did not replace its variable."""
    text = body.text(name)
    return "" if macros.is_unfilled(text) else text


TOOL = Tool(
    name="datadog",
    label="Datadog",
    summary="Monitors of Datadog; `Recovered` closes the incident.",
    setup="Integrations, Webhooks; the key in the custom headers.",
    expected="the published payload, or the default one with `title`, was expected",
    items=body_with("transition", "title", "event_type"),
    read=read,
    time=TimeMeaning.MOMENT,
    documentation="https://docs.datadoghq.com/integrations/webhooks/",
)
