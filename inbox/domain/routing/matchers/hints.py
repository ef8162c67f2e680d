"""Hints for parse errors: the correct spelling of operators, and missing quotes (specification 6.3)."""

from __future__ import annotations

import re

QUOTED_TEXT = "text in double quotes"
"""The name of a missing text value in a parse error."""

MAX_VALUE_LENGTH = 60
"""The limit of characters in a repeated value."""

_REPLACEMENTS = {
    "&&": "and",
    "&": "and",
    "||": "or",
    "|": "or",
    "!": "not",
    "=~": "matches",
    "~=": "matches",
    "~": "matches",
    "<>": "!=",
    "===": "=",
    "=>": ">=",
    "=<": "<=",
    ">": ">=",
    "<": "<=",
    "[": "(",
}
"""The operator with the same or the nearest meaning."""

_SIGN = re.compile(r"[=&|!~<>]+|\[")
_NEGATED = re.compile(r"!~|not\s+(contains|startsWith|endsWith|matches)\b", re.IGNORECASE)
_NOT_EXISTS = re.compile(r"not\s+exists\b", re.IGNORECASE)
_QUOTES = re.compile(r"(?:'([^']*)'|‘([^’]*)’|`([^`]*)`|[“„]([^“”]*)[“”])")
_BARE = re.compile(r"[^\W_][^\s(),\"]*|_[^\s(),\"]*")


def hint(text: str, at: int, expected: str) -> str:
    """Returns the hint for the character at which `expected` was not found, or an empty text.

    Example: `; write "and" instead of "&&"`.
    """
    value = _value(text, at, expected) if QUOTED_TEXT in expected else ""
    if value:
        return f'; write "{value}" in double quotes'
    if "`missing`" in expected and _NOT_EXISTS.match(text, at):
        return '; write "missing" instead of "not exists"'
    if "`matches`" in expected and (found := _NEGATED.match(text, at)):
        return f'; write "not" before the field and "{found[1] or "matches"}" after it'
    return _operator_hint(text, at, expected)


def _value(text: str, at: int, expected: str) -> str:
    """Returns the probable text of a value; empty if it may be a number or is long."""
    quoted, bare = _QUOTES.match(text, at), _BARE.match(text, at)
    value = next(filter(None, quoted.groups()), "") if quoted else bare[0] if bare else ""
    may_be_number = "a number" in expected and value[:1].isdecimal()
    return "" if may_be_number or len(value) > MAX_VALUE_LENGTH else value


def _operator_hint(text: str, at: int, expected: str) -> str:
    """Returns the hint for an operator. It can begin before the character: the `=` of `=~` is itself a valid operator."""
    for start in range(max(0, at - 2), at + 1):
        found = _SIGN.match(text, start)
        replacement = _REPLACEMENTS.get(found[0]) if found and found.end() > at else None
        if found and replacement and (start < at or f"`{replacement}`" in expected):
            return f'; write "{replacement}" instead of "{found[0]}"'
    return ""
