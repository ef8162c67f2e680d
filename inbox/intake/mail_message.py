"""Reads the subject, the text and a few headers of a mail from any bytes (specification 19.16).

Reading never fails. The cost is linear in the size of the mail: headers are cut, and only known character sets are
decoded. The parser of the standard library reads each line in Python. So it reads only heads and mails whose cost is
known to be low.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from email.message import Message
from email.parser import BytesParser
from email.utils import parseaddr
from itertools import islice

from inbox.domain.values.text import one_line, without_nul
from inbox.intake import mail_parts
from inbox.intake.mail_charsets import LONGEST_HEADER, UNREADABLE, guessed, header_text
from inbox.intake.mail_parts import LONGEST_TEXT, Parts

MOST_SEPARATORS = 1_000
"""The maximum number of lines that may separate parts. Other mails are not split, because each part costs memory."""

MOST_BOUNDARIES = 30
"""The maximum number of boundaries in a mail that is split. The library compares each line with each of them."""

MOST_COST = 500_000
"""The maximum cost of a mail that is split, in lines.

A line with a colon may be a header, and costs seven. Each boundary adds a fifth to the cost of every line.
"""

_HEADER_COST, _BOUNDARIES_OF_LINE = 6, 5

MOST_HEADER_LINES = 1_000
"""The maximum number of lines of the head that are read. Later ones are ignored."""

_LABEL_OF_TYPE = re.compile(r"charset\s*=\s*[\"']?([\w.:-]{1,40})", re.IGNORECASE | re.ASCII)
_CONTENT_HEADER = re.compile(
    rb"^content-(?:type|disposition):[^\r\n]*(?:\r\n[ \t][^\r\n]*)*", re.IGNORECASE | re.MULTILINE
)
_SEPARATOR = re.compile(rb"[\r\n]--")
_COLON_LINE = re.compile(rb":[^\r\n]*")
_BLANK_LINE = re.compile(rb"\n\r?\n|\r\r")
_LINE_END = re.compile(rb"\r\n|\r|\n")
_READ_HEADERS = frozenset(("auto-submitted", "content-type", "date", "from", "message-id", "subject"))


@dataclass(frozen=True, slots=True)
class MailMessage:
    """A mail. `sender` is the address of `From`, `link` the first link about the subject; missing texts are empty.

    `attachments` describes each part that is not stored. `is_whole` is False when the parts could not be separated.
    """

    subject: str
    text: str
    sender: str
    message_id: str
    received: int
    link: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    attachments: list[str] = field(default_factory=list)
    is_whole: bool = True


def read(content: bytes) -> MailMessage:
    """Reads a mail from bytes."""
    head, blank, rest = content.partition(b"\r\n\r\n")
    head = _first_lines(head)
    message = BytesParser().parsebytes(head, headersonly=True)
    headers, received = _headers(message)
    found = _parts(message, head + blank, rest)
    text, link, attachments = found or Parts(guessed(rest[:LONGEST_TEXT]), "", [])
    return MailMessage(
        subject=one_line(without_nul(headers.get("subject", ""))),
        text=without_nul(text).replace("\r\n", "\n").strip(),
        sender=_address(headers.get("from", "")),
        message_id=one_line(without_nul(headers.get("message-id", ""))),
        received=received,
        link=link,
        headers=headers,
        attachments=attachments,
        is_whole=found is not None,
    )


def _first_lines(head: bytes) -> bytes:
    """Returns the lines of a head that are read."""
    if head.count(b"\n") + head.count(b"\r") < MOST_HEADER_LINES:
        return head
    end = next(islice(_LINE_END.finditer(head), MOST_HEADER_LINES - 1, None), None)
    return head if end is None else head[: end.start()]


def _parts(message: Message, head: bytes, rest: bytes) -> Parts | None:
    """Returns the parts that matter; None for a mail that cannot be split at a bounded cost.

    `message` has only the head. A mail without parts uses its body as it is.
    """
    has_parts = message.get_content_maintype() in ("multipart", "message")
    try:
        if has_parts or message.get_payload():  # a head that ends before its blank line is read again with the body
            content = head + rest
            is_cheap = _is_cheap(content)
            return mail_parts.read(BytesParser().parsebytes(content)) if is_cheap else None
        if any(len(header[0]) > LONGEST_HEADER for header in _CONTENT_HEADER.finditer(head)):
            return None
        message.set_payload(rest.decode("ascii", "surrogateescape"))
        return mail_parts.read(message)
    except UNREADABLE:
        return None


def _is_cheap(content: bytes) -> bool:
    """Returns whether the library would read the parts of a mail at a bounded cost, before reading any."""
    lower = content.lower()
    boundaries, parts = lower.count(b"boundary"), _count(_SEPARATOR, content, MOST_SEPARATORS)
    if b"delivery-status" in lower:  # each block of its lines is a part
        parts += _count(_BLANK_LINE, content, MOST_SEPARATORS)
    if boundaries > MOST_BOUNDARIES or parts > MOST_SEPARATORS:
        return False
    lines = content.count(b"\n") + content.count(b"\r") - content.count(b"\r\n")
    cost = lines + lines * boundaries // _BOUNDARIES_OF_LINE
    left = max(0, MOST_COST - cost) // _HEADER_COST
    if cost > MOST_COST or _count(_COLON_LINE, content, left) > left:
        return False
    return all(len(header[0]) <= LONGEST_HEADER for header in _CONTENT_HEADER.finditer(content))


def _count(pattern: re.Pattern[bytes], content: bytes, most: int) -> int:
    """Returns the number of matches; `most` + 1 if there are more."""
    return sum(1 for _ in islice(pattern.finditer(content), most + 1))


def _headers(message: Message) -> tuple[dict[str, str], int]:
    """Returns the first header of each name, and the number of `Received` headers.

    Only the headers that matter are decoded. Bytes that are not encoded have the character set of the text.
    """
    raw: dict[str, str] = {}
    received = 0
    for name, value in message.raw_items():
        name = name.lower()
        received += name == "received"
        raw.setdefault(name, str(value) if name in _READ_HEADERS else "")
    named = _LABEL_OF_TYPE.search(raw.get("content-type", "")[:LONGEST_HEADER])
    label = named[1] if named else ""
    return {name: header_text(value, label) for name, value in raw.items()}, received


def _address(header: str) -> str:
    try:
        return one_line(parseaddr(header)[1])
    except UNREADABLE:
        return ""
