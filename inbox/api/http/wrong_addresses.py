"""Which address was meant by one that does not exist: found in the routes, segment by segment."""

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
    """One segment of the routes: those that follow it by name, and the one that stands for any value."""

    children: dict[str, _Node] = field(default_factory=dict)
    any: tuple[str, _Node] | None = None
    is_address: bool = False

    @cached_property
    def suggestions(self) -> NameSuggestions:
        """The names that may follow."""
        return NameSuggestions(self.children)


def install(app: Flask) -> None:
    """Gather the routes, when all of them are known."""
    root = _Node()
    for rule in app.url_map.iter_rules():
        if rule.endpoint.startswith("dashboard."):
            continue  # pages of people; who mistypes an address of the API never means them
        _add(root, _segments(rule))
    app.extensions[READY] = root


def nearest(app: Flask, path: str) -> str | None:
    """The address that was meant, ids as `{name}`; None when none is near. Nothing of the path is repeated.

    A missing `/v1`, one too many at the front, a slash at the end and one wrong letter a segment are put right.
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
    """Each segment: whether it stands for any value, and its name."""
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
    """The address at the end of these segments, where names put right lead to one; None where nothing had to be."""
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
