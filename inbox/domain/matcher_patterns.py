"""Regular expressions that people write, run by an engine that takes linear time and bounded memory (decision 8)."""

from __future__ import annotations

from collections.abc import Callable

import re2

LENGTH_LIMIT = 512
"""Characters of a pattern."""

SIZE_LIMIT = 1_000
"""Instructions of all patterns of one match together; about one for each character written, more for `{n}`."""

LONG_TEXT_SIZE_LIMIT = 250
"""The same for those that search a body or metadata: the time of a search is bounded by instructions times bytes."""

_OPTIONS = re2.Options()
_OPTIONS.log_errors = False
_OPTIONS.never_capture = True
_OPTIONS.max_mem = 256 * 1024


class BadPattern(ValueError):
    """What is written is no regular expression of this engine; the text says why."""


def searching(pattern: str) -> Callable[[str], bool]:
    """Whether the pattern is found anywhere in a text: RE2 syntax, `^` and `$` are the ends of the text.

    Raises `BadPattern`.
    """
    search = _compiled(pattern).search

    def found(text: str) -> bool:
        return search(text.encode("utf-8", "replace")) is not None

    return found


def size(pattern: str) -> int:
    """Instructions of the compiled pattern. Raises `BadPattern`."""
    instructions: int = _compiled(pattern).programsize
    return instructions


def _compiled(pattern: str) -> re2._Regexp:
    try:
        return re2.compile(pattern, options=_OPTIONS)
    except re2.error as error:
        raise BadPattern(_said(error)) from None


def _said(error: re2.error) -> str:
    reason = error.args[0] if error.args else ""
    return reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
