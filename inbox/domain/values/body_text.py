"""Reads the bytes of a sender as text: a byte order mark, the declared character set, UTF-8, else Windows-1252.

Losing an alert over one letter is worse than a wrong letter (specification 2.2).
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from inbox.domain.values import charset_labels

FALLBACK = "windows-1252"
"""The character set of bytes that are no UTF-8 and have no declared one: old scripts of Windows send it."""

STEP = 64 * 1024
"""The bytes that are decoded before other requests may run."""

UTF_8 = "utf-8"
_MARKS = ((codecs.BOM_UTF8, UTF_8), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_WIDE = ((b"{\0", "utf-16-le"), (b"[\0", "utf-16-le"), (b"\0{", "utf-16-be"), (b"\0[", "utf-16-be"))
"""The beginnings of JSON in UTF-16 without a mark."""

_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:+-]{1,40})", re.IGNORECASE | re.ASCII)


class BodyText(NamedTuple):
    """A body in UTF-8 without a mark. `is_guessed`: its character set was not declared and is a guess."""

    body: bytes
    is_guessed: bool = False


def charset(content_type: str) -> str:
    """Returns the declared label of a content type; empty without one."""
    found = _CHARSET.search(content_type)
    return found[1] if found else ""


def beginning(body: bytes) -> bytes:
    """Returns the first character of a body that is no space and no mark, in UTF-8."""
    for mark, _ in _MARKS:
        body = body.removeprefix(mark)
    return body.lstrip(b" \t\r\n\v\f\0")[:1]


def is_utf8(body: bytes) -> bool:
    """Returns whether the bytes are text in UTF-8."""
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True


def in_utf8(body: bytes, label: str, pause: Callable[[], None] = lambda: None) -> BodyText:
    """Returns the body in UTF-8. `label` is the declared character set, or empty. `pause` is called between steps."""
    for mark, codec in _MARKS:
        if body.startswith(mark):
            return BodyText(_recoded(body[len(mark) :], codec, pause))
    if label and charset_labels.codec(label) not in (None, UTF_8):
        return BodyText(_recoded(body, label, pause))
    wide = next((codec for beginning, codec in _WIDE if body.startswith(beginning)), None)
    if wide is not None:
        return BodyText(_recoded(body, wide, pause))
    if is_utf8(body):
        return BodyText(body)
    return BodyText(_recoded(body, FALLBACK, pause), is_guessed=True)


def text(body: bytes, label: str = "") -> str:
    """Returns the text of a short body."""
    return in_utf8(body, label).body.decode("utf-8", "replace")


def _recoded(body: bytes, label: str, pause: Callable[[], None]) -> bytes:
    return b"".join(part.encode("utf-8", "replace") for part in _parts(body, label, pause))


def _parts(body: bytes, label: str, pause: Callable[[], None]) -> Iterator[str]:
    """Yields the text, of a long body in steps."""
    if len(body) <= STEP:
        yield charset_labels.decode(body, label) or ""
        return
    decoder = codecs.getincrementaldecoder(charset_labels.codec(label) or UTF_8)("replace")
    for at in range(0, len(body), STEP):
        pause()
        yield decoder.decode(body[at : at + STEP], final=at + STEP >= len(body))
