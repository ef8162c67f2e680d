"""A match as a tree of clauses: checked, and compiled to one test of events (specification 6.3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from inbox.domain.matchers import patterns
from inbox.domain.matchers.clauses import MEMBERS, Clause, clause_of, faults_of
from inbox.domain.matchers.compile import Test, children, compile_test
from inbox.domain.matchers.fields import Op
from inbox.domain.refusals import Fault

DEPTH_LIMIT = 4
"""How deep `all`, `any` and `not` may be nested."""

CLAUSES_LIMIT = 50
FAULTS_LIMIT = 20
"""Faults that are told at once."""

_SHAPE = 'must be {"all": [...]}, {"any": [...]}, {"not": ...} or {"field", "op", "value"}'


class BadMatch(ValueError):
    """A tree that is no match, or a text that cannot be read; `faults` say where and what is wanted."""

    def __init__(self, faults: list[Fault]) -> None:
        super().__init__("; ".join(f"{fault.pointer or 'match'} {fault.detail}" for fault in faults))
        self.faults = faults


def check(tree: Any) -> list[Fault]:
    """All that is wrong with a tree, pointers relative to it (`/all/0/value`); empty when it can be compiled."""
    checking = _Checker()
    checking.node(tree, "", 0)
    return checking.faults[:FAULTS_LIMIT] or _too_complex(tree)


def compile(tree: Any) -> Test:
    """The tree as one test of events, to be called many times. Raises `BadMatch`."""
    require(tree)
    return compile_test(tree)


def require(tree: Any) -> None:
    """Raises `BadMatch` unless the tree is sound."""
    faults = check(tree)
    if faults:
        raise BadMatch(faults)


def needs(tree: Any) -> frozenset[str]:
    """What must be loaded for it, of `body metadata url external_id`. The tree is a checked one."""
    return frozenset(clause.field.column for clause in clauses(tree) if clause.field.column)


def clauses(tree: Any) -> Iterator[Clause]:
    """The clauses of a checked tree in the order in which they are written."""
    if "field" in tree:
        yield clause_of(tree)
        return
    for child in children(tree):
        yield from clauses(child)


class _Checker:
    """One walk over a tree that stops at the limits, however large the tree is."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self.clauses = 0

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
                self.faults.append(Fault(at, _SHAPE))

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
            self.faults.append(Fault(at, f"must be removed: a match holds at most {CLAUSES_LIMIT} clauses"))
            return
        self.faults.extend(faults_of(node, at))


class PatternCost(NamedTuple):
    """What the regular expressions of a match, or of many, cost at most: instructions, and those that search long texts."""

    steps: int = 0
    long_steps: int = 0

    def __add__(self, other: Any) -> PatternCost:
        return PatternCost(self.steps + other.steps, self.long_steps + other.long_steps)


MATCH_LIMIT = PatternCost(patterns.SIZE_LIMIT, patterns.LONG_TEXT_SIZE_LIMIT)

TOTAL_LIMIT = PatternCost(10 * MATCH_LIMIT.steps, 10 * MATCH_LIMIT.long_steps)
"""What all rules of a workspace may cost together, and all its silences: about a fifth of a second each for the longest
event there can be."""


def pattern_cost(tree: Any) -> PatternCost:
    """What the patterns of a checked tree cost at most."""
    sizes = [(clause.field.long, patterns.size(clause.value)) for clause in clauses(tree) if clause.op is Op.MATCHES]
    return PatternCost(sum(size for _, size in sizes), sum(size for is_long, size in sizes if is_long))


def too_costly(trees: Iterable[Any]) -> bool:
    """Whether an event that meets all of these would cost more than it is worth; who cannot be asked costs nothing."""
    cost = sum((pattern_cost(tree) for tree in trees if not check(tree)), PatternCost())
    return any(total > most for total, most in zip(cost, TOTAL_LIMIT, strict=True))


def _too_complex(tree: Any) -> list[Fault]:
    """Patterns are bounded together, so that no match takes longer than its events are worth."""
    cost = pattern_cost(tree)
    for limit, total, which in (
        (MATCH_LIMIT.steps, cost.steps, "of a match"),
        (MATCH_LIMIT.long_steps, cost.long_steps, "that search body and metadata"),
    ):
        if total > limit:
            detail = f"must be simpler: the regular expressions {which} come to {total:,} steps of {limit:,}"
            return [Fault("", detail)]
    return []
