"""Regular expressions of users, run by an engine with linear time and bounded memory.

Specification 6.3.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Protocol

import re2

LENGTH_LIMIT = 512
"""The limit of characters in a pattern."""

SIZE_LIMIT = 2_000
"""The limit of instructions of all patterns in one match.

A pattern has about one instruction for each character, and more for `{n}` and `\\p`. The time of a search is at most
proportional to instructions times bytes, for every pattern and text.
"""

LONG_TEXT_SIZE_LIMIT = 250
"""The limit for patterns that search a body or metadata, which can have 64 times the length of a title."""

_OPTIONS = re2.Options()
_OPTIONS.log_errors = False
_OPTIONS.never_capture = True
_OPTIONS.max_mem = 256 * 1024

_CAPTURING = re2.Options()
_CAPTURING.log_errors = False
_CAPTURING.max_mem = 256 * 1024

_LITERAL = re.compile(r"(\^?)([\w :/@-]+)")
"""A literal pattern. It needs no engine, and most users write such patterns (`^host:db`)."""

_PARTS = re.compile(
    r"\\[pP](?:\{[^}]*+\}|.)?"
    r"|\\x\{[^}]*+\}"
    r"|\\."
    r"|\[(?:\\.|[^\]\\])*+\]?"
    r"|\{(\d+)(?:,(\d*))?\}"
    r"|.",
    re.DOTALL,
)
"""The parts of a pattern: an escaped character, a class, a number of repetitions, or one other character."""

_WEIGHT_OF_UNICODE_CLASS = 10
"""A class of Unicode has at least as many instructions, up to hundreds."""

_MESSAGE_LIMIT = 80


class _Match(Protocol):
    """The part of a match that is used. Groups that took no part are None."""

    def groupdict(self) -> dict[str, bytes | None]: ...


class _Pattern(Protocol):
    """The part of a compiled pattern that is used. The library has no public name for its class."""

    programsize: int
    groupindex: dict[str, int]

    def search(self, text: bytes) -> _Match | None: ...


class BadPattern(ValueError):
    """The text is no regular expression of this engine. The message gives the cause."""


def search_test(pattern: str) -> Callable[[str | None], bool]:
    """Returns a test that searches a text for the pattern in RE2 syntax. Raises `BadPattern`.

    `None` never matches. `^` and `$` are the ends of the text.
    """
    literal = _LITERAL.fullmatch(pattern)
    if literal is not None:
        part = literal[2]
        if literal[1]:
            return lambda text: text is not None and text.startswith(part)
        return lambda text: text is not None and part in text
    search = _compiled(pattern).search
    return lambda text: text is not None and search(text.encode("utf-8", "replace")) is not None


def group_reader(pattern: str) -> Callable[[str], Mapping[str, str | None] | None]:
    """Returns a search for the pattern. It returns the named groups, each None if it did not match.

    The search returns None without a match. Raises `BadPattern`.
    """
    search = _compiled(pattern, _CAPTURING).search

    def read(text: str) -> Mapping[str, str | None] | None:
        found = search(text.encode("utf-8", "replace"))
        if found is None:
            return None
        groups = found.groupdict().items()
        return {name: None if part is None else part.decode("utf-8", "replace") for name, part in groups}

    return read


@lru_cache(maxsize=1_000)
def group_names(pattern: str) -> frozenset[str]:
    """Returns the names of the groups of a pattern. Raises `BadPattern`."""
    return frozenset(_compiled(pattern, _CAPTURING).groupindex)


@lru_cache(maxsize=4_000)
def size(pattern: str) -> int:
    """Returns the number of instructions of the compiled pattern. Raises `BadPattern`.

    A pattern whose `weight` exceeds the limit is not compiled, and its weight is returned.
    """
    estimated = weight(pattern)
    return estimated if estimated > SIZE_LIMIT else max(estimated, _compiled(pattern).programsize)


def weight(pattern: str) -> int:
    """Estimates the time to compile a pattern, from its repetitions and its classes of Unicode.

    Compilation copies the part that `{n}` repeats, even if nothing of it remains in the program (`(?:\\pL{0}){50}`). For other
    patterns the estimate is not above the number of instructions.
    """
    groups = [0]
    last = 0
    for found in _PARTS.finditer(pattern):
        part = found[0]
        if part == "(":
            groups.append(0)
            last = 0
        elif part == ")" and len(groups) > 1:
            last = groups.pop()
            groups[-1] += last
        elif found[1] is not None:
            repeated = max(last, 1) * max(1, _number(found[1]), _number(found[2]))
            groups[-1] += repeated - last
            last = repeated
        else:
            last = _WEIGHT_OF_UNICODE_CLASS * _unicode_classes(part)
            groups[-1] += last
    return sum(groups)


def _number(digits: str | None) -> int:
    """Returns the number of repetitions. The engine allows at most 1,000."""
    return min(int(digits), 1_000) if digits and len(digits) < 6 else 0


def _unicode_classes(part: str) -> int:
    if part.startswith("["):
        return part.count(r"\p") + part.count(r"\P")
    return 1 if part.startswith((r"\p", r"\P")) else 0


def _compiled(pattern: str, options: re2.Options = _OPTIONS) -> _Pattern:
    if weight(pattern) > SIZE_LIMIT:
        raise BadPattern("too many repetitions or classes of Unicode")
    try:
        compiled: _Pattern = re2.compile(pattern, options=options)
    except re2.error as error:
        raise BadPattern(_message(error)) from None
    return compiled


def _message(error: re2.error) -> str:
    """Returns the message of the engine, truncated. It ends with the faulty part of the pattern."""
    reason = error.args[0] if error.args else ""
    text = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
    return text if len(text) <= _MESSAGE_LIMIT else f"{text[:_MESSAGE_LIMIT]}…"
