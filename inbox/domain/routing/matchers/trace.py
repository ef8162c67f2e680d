"""The trace of a match: the clauses that decided whether an event matches (specification 6.3)."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cache
from json.encoder import encode_basestring as quoted
from typing import Any, NamedTuple

from inbox.domain.routing.matchers.clauses import clause_of
from inbox.domain.routing.matchers.compile import children, compile_test
from inbox.domain.routing.matchers.fields import MatchSubject
from inbox.domain.routing.matchers.text import to_text
from inbox.domain.routing.matchers.tokens import ANY_EVENT
from inbox.domain.routing.matchers.tree import require

MAX_SHOWN = 200
"""The limit of characters in a displayed clause and in a displayed value."""

MAX_RECORD = 16 * 1024
"""The limit of characters in the record of a match. Further clauses are counted."""

_encoded = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_Trace = Callable[[MatchSubject], "tuple[bool, tuple[Step, ...]]"]


class Step(NamedTuple):
    """The text of a clause, whether it holds, and its value: text, a number, a boolean or `None` (missing)."""

    clause: str
    matched: bool
    value: Any


class Trace(NamedTuple):
    """The deciding clauses: all that caused a match, or all that caused a miss. All steps have the same `matched`."""

    matched: bool
    steps: tuple[Step, ...]

    def record(self) -> list[dict[str, Any]]:
        """Serializes the steps: `[{"clause", "matched", "value"}]`."""
        return [{"clause": step.clause, "matched": step.matched, "value": step.value} for step in self.steps]


def trace(tree: Any, subject: MatchSubject) -> Trace:
    """Returns the trace of a tree for one event. Raises `BadMatch`."""
    return tracer(tree)(subject)


def tracer(tree: Any) -> Callable[[MatchSubject], Trace]:
    """Returns a function that traces a tree for many events, prepared at its first call. Raises `BadMatch`."""
    require(tree)

    @cache
    def prepare() -> _Trace:
        return _trace(tree, negated=False)

    return lambda subject: Trace(*prepare()(subject))


def _trace(node: Any, *, negated: bool) -> _Trace:
    """Evaluates in written order until the result is certain.

    `not` moves inwards, so that each step counts for the whole tree.
    """
    if "not" in node:
        return _trace(node["not"], negated=not negated)
    if "field" in node:
        return _clause(node, negated=negated)
    traces = [_trace(child, negated=negated) for child in children(node)]
    if not traces:
        return lambda subject: (True, (Step(ANY_EVENT, True, None),))
    return _group(traces, deciding_result=("any" in node) != negated)


def _clause(node: Any, *, negated: bool) -> _Trace:
    holds, read = compile_test(node), clause_of(node).field.read
    text = clause_text(node, negated=negated)

    def trace_clause(subject: MatchSubject) -> tuple[bool, tuple[Step, ...]]:
        matched = holds(subject) is not negated
        return matched, (Step(text, matched, displayed_value(read(subject))),)

    return trace_clause


def clause_text(node: Any, *, negated: bool) -> str:
    """Returns the displayed text of a clause."""
    return str(displayed_value(to_text({"not": node} if negated else node)))


def _group(traces: list[_Trace], *, deciding_result: bool) -> _Trace:
    """Returns the first part with the result `deciding_result`, which decides.

    Without such a part, all parts decide together.
    """

    def trace_group(subject: MatchSubject) -> tuple[bool, tuple[Step, ...]]:
        steps: list[Step] = []
        for each in traces:
            matched, found = each(subject)
            if matched is deciding_result:
                return matched, found
            steps.extend(found)
        return not deciding_result, tuple(steps)

    return trace_group


def displayed_value(value: Any) -> Any:
    """Returns the displayed value: numbers and booleans unchanged, all else as text, truncated.

    The first `MAX_SHOWN` entries of a list already exceed the limit of characters.
    """
    if not isinstance(value, str):
        if value is None or isinstance(value, bool | int | float):
            return value
        value = _list_text(value[:MAX_SHOWN]) if isinstance(value, list | tuple) else _encoded(value)
    return value if len(value) <= MAX_SHOWN else value[: MAX_SHOWN - 1] + "…"


def _list_text(values: Sequence[Any]) -> str:
    """Returns the list as JSON text. Most lists contain only text, as tags do, so text has a faster path."""
    return f"[{','.join([quoted(each) if type(each) is str else _encoded(each) for each in values])}]"
