"""Which clauses decided whether an event is meant (specification 6.3)."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cache
from json.encoder import encode_basestring as quoted
from typing import Any, NamedTuple

from inbox.domain.matchers.clauses import clause_of
from inbox.domain.matchers.compile import children, compile_test
from inbox.domain.matchers.fields import Subject
from inbox.domain.matchers.text import to_text
from inbox.domain.matchers.tokens import EVERY
from inbox.domain.matchers.tree import require

MAX_SHOWN = 200
"""Characters of a value that are shown."""

_encoded = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_Trace = Callable[[Subject], "tuple[bool, tuple[Step, ...]]"]


class Step(NamedTuple):
    """A clause in words, whether it holds, and what it looked at: text, a number, a boolean, `None` where nothing is."""

    clause: str
    matched: bool
    value: Any


class Trace(NamedTuple):
    """What decided: of a match all clauses that carried it, of a miss those that failed it. They all say the same."""

    matched: bool
    steps: tuple[Step, ...]

    def record(self) -> list[dict[str, Any]]:
        """As JSON: `[{"clause", "matched", "value"}]`."""
        return [{"clause": step.clause, "matched": step.matched, "value": step.value} for step in self.steps]


def trace(tree: Any, subject: Subject) -> Trace:
    """Which clauses of a tree decide on one event. Raises `BadMatch`."""
    return tracer(tree)(subject)


def tracer(tree: Any) -> Callable[[Subject], Trace]:
    """The same for many events, prepared at the first. Raises `BadMatch`."""
    require(tree)

    @cache
    def walk() -> _Trace:
        return _trace(tree, negated=False)

    return lambda subject: Trace(*walk()(subject))


def _trace(node: Any, *, negated: bool) -> _Trace:
    """A walk in the order of writing, as far as needed; `not` moves inwards, so that each step speaks for the whole."""
    if "not" in node:
        return _trace(node["not"], negated=not negated)
    if "field" in node:
        return _clause(node, negated=negated)
    traces = [_trace(child, negated=negated) for child in children(node)]
    if not traces:
        return lambda subject: (True, (Step(EVERY, True, None),))
    return _group(traces, settles=("any" in node) != negated)


def _clause(node: Any, *, negated: bool) -> _Trace:
    holds, read = compile_test(node), clause_of(node).field.read
    text = to_text({"not": node} if negated else node)

    def walk(subject: Subject) -> tuple[bool, tuple[Step, ...]]:
        held = holds(subject) is not negated
        return held, (Step(text, held, shown(read(subject))),)

    return walk


def _group(traces: list[_Trace], *, settles: bool) -> _Trace:
    """The first part whose answer is `settles` settles it; without one, all parts together decide."""

    def walk(subject: Subject) -> tuple[bool, tuple[Step, ...]]:
        steps: list[Step] = []
        for each in traces:
            held, found = each(subject)
            if held is settles:
                return held, found
            steps.extend(found)
        return not settles, tuple(steps)

    return walk


def shown(value: Any) -> Any:
    """Numbers and booleans as they are, text and everything else as text, cut."""
    if not isinstance(value, str):
        if value is None or isinstance(value, bool | int | float):
            return value
        value = _listed(value) if isinstance(value, list | tuple) else _encoded(value)
    return value if len(value) <= MAX_SHOWN else value[: MAX_SHOWN - 1] + "…"


def _listed(values: Sequence[Any]) -> str:
    """Most lists are of texts: tags."""
    return f"[{','.join([quoted(each) if type(each) is str else _encoded(each) for each in values])}]"
