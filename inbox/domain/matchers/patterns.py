"""Regular expressions that people write, run by an engine that takes linear time and bounded memory.

Specification 6.3.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

import re2

LENGTH_LIMIT = 512
"""Characters of a pattern."""

SIZE_LIMIT = 2_000
"""Instructions of all patterns of one match together; about one for each character written, more for `{n}` and `\\p`.

The time of a search is bounded by instructions times bytes, whatever the pattern and the text.
"""

LONG_TEXT_SIZE_LIMIT = 250
"""The same for those that search a body or metadata, which may have 64 times the length of a title."""

_OPTIONS = re2.Options()
_OPTIONS.log_errors = False
_OPTIONS.never_capture = True
_OPTIONS.max_mem = 256 * 1024

_LITERAL = re.compile(r"(\^?)([\w :/@-]+)")
"""What means itself: it needs no engine, and is what most people write (`^host:db`)."""

MAX_CACHED, SHORT = 65_536, 256
"""So many answers are kept in a process, for texts of at most so many characters: resources, types and keys come again and
again, and to look one up takes a tenth of the time of a search."""

_UNANCHORED = re2._Anchor.UNANCHORED
_NOT_FOUND = (-1, -1)
_MESSAGE_LIMIT = 80


class BadPattern(ValueError):
    """What is written is no regular expression of this engine; the text says why."""


def searching(pattern: str) -> Callable[[str | None], bool]:
    """Whether the pattern is found anywhere in a text, never in `None`: RE2 syntax, `^` and `$` are the text's ends.

    Raises `BadPattern`.
    """
    literal = _LITERAL.fullmatch(pattern)
    if literal is not None:
        part = literal[2]
        if literal[1]:
            return lambda text: text is not None and text.startswith(part)
        return lambda text: text is not None and part in text
    search = _search(pattern)
    return lambda text: text is not None and (_cached(pattern, text) if len(text) <= SHORT else search(text))


@lru_cache(maxsize=MAX_CACHED)
def _cached(pattern: str, text: str) -> bool:
    return _search(pattern)(text)


@lru_cache(maxsize=1_024)
def _search(pattern: str) -> Callable[[str], bool]:
    """The engine's own search: what the package wraps around it says where, which takes longer than to find it."""
    search = _compiled(pattern)._regexp.Match

    def found(text: str) -> bool:
        encoded = text.encode("utf-8", "replace")
        return bool(search(_UNANCHORED, encoded, 0, len(encoded))[0] != _NOT_FOUND)

    return found


def size(pattern: str) -> int:
    """Instructions of the compiled pattern. Raises `BadPattern`."""
    instructions: int = _compiled(pattern).programsize
    return instructions


def _compiled(pattern: str) -> re2._Regexp:
    try:
        return re2.compile(pattern, options=_OPTIONS)
    except re2.error as error:
        raise BadPattern(_message(error)) from None


def _message(error: re2.error) -> str:
    """The engine's words, which end with the part of the pattern that it means."""
    reason = error.args[0] if error.args else ""
    text = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
    return text if len(text) <= _MESSAGE_LIMIT else f"{text[:_MESSAGE_LIMIT]}…"
