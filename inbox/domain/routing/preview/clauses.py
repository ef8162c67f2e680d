"""The result of each single clause of a match for one event (specification 6.9)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from inbox.domain.routing import matchers
from inbox.domain.routing.matchers import MatchSubject


def clauses(tree: Any, subject: MatchSubject) -> list[dict[str, Any]]:
    """Returns every clause in written order: `[{"clause", "matched", "value"}]`.

    A clause beneath a `not` is shown negated. `matched` therefore always counts towards a match of the whole tree.
    """
    return [step for leaf in leaves(tree) for step in matchers.trace(leaf, subject).record()]


def leaves(tree: Any, *, negated: bool = False) -> Iterator[dict[str, Any]]:
    """Yields the clauses of a checked tree, each as a tree. A clause beneath an odd number of `not` is wrapped in a `not`."""
    if "field" in tree:
        yield {"not": tree} if negated else tree
    elif "not" in tree:
        yield from leaves(tree["not"], negated=not negated)
    else:
        for child in tree.get("all", tree.get("any")):
            yield from leaves(child, negated=negated)
