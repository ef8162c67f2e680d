"""The sentences about the alerts of an incident."""

from __future__ import annotations

from collections.abc import Sequence

MAX_NAMED = 5
"""The number of titles in the sentence about joined alerts."""


def of_firing(firing: int, total: int) -> str:
    """Returns how many of the alerts fire: `2 of 3 still firing`."""
    return f"{firing:,} of {total:,} still firing"


def of_joined(count: int, titles: Sequence[str]) -> str:
    """Returns the sentence about alerts that joined, with the first titles."""
    named = titles[:MAX_NAMED]
    alerts = "A further alert joined" if count == 1 else f"{count:,} further alerts joined"
    more = f" and {count - len(named):,} more" if count > len(named) else ""
    return f"{alerts}: {', '.join(named)}{more}."
