"""The shape of a pattern, from which the bound of its work follows (decision 0010)."""

from __future__ import annotations

import re

_LITERAL = re.compile(r"\^?([\w :/@-]+)")
"""A pattern that is searched without the engine."""

_ELEMENT = re.compile(
    r"""
    (?P<plain> [^\\\[\](){}*+?|^$.] | \\[^\w\s] | [\^$|] | \(\?[is]\)(?<=^\(\?[is]\)) )
  | (?P<wide> \. | \\[dDwWsSbB] | \[\^?\]?(?:[^\]\\\[]|\\.)*\] )
  | (?P<group> \((?:\?:)? )
  | (?P<end> \) )
    """,
    re.VERBOSE | re.DOTALL,
)
_QUANTIFIER = re.compile(r"[*+?]\??")

SIMPLE_SIZE = 80
"""The limit of instructions of a simple pattern."""

SIMPLE_CHOICES = 4
"""The limit of elements of a simple pattern that match different characters, or a varying number of them."""


def literal_part(pattern: str) -> str | None:
    """Returns the text that a literal pattern searches; None for another pattern."""
    found = _LITERAL.fullmatch(pattern)
    return None if found is None else found[1]


def is_simple(pattern: str, size: int) -> bool:
    """Returns whether the engine needs few states, so that the time for a byte does not grow with the pattern.

    The number of states grows exponentially with the elements that are counted here, and with repeated groups.
    """
    if size > SIMPLE_SIZE:
        return False
    position = choices = 0
    while position < len(pattern):
        found = _ELEMENT.match(pattern, position)
        if found is None:
            return False
        position = found.end()
        quantifier = _QUANTIFIER.match(pattern, position)
        if quantifier is not None:
            if found.lastgroup == "group" or (found.lastgroup == "end" and quantifier[0][0] != "?"):
                return False
            position = quantifier.end()
        choices += quantifier is not None or found.lastgroup in ("wide", "group")
    return choices <= SIMPLE_CHOICES
