"""Each clause of a match by itself: for one event, what held and what failed (specification 6.9)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from inbox.domain import matchers
from inbox.domain.matchers import Subject


def clauses(tree: Any, subject: Subject) -> list[dict[str, Any]]:
    """Every clause in the order of writing: `[{"clause", "matched", "value"}]`.

    Beneath a `not` a clause is shown negated, so that what is `matched` always speaks for the whole.
    """
    return [step for leaf in leaves(tree) for step in matchers.trace(leaf, subject).record()]


def leaves(tree: Any, *, negated: bool = False) -> Iterator[dict[str, Any]]:
    """The clauses of a checked tree, each as a tree; those in which a `not` counts are within one."""
    if "field" in tree:
        yield {"not": tree} if negated else tree
    elif "not" in tree:
        yield from leaves(tree["not"], negated=not negated)
    else:
        for child in tree.get("all", tree.get("any")):
            yield from leaves(child, negated=negated)
