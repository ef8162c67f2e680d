"""Chooses the text of a mail among its parts: plain text, HTML, and small texts that are attached (specification 19.16)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from email.message import Message
from itertools import islice
from typing import NamedTuple

from inbox.domain.values.text import one_line, without_nul
from inbox.intake import mail_html
from inbox.intake.mail_charsets import decoded, filename
from inbox.intake.mail_html import HtmlText

LONGEST_TEXT = 65_536
LONGEST_HTML = 262_144
LONGEST_ATTACHED = 16_384
"""The bytes of the largest attached text that is shown below the text of the mail."""

MOST_PARTS = 100
LONGEST_STUB = 500
"""The characters of the longest plain text that may stand for HTML, such as "Use a program that shows HTML"."""

_ATTACHED_TEXT = re.compile(r"text/(?:plain|csv|markdown|x-log|x-diff|x-patch)")
_TEXT_NAME = re.compile(r"\.(?:txt|log|out|err)$", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_LINK = re.compile(r"https?://[^\s<>\"']{1,2048}", re.IGNORECASE)
_LAST_OF_LINK = ".,;:!?)]}'"


class Parts(NamedTuple):
    """The text of a mail, the first link about its subject, and a description of each part that is not stored."""

    text: str
    link: str
    dropped: list[str]


def read(message: Message) -> Parts:
    """Returns the text of a mail.

    1. The first plain text is the text, or the first HTML that says more (`_is_stub`).
    2. Small attached texts follow, each below its name.
    """
    plain, html = "", ""
    attached: list[tuple[str, str]] = []
    dropped = []
    for part in islice(_leaves(message), MOST_PARTS):
        kind, name = part.get_content_type(), filename(part)
        is_shown = part.get_content_disposition() != "attachment" and not name
        if is_shown and kind == "text/plain" and not plain:
            plain = _content(part)[:LONGEST_TEXT]
        elif is_shown and kind == "text/html" and not html:
            html = _content(part)[:LONGEST_HTML]
        elif (text := _attached(part, kind, name)).strip():
            attached.append((name, text.strip()))
        else:
            dropped.append(_described(part, kind, name))
    text, link = _chosen(plain, mail_html.read(html) if html else HtmlText())
    return Parts(_with_attached(text, attached), link, dropped)


def link_of(text: str) -> str:
    """Returns the first link of a plain text that is about its subject; empty without one."""
    for line in text.splitlines():
        for found in _LINK.finditer(line):
            address = found[0].rstrip(_LAST_OF_LINK)
            if mail_html.is_about_subject(address, line):
                return address
    return ""


def _chosen(plain: str, html: HtmlText) -> tuple[str, str]:
    if html.text and _is_stub(plain, html):
        return html.text, html.link
    return plain, link_of(plain) or html.link


def _is_stub(plain: str, html: HtmlText) -> bool:
    """Returns whether the plain text says less than the HTML: it is empty, much shorter, or has other words."""
    size = len(plain.strip())
    if html.size > 3 * size + 200:
        return True
    words = set(_WORD.findall(plain[:LONGEST_STUB].lower()))
    known = words & set(_WORD.findall(html.text.lower()))
    return size <= LONGEST_STUB and (len(known) * 3 < len(words) or not words or "html" in words - known)


def _attached(part: Message, kind: str, name: str) -> str:
    """Returns a small attached text; empty for every other part."""
    is_log = kind == "application/octet-stream" and _TEXT_NAME.search(name) is not None
    if not is_log and _ATTACHED_TEXT.fullmatch(kind) is None:
        return ""
    data = _payload(part)
    if len(data) > LONGEST_ATTACHED or (is_log and b"\0" in data):
        return ""
    return _content(part)


def _with_attached(text: str, attached: list[tuple[str, str]]) -> str:
    if not text.strip() and len(attached) == 1:
        return attached[0][1]
    below = [f"{one_line(without_nul(name))[:80]}:\n{each}" if name else each for name, each in attached]
    return "\n\n".join(filter(None, (text.strip(), *below)))[:LONGEST_TEXT]


def _leaves(message: Message) -> Iterator[Message]:
    return (part for part in message.walk() if not part.is_multipart())


def _content(part: Message) -> str:
    return decoded(_payload(part), part.get_content_charset("") or "")


def _payload(part: Message) -> bytes:
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def _described(part: Message, kind: str, name: str) -> str:
    shown = one_line(without_nul(name))[:80] or "a part without a name"
    return f"{shown} ({kind[:60]}, {len(_payload(part)):,} bytes)"
