"""The tree of a match: validation, canonical form, compilation to one test, and cost limits (specification 6.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from inbox.domain.routing.matchers import patterns
from inbox.domain.routing.matchers.clauses import MEMBERS, Clause, clause_of, faults_of
from inbox.domain.routing.matchers.compile import Test, children, compile_test
from inbox.domain.routing.matchers.fields import Op
from inbox.domain.routing.matchers.size import json_bytes, size_faults
from inbox.domain.values import severity
from inbox.domain.values.refusals import Fault

DEPTH_LIMIT = 4
"""The limit of nested `all`, `any` and `not`."""

CLAUSES_LIMIT = 50
FAULTS_LIMIT = 20
"""The limit of reported faults."""

TOO_MANY_CLAUSES = f"must be removed: a match holds at most {CLAUSES_LIMIT} clauses"
_BAD_PATTERN = "must be a regular expression in RE2 syntax, without look-around and back-references"
_SHAPE_FAULT = 'must be {"all": [...]}, {"any": [...]}, {"not": ...} or {"field", "op", "value"}'


Spend = Callable[[], None]
"""Called before each pattern is compiled, which takes a few milliseconds. It may raise."""


def no_budget() -> None:
    """Spends nothing."""


class BadMatch(ValueError):
    """A tree is no valid match, or a text has a syntax error. `faults` are the places and the expectations."""

    def __init__(self, faults: list[Fault]) -> None:
        super().__init__("; ".join(f"{fault.pointer or 'match'} {fault.detail}" for fault in faults))
        self.faults = faults


def check(tree: Any, spend: Spend = no_budget) -> list[Fault]:
    """Returns the faults of a tree, with pointers relative to it (`/all/0/value`); empty if the tree can be stored.

    Patterns are compiled last, one after the other until the first fault. A tree that is too large has only this fault.
    """
    checking = _Checker()
    checking.node(tree, "", 0)
    too_large = [] if checking.faults else size_faults(canonical(tree))
    return too_large or _with_pattern_faults(checking, spend)


def canonical(tree: Any) -> Any:
    """Returns the tree as it is stored and displayed: each severity once and by its canonical name (specification 4.2).

    Invalid parts are returned unchanged.
    """
    match tree:
        case {"field": "severity", "value": list(values)} if all(isinstance(each, str) for each in values):
            return {**tree, "value": list(dict.fromkeys(map(_name, values)))}
        case {"field": "severity", "value": str(value)}:
            return {**tree, "value": _name(value)}
        case {"all": list(nodes)}:
            return {**tree, "all": [canonical(node) for node in nodes]}
        case {"any": list(nodes)}:
            return {**tree, "any": [canonical(node) for node in nodes]}
        case {"not": inner}:
            return {**tree, "not": canonical(inner)}
        case _:
            return tree


def compile_match(tree: Any) -> Test:
    """Compiles the tree to one test that is called for many events. Raises `BadMatch`, but not for its size."""
    require(tree)
    return compile_test(tree)


def require(tree: Any) -> None:
    """Raises `BadMatch` if the tree cannot be compiled. A tree of an earlier version may be larger than `check` allows."""
    checking = _Checker()
    checking.node(tree, "", 0)
    faults = _with_pattern_faults(checking, no_budget)
    if faults:
        raise BadMatch(faults)


def needs(tree: Any) -> frozenset[str]:
    """Returns the columns to load for a checked tree, of `body metadata url external_id`."""
    return frozenset(clause.field.column for clause in clauses(tree) if clause.field.column)


def clauses(tree: Any) -> Iterator[Clause]:
    """Yields the clauses of a checked tree in written order."""
    if "field" in tree:
        yield clause_of(tree)
        return
    for child in children(tree):
        yield from clauses(child)


class _Checker:
    """One pass over a tree. It stops at the limits, for a tree of any size."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self.clauses = 0
        self.patterns: list[tuple[str, Clause]] = []
        """The pointer of each pattern, and its clause."""

    def node(self, node: Any, at: str, depth: int) -> None:
        match node:
            case {"all": list(nodes)} | {"any": list(nodes)} if len(node) == 1:
                word = next(iter(node))
                if nodes or (word == "all" and not at):
                    self.group(nodes, [f"{at}/{word}/{index}" for index in range(len(nodes))], at, depth)
                else:
                    self.faults.append(Fault(f"{at}/{word}", "must hold at least one clause"))
            case {"not": inner} if len(node) == 1:
                self.group([inner], [f"{at}/not"], at, depth)
            case dict() if node.keys() == MEMBERS:
                self.clause(node, at)
            case _:
                self.faults.append(Fault(at, _SHAPE_FAULT))

    def group(self, nodes: list[Any], pointers: list[str], at: str, depth: int) -> None:
        if depth == DEPTH_LIMIT:
            self.faults.append(Fault(at, f"must not nest all, any and not more than {DEPTH_LIMIT} deep"))
            return
        for node, pointer in zip(nodes, pointers, strict=True):
            if self.clauses > CLAUSES_LIMIT or len(self.faults) >= FAULTS_LIMIT:
                return
            self.node(node, pointer, depth + 1)

    def clause(self, node: dict[str, Any], at: str) -> None:
        self.clauses += 1
        if self.clauses > CLAUSES_LIMIT:
            self.faults.append(Fault(at, TOO_MANY_CLAUSES))
            return
        faults = list(faults_of(node, at))
        self.faults.extend(faults)
        if node["op"] == Op.MATCHES and not faults:
            self.patterns.append((f"{at}/value", clause_of(node)))


class MatchCost(NamedTuple):
    """The cost of matches: instructions of all patterns, of patterns on long texts, and bytes of the trees.

    Instructions are the upper bound of the time of an event. Bytes are the upper bound of the memory of a process and
    of the time to compile.
    """

    steps: int = 0
    long_steps: int = 0
    bytes: int = 0

    def __add__(self, other: Any) -> MatchCost:
        return MatchCost(self.steps + other.steps, self.long_steps + other.long_steps, self.bytes + other.bytes)


TOTAL_BYTES_LIMIT = 2_097_152

TOTAL_LIMIT = MatchCost(10 * patterns.SIZE_LIMIT, 10 * patterns.LONG_TEXT_SIZE_LIMIT, TOTAL_BYTES_LIMIT)
"""The limit of cost for all rules of a workspace together, and for all its silences.

Each takes about a fifth of a second for the longest possible event, and as long to compile.
"""


def cost(tree: Any) -> MatchCost:
    """Returns the cost of a checked tree."""
    of_patterns = (_cost(clause) for clause in clauses(tree) if clause.op is Op.MATCHES)
    return sum(of_patterns, MatchCost(bytes=json_bytes(tree)))


def stored_cost(tree: Any) -> MatchCost:
    """Does the same as `cost`, for a stored tree. An invalid tree costs nothing, because it is never evaluated."""
    try:
        return cost(tree)
    except (ValueError, LookupError, TypeError, AttributeError):
        return MatchCost()


def total_fault(costs: Iterable[MatchCost], records: str) -> str | None:
    """Returns the fault of all matches of a workspace together; None if they are within the limit. `records` names them."""
    total = sum(costs, MatchCost())
    if total.steps > TOTAL_LIMIT.steps or total.long_steps > TOTAL_LIMIT.long_steps:
        return f"The regular expressions of all {records} together take too long to evaluate: simplify some."
    if total.bytes > TOTAL_LIMIT.bytes:
        return (
            f"The matches of all {records} together have more than {TOTAL_LIMIT.bytes:,} bytes: shorten or delete some."
        )
    return None


def _cost(clause: Clause) -> MatchCost:
    steps = patterns.size(clause.value)
    return MatchCost(steps, steps if clause.field.long else 0)


def _with_pattern_faults(checking: _Checker, spend: Spend) -> list[Fault]:
    """Returns the faults of the tree, with at most one from its patterns.

    The limit of cost applies to all patterns of a match together, so that its time is bounded.
    """
    faults = checking.faults[:FAULTS_LIMIT]
    total = MatchCost()
    for pointer, clause in checking.patterns:
        spend()
        try:
            total += _cost(clause)
        except patterns.BadPattern as bad:
            return [*faults, Fault(pointer, f"{_BAD_PATTERN}: {bad}")][:FAULTS_LIMIT]
        if total.steps > patterns.SIZE_LIMIT:
            return faults or _too_complex("of a match", patterns.SIZE_LIMIT)
        if total.long_steps > patterns.LONG_TEXT_SIZE_LIMIT:
            return faults or _too_complex("that search body and metadata", patterns.LONG_TEXT_SIZE_LIMIT)
    return faults


def _too_complex(which: str, limit: int) -> list[Fault]:
    return [Fault("", f"must be simpler: the regular expressions {which} come to more than {limit:,} steps")]


def _name(text: str) -> str:
    found = severity.parse(text)
    return text if found is None else str(found)
