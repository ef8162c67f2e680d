"""Sample of a payload that gave no event or lost an item: limited in size, without secrets (specification 19.14)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import takewhile
from typing import Any

import orjson

from inbox.domain.values import redaction
from inbox.domain.values.redaction import MARK

LONGEST_BODY = 16_384
MOST_SEARCHED = LONGEST_BODY * 2
"""The number of bytes in which secrets are masked before the text is cut. Later bytes are not read."""

_LEAST = 2
"""The number of characters of the shortest value, including its line."""

MOST_HEADERS = 50
LONGEST_HEADER = 200

_VISIBLE = frozenset(
    {
        *("accept", "content-length", "content-type", "idempotency-key", "request-id", "user-agent"),
        *("sentry-hook-resource", "x-github-delivery", "x-github-event", "x-gitlab-event"),
    }
)
"""The headers whose values are stored."""

_SECRET_NAME = (
    r"(?:pass(?:word|wd|phrase)?|secret|token|credential|auth(?:orization)?|api[_-]?key|access[_-]?key|private[_-]?key"
    r"|cookie|session|signature|routing[_-]?key|integration[_-]?key)"
)
_SECRET_MEMBER = re.compile(_SECRET_NAME, re.IGNORECASE)
_QUOTE = r"\\{0,4}[\"']?"
_SECRET_ASSIGNMENT = re.compile(
    rf"({_SECRET_NAME}[\w-]{{0,40}}{_QUOTE}\s{{0,8}}[:=]\s{{0,8}}{_QUOTE}(?:(?:bearer|basic|geniekey|token)\s{{1,8}})?)"
    r"[^\s\"'&,;\\]+",
    re.IGNORECASE,
)
"""Matches a name and its value in a text, which may be JSON inside JSON."""


def body_of(body: bytes, document: Any) -> tuple[str, bool]:
    """Returns the text of a body without secrets, at most `LONGEST_BODY` characters, and whether it was cut.

    `document` is the parsed body; None when it cannot be parsed. Bytes that are no text become U+FFFD.
    """
    masking = _Masking()
    whole = body if document is None else orjson.dumps(masking.masked(document), option=orjson.OPT_INDENT_2)
    # Bytes far beyond the stored length are never searched.
    text = _SECRET_ASSIGNMENT.sub(rf"\1{MARK}", whole[:MOST_SEARCHED].decode("utf-8", "replace"))
    text = redaction.redact(text).replace("\x00", "\ufffd")
    return redaction.cut(text, LONGEST_BODY), len(text) > LONGEST_BODY or masking.has_cut


def headers_of(headers: Mapping[str, str]) -> dict[str, str]:
    """Returns the headers of a request. Only values that cannot be a credential are stored."""
    first = sorted(headers.items())[:MOST_HEADERS]
    return {name[:LONGEST_HEADER]: _value(value) if name in _VISIBLE else MARK for name, value in first}


def _value(text: str) -> str:
    printable = "".join(character if character.isprintable() else "\ufffd" for character in text)
    return redaction.cut(redaction.redact(printable), LONGEST_HEADER)


class _Masking:
    """Masks the secret members of a document, and leaves out everything beyond `MOST_SEARCHED`."""

    def __init__(self) -> None:
        self._room = MOST_SEARCHED

    @property
    def has_cut(self) -> bool:
        """Returns whether something was left out."""
        return self._room <= 0

    def masked(self, value: Any) -> Any:
        if isinstance(value, Mapping):
            return {
                redaction.redact(self._cut(str(name))): MARK
                if _SECRET_MEMBER.search(str(name)) and each
                else self.masked(each)
                for name, each in takewhile(self._has_room, value.items())
            }
        if isinstance(value, list):
            return [self.masked(each) for each in takewhile(self._has_room, value)]
        return self._cut(value) if isinstance(value, str) else value

    def _has_room(self, _: object) -> bool:
        self._room -= _LEAST
        return self._room > 0

    def _cut(self, text: str) -> str:
        part = text[: max(self._room, 0)]
        self._room -= len(text)
        return part
