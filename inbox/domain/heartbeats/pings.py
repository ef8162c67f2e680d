"""The content of a ping: the signal in its path, and its text (specification 18.5)."""

from __future__ import annotations

import codecs
import re

from inbox.domain.heartbeats.monitor import PingKind
from inbox.domain.values import body_text
from inbox.domain.values.redaction import redact
from inbox.domain.values.refusals import BadRequest, NotFound

BODY_BYTES = 10_000
"""The maximum bytes of a stored text."""

READ_BYTES = BODY_BYTES + 200
"""The maximum bytes that are read. A secret at the cut is redacted before the text is cut."""

LARGEST = 2**40
"""The limit of the announced length, so large that it refuses none. Nothing beyond `READ_BYTES` is kept."""

LONGEST_AGENT = 200
LARGEST_EXIT_CODE = 255

LONGEST_SLUG = 64
SLUG = re.compile(rf"(?!(?:start|fail|log|[0-9]+)(?![a-z0-9_-]))[a-z0-9_-]{{1,{LONGEST_SLUG}}}")
"""The form of a slug. Words and numbers that are signals are no slugs."""

PLAIN_PATH = re.compile(
    r"/v1/heartbeats/(?:(?P<token>svc_hb_[0-9A-Za-z]{49})"
    rf"|(?P<key>svc_ping_[0-9A-Za-z]{{49}})/(?P<slug>{SLUG.pattern}))"
    r"(?:/(?P<signal>start|fail|log|[0-9]{1,2}|1[0-9]{2}|2[0-4][0-9]|25[0-5]))?/?"
)
"""Matches the path of a plain ping: a token, or a ping key and a slug, an optional signal, an optional slash."""

_WORDS = {"": PingKind.SUCCESS, "start": PingKind.START, "fail": PingKind.FAIL, "log": PingKind.LOG}


def is_signal(text: str) -> bool:
    """Returns whether a segment of the path is a signal, and not a token."""
    return text in _WORDS or (text.isascii() and text.isdigit())


def is_slug(text: str) -> bool:
    """Returns whether a text may be the slug of a monitor."""
    return SLUG.fullmatch(text) is not None


def of_signal(text: str) -> tuple[PingKind, int | None]:
    """Returns the kind and the exit code of a signal. Raises `NotFound`, and `BadRequest` for a number above 255."""
    if text in _WORDS:
        return _WORDS[text], None
    if not (text.isascii() and text.isdigit()):
        raise NotFound
    if len(text) > 3 or int(text) > LARGEST_EXIT_CODE:
        raise BadRequest("An exit code is a number from 0 to 255.")
    return (PingKind.FAIL if int(text) else PingKind.SUCCESS), int(text)


def stored_text(body: bytes, content_type: str = "") -> str:
    """Returns the text for storage: in its character set, redacted, then cut."""
    if len(body) >= READ_BYTES:
        body = body[: codecs.utf_8_decode(body, "replace", False)[1]]  # without half a character at the end
    text = redact(body_text.text(body, body_text.charset(content_type)).replace("\0", "\ufffd"))
    return text.encode()[:BODY_BYTES].decode("utf-8", "ignore")


def short_agent(text: str) -> str:
    """Returns the user agent for storage."""
    return redact("".join(each for each in text if each.isprintable()))[:LONGEST_AGENT]
