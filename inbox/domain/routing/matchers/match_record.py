"""The record of a match: the clauses that caused it and the values that they read, as JSON text."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from itertools import accumulate
from json.encoder import encode_basestring as quoted
from typing import Any

from inbox.domain.routing.matchers.clauses import clause_of
from inbox.domain.routing.matchers.compile import children
from inbox.domain.routing.matchers.fields import MatchSubject, Read
from inbox.domain.routing.matchers.trace import MAX_RECORD, MAX_SHOWN, clause_text, displayed_value, tracer
from inbox.domain.routing.matchers.tree import require

Record = Callable[[MatchSubject], str]

_encoded = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def recorder(tree: Any) -> Record:
    """Returns a function that gives `Trace.record` as text for events that the tree matches. Raises `BadMatch`.

    The function is prepared at its first call. If all clauses must hold, it does not evaluate them again: only the
    values differ between events.
    """
    require(tree)

    @cache
    def prepare() -> Record:
        required_clauses = _required_clauses(tree, negated=False)
        return _traced_record(tree) if required_clauses is None else _template_record(required_clauses)

    return lambda subject: prepare()(subject)


def _required_clauses(node: Any, *, negated: bool) -> list[tuple[str, Read]] | None:
    """Returns the texts and readers of the clauses of a tree that holds only if all clauses do; else None."""
    if "not" in node:
        return _required_clauses(node["not"], negated=not negated)
    if "field" in node:
        return [(clause_text(node, negated=negated), clause_of(node).field.read)]
    found = [_required_clauses(child, negated=negated) for child in children(node)]
    if not found or (len(found) > 1 and ("any" in node) != negated):
        return None
    required_clauses = [each for each in found if each is not None]
    return [clause for each in required_clauses for clause in each] if len(required_clauses) == len(found) else None


def _template_record(required_clauses: list[tuple[str, Read]]) -> Record:
    """Returns a function that fills the read values into the prepared text of the clauses."""
    parts = [(f'{{"clause":{quoted(text)},"matched":true,"value":', read) for text, read in required_clauses]
    return lambda subject: _joined([head + _value(read(subject)) + "}" for head, read in parts])


def _traced_record(tree: Any) -> Record:
    trace = tracer(tree)
    return lambda subject: _joined([_encoded(step) for step in trace(subject).record()])


def _joined(steps: list[str]) -> str:
    """Returns the steps as a JSON array of at most `MAX_RECORD` characters. The last step counts the omitted clauses."""
    text = ",".join(steps)
    if len(text) > MAX_RECORD:
        ends = accumulate(len(step) + 1 for step in steps)
        shown = sum(end <= MAX_RECORD - _SPACE_FOR_COUNT for end in ends)
        omitted = _encoded({"clause": f"{len(steps) - shown} more clauses", "matched": True, "value": None})
        text = ",".join([*steps[:shown], omitted])
    return f"[{text}]"


_SPACE_FOR_COUNT = 100


def _value(value: Any) -> str:
    if type(value) is str and len(value) <= MAX_SHOWN:
        return quoted(value)
    text = displayed_value(value)
    return quoted(text) if isinstance(text, str) else _encoded(text)
