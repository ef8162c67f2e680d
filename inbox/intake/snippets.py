"""Source kinds and their snippets: ready texts with the address of the instance and a place for the key.

Specification 19.7.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

from inbox.domain.keys import SenderKeyKind
from inbox.intake.registry import TOOLS

TEXTS = Path(__file__).parent / "texts"
KEY = "INBOX_KEY_HERE"
"""Stands for the key in the texts."""


@dataclass(frozen=True, slots=True)
class Snippet:
    """A text of a kind. `file` is in `texts/`; `expect` says what happens when it is used."""

    name: str
    label: str
    file: str
    expect: str

    @property
    def language(self) -> str:
        """The language by the first ending of the file: `sh`, `py`, `yml`, `js` or `txt`."""
        return self.file.split(".")[1]

    def text(self, base_url: str) -> str:
        """The text with the address of the instance and with `KEY`."""
        parts = urlsplit(base_url)
        with_key = f"{parts.scheme}://inbox:{KEY}@{parts.netloc}{parts.path}"
        text = _text(self.file)
        return text.replace("@URL_WITH_KEY@", with_key).replace("@URL@", base_url).replace("@KEY@", KEY)


@dataclass(frozen=True, slots=True)
class SourceKind:
    """A way in. `path` is what senders call; `key_kind` is the key that they need; `setup` says where both are entered."""

    kind: str
    label: str
    summary: str
    setup: str
    path: str
    key_kind: SenderKeyKind
    snippets: tuple[Snippet, ...]


_EVENTS = SourceKind(
    "events",
    "Own scripts and programs",
    "Events as JSON, singly or in batches of up to 100.",
    "A command, a script or a cron job.",
    "/v1/events",
    SenderKeyKind.SOURCE_KEY,
    (
        Snippet(
            "curl", "curl", "events-curl.sh", "The answer is 202 with the id of the event, which opens an incident."
        ),
        Snippet("resolve", "curl: resolve", "events-resolve.sh", "The incident with the same dedupKey is resolved."),
        Snippet(
            "python", "Python", "events-python.py.txt", "The script prints 202. It needs the standard library alone."
        ),
        Snippet(
            "cron", "cron", "events-cron.txt", "A failed run opens an incident, and the next good run resolves it."
        ),
    ),
)
_LEGACY_PUSH = SourceKind(
    "legacy_push",
    "Legacy push",
    "Messages with a title and a priority, as clients of a common push server send them.",
    "The address of this instance as the server, and an alias token as the application token.",
    "/message",
    SenderKeyKind.ALIAS_TOKEN,
    (Snippet("curl", "curl", "legacy_push-curl.sh", "The answer is 200 with an integer id."),),
)
_PAGERDUTY = SourceKind(
    "pagerduty",
    "PagerDuty Events API",
    "Alerts and changes of every tool that sends to PagerDuty and whose address can be set.",
    "The address of the Events API, and the key as its integration key.",
    "/v1/compat/pagerduty/v2/enqueue",
    SenderKeyKind.SOURCE_KEY,
    (
        Snippet(
            "alertmanager", "Alertmanager", "pagerduty-alertmanager.yml", "Each group of alerts becomes one incident."
        ),
        Snippet("curl", "curl", "pagerduty-curl.sh", "The answer is 202 with the dedup_key."),
    ),
)
_CLOSES = "An alarm opens an incident, and its end resolves it."
_FILES = {path.name.partition(".")[0]: path.name for path in sorted(TEXTS.iterdir())}


def _of_tool(name: str) -> SourceKind:
    tool = TOOLS[name]
    snippet = Snippet(name, tool.label, _FILES[name], _CLOSES)
    path = f"/v1/hooks/{name}"
    return SourceKind(name, tool.label, tool.summary, tool.setup, path, SenderKeyKind.SOURCE_KEY, (snippet,))


KINDS: Mapping[str, SourceKind] = {
    each.kind: each for each in (_EVENTS, _LEGACY_PUSH, _PAGERDUTY, *map(_of_tool, TOOLS))
}


@cache
def _text(file: str) -> str:
    return (TEXTS / file).read_text(encoding="utf-8").rstrip("\n")
