"""Source kinds and their snippets: ready texts with the address of the instance and a place for the key.

Specification 19.7.
"""

from __future__ import annotations

from collections.abc import Mapping

from inbox.domain.keys import SenderKeyKind
from inbox.intake.compatible import COMPATIBLE
from inbox.intake.registry import TOOLS
from inbox.intake.source_kind import KEY, SOURCE, TEXTS, Snippet, SourceKind

__all__ = ["KEY", "KINDS", "SOURCE", "TEXTS", "Snippet", "SourceKind"]

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
_CLOSES = "An alarm opens an incident, and its end resolves it."
_WITH_KEY: Mapping[str, tuple[Snippet, ...]] = {
    "github": (Snippet("actions", "GitHub Actions", "github-actions.yml", _CLOSES, SenderKeyKind.SOURCE_KEY),),
    "sentry": (
        Snippet(
            "plugin", "Webhook plugin", "sentry-plugin.txt", "An alarm opens an incident.", SenderKeyKind.SOURCE_KEY
        ),
    ),
}
"""Texts with a source key, of tools that sign."""
_FILES = {path.name.partition(".")[0]: path.name for path in sorted(TEXTS.iterdir())}


def _of_tool(name: str) -> SourceKind:
    tool = TOOLS[name]
    snippet = Snippet(name, tool.label, _FILES[name], _CLOSES)
    path = f"/v1/hooks/{name}"
    if tool.signing is None:
        return SourceKind(name, tool.label, tool.summary, tool.setup, path, SenderKeyKind.SOURCE_KEY, (snippet,))
    texts = (snippet, *_WITH_KEY.get(name, ()))
    path += "/{sourceId}"
    return SourceKind(name, tool.label, tool.summary, tool.setup, path, SenderKeyKind.SIGNING_SECRET, texts)


KINDS: Mapping[str, SourceKind] = {
    each.kind: each for each in (_EVENTS, _LEGACY_PUSH, *COMPATIBLE, *map(_of_tool, TOOLS))
}
