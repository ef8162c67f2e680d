"""What each tool and format can send, and what its reader makes of it, from `notices.json` beside its tests in `tests/intake/`.

A notice is `sent`, or a payload of `payload.json` (`like`) with other members (`with`). `becomes` says what it must become.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from inbox.domain.values.severity import Severity
from inbox.intake.base import Event, Payload
from inbox.intake.event import SenderAct
from inbox.intake.registry import TOOLS
from ops.sender_formats import READERS

KINDS = (*READERS, *TOOLS)
"""The kinds with a table."""

SAMPLES = Path(__file__).resolve().parent.parent / "tests" / "intake"
OPENING = (Severity.WARNING, Severity.ERROR, Severity.CRITICAL)
"""The severities that open an incident without a rule."""

ACTS = {SenderAct.ACKNOWLEDGE: "acknowledges", SenderAct.UNACKNOWLEDGE: "unacknowledges", SenderAct.NOTE: "note"}
WORDS = {
    "closes": "resolves it",
    "log": "logged",
    "nothing": "no event",
    "default": "stored with the default severity of the source",
    "acknowledges": "on the timeline, and acknowledges it where the source allows that",
    "unacknowledges": "on the timeline, and ends the acknowledgement where the source allows that",
    "note": "on the timeline",
}


def notices(tool: str) -> list[dict[str, Any]]:
    """Returns the notices of a tool."""
    found: list[dict[str, Any]] = json.loads(_file(tool, "notices.json").read_text(encoding="utf-8"))
    return found


def _file(tool: str, name: str) -> Path:
    return SAMPLES / ("formats" if tool in READERS else "tools") / tool / name


def sent(tool: str, notice: Mapping[str, Any]) -> Any:
    """Returns the payload of a notice."""
    if "sent" in notice:
        return notice["sent"]
    document = json.loads(_file(tool, "payload.json").read_text(encoding="utf-8"))[notice["like"]]
    for path, value in notice.get("with", {}).items():
        _set(document, path.split("."), value)
    return document


def events(tool: str, notice: Mapping[str, Any]) -> list[Event]:
    """Returns the events that the reader of the tool makes of a notice."""
    if tool in READERS:
        return READERS[tool](sent(tool, notice))
    return TOOLS[tool].events(Payload(sent(tool, notice), notice.get("headers", {}))).events


def effect(event: Event) -> str:
    """Returns what an event does, in the words of `becomes`."""
    act = event.get("metadata", {}).get("act")
    if act is not None:
        return ACTS[SenderAct(act)]
    if event.get("action") == "resolve":
        return "closes"
    if "severity" not in event:
        return "default"
    return f"opens {event['severity']}" if event["severity"] in OPENING else "log"


def effects(tool: str, notice: Mapping[str, Any]) -> str:
    """Returns what a notice becomes, in the words of `becomes`."""
    return ", ".join(effect(event) for event in events(tool, notice)) or "nothing"


def table(tool: str) -> Iterator[str]:
    """Returns the lines of the table of a page: each notice, and what it becomes."""
    yield "| What it sends | What it becomes |"
    yield "|---|---|"
    for notice in notices(tool):
        found = effects(tool, notice)
        opens = f"opens an incident, `{found.removeprefix('opens ')}`"
        yield f"| {notice['notice'].replace('|', chr(92) + '|')} | {WORDS.get(found, opens)} |"


def _set(document: Any, path: list[str], value: Any) -> None:
    for step in path[:-1]:
        document = document[int(step)] if isinstance(document, list) else document.setdefault(step, {})
    document[path[-1]] = value
