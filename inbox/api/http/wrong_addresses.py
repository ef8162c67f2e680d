"""Suggests the intended address for one that does not exist, by comparing segments with the routes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from flask import Flask
from werkzeug.routing import Rule

from inbox.domain.values.name_suggestions import NameSuggestions

LONGEST, MAX_SEGMENTS = 300, 10
READY = "inbox.addresses"
VERSION = "v1"

_PARAMETER = re.compile(r"<(?:[^<>]*:)?(\w+)>")


@dataclass
class _Node:
    """One segment of the routes: the following segments by name, and the one that accepts any value."""

    children: dict[str, _Node] = field(default_factory=dict)
    any: tuple[str, _Node] | None = None
    is_address: bool = False

    @cached_property
    def suggestions(self) -> NameSuggestions:
        """The names that may follow."""
        return NameSuggestions(self.children)


def install(app: Flask) -> None:
    """Collects the routes. Call it when all of them are registered."""
    root = _Node()
    for rule in app.url_map.iter_rules():
        if rule.endpoint.startswith("dashboard."):
            continue  # pages for people; a mistyped address of the API never means them
        _add(root, _segments(rule))
    app.extensions[READY] = root


def nearest(app: Flask, path: str) -> str | None:
    """Returns the intended address with ids as `{name}`, or None when none is similar. Nothing of the path is repeated.

    It corrects a missing `/v1`, an extra first segment, a trailing slash, and one wrong letter per segment.
    """
    if len(path) > LONGEST:
        return None
    sent = [segment for segment in path.split("/") if segment]
    if len(sent) > MAX_SEGMENTS:
        return None
    root: _Node = app.extensions[READY]
    for segments in (sent, [VERSION, *sent], sent[1:], [VERSION, *sent[1:]]):
        found = _corrected(root, segments)
        if found is not None:
            return found
    return None


def _segments(rule: Rule) -> list[tuple[bool, str]]:
    """Returns each segment: whether it accepts any value, and its name."""
    text = _PARAMETER.sub(r"{\1}", rule.rule)
    return [(part.startswith("{"), part) for part in text.split("/") if part]


def _add(node: _Node, segments: Iterable[tuple[bool, str]]) -> None:
    for is_dynamic, name in segments:
        if is_dynamic:
            node.any = node.any or (name, _Node())
            node = node.any[1]
        else:
            node = node.children.setdefault(name, _Node())
    node.is_address = True


def _corrected(node: _Node, segments: Sequence[str]) -> str | None:
    """Returns the address that corrected names lead to; None without one, and where nothing had to be corrected."""
    shown = ""
    for segment in segments:
        name = segment if segment in node.children else node.suggestions.closest(segment)
        if name is not None:
            shown, node = f"{shown}/{name}", node.children[name]
        elif node.any is not None:
            shown, node = f"{shown}/{node.any[0]}", node.any[1]
        else:
            return None
    return shown if shown and node.is_address else None
