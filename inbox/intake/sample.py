"""What is kept of a payload that gave no event or lost an item: bounded, and without secrets (specification 19.14)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import orjson

from inbox.domain import redaction
from inbox.domain.redaction import MARK

LONGEST_BODY = 16_384
MOST_HEADERS = 50
LONGEST_HEADER = 200

_VISIBLE = frozenset(
    {
        *("accept", "content-length", "content-type", "idempotency-key", "request-id", "user-agent"),
        *("sentry-hook-resource", "x-github-delivery", "x-github-event", "x-gitlab-event"),
    }
)
"""The headers whose values are kept."""

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
"""A name and its value in a text, which may be JSON inside JSON."""


def body_of(body: bytes, document: Any) -> tuple[str, bool]:
    """The text of a body without secrets, at most `LONGEST_BODY` characters, and whether it was cut.

    `document` is the parsed body; None when it cannot be parsed. A body that is no text has U+FFFD in it.
    """
    whole = body if document is None else orjson.dumps(_masked(document), option=orjson.OPT_INDENT_2)
    # Far more than is kept is never searched.
    text = _SECRET_ASSIGNMENT.sub(rf"\1{MARK}", whole[: LONGEST_BODY * 4].decode("utf-8", "replace"))
    text = redaction.redact(text).replace("\x00", "\ufffd")
    return redaction.cut(text, LONGEST_BODY), len(text) > LONGEST_BODY


def headers_of(headers: Mapping[str, str]) -> dict[str, str]:
    """The headers of a request. Only values that cannot be a credential are kept."""
    first = sorted(headers.items())[:MOST_HEADERS]
    return {name[:LONGEST_HEADER]: _value(value) if name in _VISIBLE else MARK for name, value in first}


def _value(text: str) -> str:
    printable = "".join(character if character.isprintable() else "\ufffd" for character in text)
    return redaction.cut(redaction.redact(printable), LONGEST_HEADER)


def _masked(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {
            redaction.redact(str(name)): MARK if _SECRET_MEMBER.search(str(name)) and each else _masked(each)
            for name, each in value.items()
        }
    if isinstance(value, list):
        return [_masked(each) for each in value]
    return value
