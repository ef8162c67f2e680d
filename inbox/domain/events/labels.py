"""Labels of events: the members of `metadata` by their names, as people see them (specification 4.10)."""

from __future__ import annotations

from collections.abc import Iterator

GROUPS = ("labels", "commonLabels", "annotations", "commonAnnotations")
"""The members of `metadata` in which senders put labels. A label needs no such name before its own."""

LONGEST_FILTER = 512
"""The most characters of a filter by a label."""

DEEPEST = 6
"""The most parts of a name between dots."""


def parsed(text: str) -> tuple[str, str] | None:
    """Returns the name and the value of `name=value`; None without a name. The first `=` divides them."""
    name, equals, value = text.partition("=")
    return (name, value) if name and equals and len(text) <= LONGEST_FILTER and name.count(".") < DEEPEST else None


def paths(name: str) -> Iterator[tuple[str, ...]]:
    """Yields where a label of this name may be. Dots in it are part of a name or stand between two."""
    parts = tuple(name.split("."))
    for each in dict.fromkeys(((name,), parts)):
        yield each
        yield from ((group, *each) for group in GROUPS)
