"""The text of a match, and its parsing (specification 6.4).

Example: `severity >= ERROR and resource matches "^host:db"`.
"""

from __future__ import annotations

from typing import Any

from inbox.domain.routing.matchers.parser import Parser
from inbox.domain.routing.matchers.size import TEXT_LIMIT
from inbox.domain.routing.matchers.tree import BadMatch, Spend, canonical, check, no_budget
from inbox.domain.routing.matchers.writing import to_text
from inbox.domain.values.refusals import Fault

__all__ = ["from_text", "to_text"]


def from_text(text: str, spend: Spend = no_budget) -> Any:
    """Returns the checked, canonical tree of a text. Raises `BadMatch`.

    Its faults give the number of the character, from 1, and the expected text. `spend` is called as by `check`.
    """
    if len(text) > TEXT_LIMIT:
        raise BadMatch([Fault("", f"must have at most {TEXT_LIMIT:,} characters")])
    parser = Parser(text)
    tree = parser.tree()
    faults = check(tree, spend)
    if faults:
        raise BadMatch([Fault("", f"at character {parser.position(tree, each) + 1}: {each.detail}") for each in faults])
    return canonical(tree)
