"""Converts the matchers of a route of Alertmanager into clauses of a match (specification 22.5)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from inbox.domain.routing.matchers import patterns
from inbox.domain.routing.matchers.patterns import BadPattern
from inbox.domain.routing.matchers.tree import CLAUSES_LIMIT
from inbox.intake.base import Node
from inbox.intake.importers.plan import stored_text

_LABEL = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_MATCHER = re.compile(
    r"""\s*(?P<label>[A-Za-z_][A-Za-z0-9_]*)\s*(?P<op>=~|!~|!=|=)\s*(?P<value>"(?:[^"\\]|\\.)*"|[^,"]*?)\s*(?:,|$)""",
    re.ASCII,
)
_ESCAPED = re.compile(r'\\(["\\n])')


class BadMatchers(Exception):
    """A matcher cannot be read."""


class LabelClause(NamedTuple):
    """A clause over a label, and the matcher as Alertmanager writes it."""

    clause: dict[str, Any]
    text: str


def clauses_of(route: Node, count_above: int = 0) -> list[LabelClause]:
    """Returns the clauses of the matchers of a route, in the current and the older forms.

    Raises `BadMatchers`. `count_above` is the number of clauses of the parent routes, which are in the same match.
    """
    return bounded(_matchers(route), count_above)


def bounded(found: Iterable[tuple[str, str, str]], count_above: int = 0) -> list[LabelClause]:
    """Returns the clauses of these matchers.

    Raises `BadMatchers` at the first one that exceeds the maximum, and examines no others.
    """
    made: list[LabelClause] = []
    for matcher in found:
        if count_above + len(made) >= CLAUSES_LIMIT:
            raise BadMatchers(f"A match has at most {CLAUSES_LIMIT} clauses.")
        made.append(clause_of(*matcher))
    return made


def _matchers(route: Node) -> Iterator[tuple[str, str, str]]:
    """Returns the label, the operator and the value of each matcher."""
    for name, op in (("match", "="), ("match_re", "=~")):
        for label, value in _pairs(route, name):
            yield label, op, value
    listed = route.at("matchers").value
    if listed is not None and not (isinstance(listed, list) and all(isinstance(each, str) for each in listed)):
        raise BadMatchers("`matchers` is no list of texts.")
    for text in listed or ():
        yield from _parsed(text)


def _pairs(route: Node, name: str) -> Iterator[tuple[str, str]]:
    """Returns the labels of a mapping with their values. A missing value is the empty text."""
    found = route.at(name).value
    if found is not None and not isinstance(found, Mapping):
        raise BadMatchers(f"`{name}` has no names of labels.")
    for label, value in (found or {}).items():
        if not isinstance(value, str | None):
            raise BadMatchers(f"The value of {str(label)[:80]} is no text.")
        yield label or "", value or ""


def _parsed(text: str) -> Iterator[tuple[str, str, str]]:
    """Parses the matchers of a text: `a="b"`, or several in braces."""
    rest = text.strip()
    if rest.startswith("{") and rest.endswith("}"):
        rest = rest[1:-1]
    at = 0
    while at < len(rest.rstrip().rstrip(",")):
        found = _MATCHER.match(rest, at)
        if found is None:
            raise BadMatchers(f"The matcher {text[:80]!r} cannot be read.")
        value = found["value"]
        if value.startswith('"'):
            value = _ESCAPED.sub(lambda each: "\n" if each[1] == "n" else each[1], value[1:-1])
        yield found["label"], found["op"], value
        at = found.end()


def clause_of(label: str, op: str, value: str) -> LabelClause:
    """Returns the clause of one matcher. Raises `BadMatchers`.

    A missing label equals the empty text, as in Alertmanager. Its patterns match the whole value.
    """
    if not _LABEL.fullmatch(label):
        raise BadMatchers(f"{label[:80]!r} is no name of a label.")
    if value != stored_text(value):
        raise BadMatchers(f"The value of {label[:80]} has characters that cannot be stored.")
    field, text = f"metadata.labels.{label}", f"{label}{op}{value!r}".replace("'", '"')
    match op:
        case "=" if value == "":
            clause: dict[str, Any] = {"field": field, "op": "exists", "value": False}
        case "!=" if value == "":
            clause = {"field": field, "op": "exists", "value": True}
        case "=":
            clause = {"field": field, "op": "eq", "value": value}
        case "!=":
            clause = {"not": {"field": field, "op": "eq", "value": value}}
        case "=~":
            clause = _pattern(field, value)
        case _:
            clause = {"not": _pattern(field, value)}
    return LabelClause(clause, text)


def _pattern(field: str, value: str) -> dict[str, Any]:
    whole = f"^(?:{value})$"
    clause = {"field": field, "op": "matches", "value": whole}
    try:
        matches_nothing = patterns.search_test(whole)("")
    except BadPattern as fault:
        raise BadMatchers(f"The pattern {value[:80]!r} cannot be used: {fault}.") from None
    return {"any": [{"field": field, "op": "exists", "value": False}, clause]} if matches_nothing else clause
