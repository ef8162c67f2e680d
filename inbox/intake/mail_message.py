"""Reads the subject, the text and a few headers of a mail from any bytes (specification 19.16).

Reading never fails. The cost is linear in the size of the mail: headers are cut, and only known character sets are
decoded. The parser of the standard library reads each line in Python. So it reads only heads and mails whose cost is
known to be low.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from email.errors import MessageError
from email.header import decode_header
from email.message import Message
from email.parser import BytesParser
from email.utils import parseaddr
from html import unescape
from itertools import islice

from inbox.domain.values import charset_labels
from inbox.domain.values.text import one_line, without_nul

LONGEST_HEADER = 2_000
LONGEST_TEXT = 65_536
LONGEST_HTML = 262_144
MOST_PARTS = 100
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

_UNREADABLE = (ValueError, LookupError, TypeError, AttributeError, AssertionError, RecursionError, MessageError)
"""The exceptions that the standard library raises for odd mails."""

_MAIL_CODEC = re.compile(r"utf-?(?:7|32(?:-?[lb]e)?)|iso-2022-kr|hz-gb-2312", re.IGNORECASE | re.ASCII)
"""The labels of mails that browsers refuse."""

_ASCII_LABEL = re.compile(r"(?:us-)?ascii|ansi_x3\.4-19(?:68|86)", re.IGNORECASE)
_LABEL_OF_TYPE = re.compile(r"charset\s*=\s*[\"']?([\w.:-]{1,40})", re.IGNORECASE | re.ASCII)
_CONTENT_HEADER = re.compile(
    rb"^content-(?:type|disposition):[^\r\n]*(?:\r\n[ \t][^\r\n]*)*", re.IGNORECASE | re.MULTILINE
)
_SEPARATOR = re.compile(rb"[\r\n]--")
_COLON_LINE = re.compile(rb":[^\r\n]*")
_BLANK_LINE = re.compile(rb"\n\r?\n|\r\r")
_LINE_END = re.compile(rb"\r\n|\r|\n")
_HTML = re.compile(
    r"(?P<comment><!--)|(?P<end>--)>|<(?P<name>/?[a-z][a-z0-9]{0,15})\b[^<>]*>|<[!?/]?[^<>]*>|(?P<text>[^<>-]+|.)",
    re.IGNORECASE | re.DOTALL,
)
_READ_HEADERS = frozenset(("auto-submitted", "content-type", "date", "from", "message-id", "subject"))
_HIDDEN = frozenset(("script", "style", "title", "template"))
_BLOCKS = frozenset(
    ("address", "article", "br", "blockquote", "dd", "div", "dl", "dt", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li",
     "ol", "p", "pre", "section", "table", "tr", "ul")
)  # fmt: skip
_FOLD = re.compile(r"\r?\n[ \t]")


@dataclass(frozen=True, slots=True)
class MailMessage:
    """A mail. `sender` is the address of `From`; missing texts are empty.

    `attachments` describes each part that is not stored. `is_whole` is False when the parts could not be separated.
    """

    subject: str
    text: str
    sender: str
    message_id: str
    received: int
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
    text, attachments = found or (_guessed(rest[:LONGEST_TEXT]), [])
    return MailMessage(
        subject=one_line(without_nul(headers.get("subject", ""))),
        text=without_nul(text).replace("\r\n", "\n").strip(),
        sender=_address(headers.get("from", "")),
        message_id=one_line(without_nul(headers.get("message-id", ""))),
        received=received,
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


def _parts(message: Message, head: bytes, rest: bytes) -> tuple[str, list[str]] | None:
    """Returns the text and the attachments; None for a mail that cannot be split at a bounded cost.

    `message` has only the head. A mail without parts uses its body as it is.
    """
    has_parts = message.get_content_maintype() in ("multipart", "message")
    try:
        if has_parts or message.get_payload():  # a head that ends before its blank line is read again with the body
            content = head + rest
            is_cheap = _is_cheap(content)
            return _text_and_attachments(BytesParser().parsebytes(content)) if is_cheap else None
        if any(len(header[0]) > LONGEST_HEADER for header in _CONTENT_HEADER.finditer(head)):
            return None
        message.set_payload(rest.decode("ascii", "surrogateescape"))
        return _text_and_attachments(message)
    except _UNREADABLE:
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
    return {name: _header(value, label) for name, value in raw.items()}, received


def _header(raw: str, label: str = "") -> str:
    """Returns the text of a header: unfolded, encoded words decoded. `label` is the character set of other bytes."""
    data = raw[:LONGEST_HEADER].encode("utf-8", "surrogateescape")
    return _words(_FOLD.sub(" ", _guessed(data, label)).strip())


def _words(text: str) -> str:
    """Returns the text with its encoded words decoded."""
    try:
        words = decode_header(text)
        found = "".join(word if isinstance(word, str) else _decoded(word, charset or "") for word, charset in words)
    except _UNREADABLE:
        return text
    return found or text


def _address(header: str) -> str:
    try:
        return one_line(parseaddr(header)[1])
    except _UNREADABLE:
        return ""


def _text_and_attachments(message: Message) -> tuple[str, list[str]]:
    """Returns the first plain text, else the first HTML as text, and describes every other part."""
    plain, html = "", ""
    attachments = []
    for part in islice(_leaves(message), MOST_PARTS):
        kind = part.get_content_type()
        name = _filename(part)
        is_text = part.get_content_disposition() != "attachment" and not name
        if is_text and kind == "text/plain" and not plain:
            plain = _content(part)[:LONGEST_TEXT]
        elif is_text and kind == "text/html" and not html:
            html = _content(part)[:LONGEST_HTML]
        else:
            attachments.append(_described(part, kind, name))
    return plain if plain.strip() or not html else _text_of_html(html), attachments


def _leaves(message: Message) -> Iterator[Message]:
    return (part for part in message.walk() if not part.is_multipart())


def _content(part: Message) -> str:
    return _decoded(_payload(part), part.get_content_charset("") or "")


def _payload(part: Message) -> bytes:
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def _described(part: Message, kind: str, name: str) -> str:
    shown = one_line(without_nul(name))[:80] or "a part without a name"
    return f"{shown} ({kind[:60]}, {len(_payload(part)):,} bytes)"


def _filename(part: Message) -> str:
    """Returns the name of a part, in any of the ways in which mail programs encode it."""
    for header, parameter in (("content-disposition", "filename"), ("content-type", "name")):
        raw = next((str(value) for name, value in part.raw_items() if name.lower() == header), "")
        read = Message()
        read[header] = _FOLD.sub(" ", _guessed(raw.encode("utf-8", "surrogateescape")))
        name = read.get_param(parameter, "", header)
        if isinstance(name, tuple):
            name = _decoded(name[2].encode("latin-1", "replace"), name[0] or "")
        if name:
            return _words(name)
    return ""


def _decoded(data: bytes, label: str) -> str:
    """Decodes by the label. ASCII promises nothing about other bytes, so these are guessed."""
    if _MAIL_CODEC.fullmatch(label):
        return _encodable(data.decode(label, "replace"))
    text = None if _ASCII_LABEL.fullmatch(label) else charset_labels.decode(data, label)
    return _guessed(data) if text is None else text


def _encodable(text: str) -> str:
    """Replaces surrogates, which UTF-7 can contain and UTF-8 cannot."""
    return text.encode("utf-8", "replace").decode()


def _guessed(data: bytes, label: str = "") -> str:
    """Decodes as UTF-8 if possible, else by the label, else as Windows-1252."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return charset_labels.decode(data, label) or charset_labels.decode(data, "windows-1252") or ""


def _text_of_html(html: str) -> str:
    """Returns the visible text. It avoids the standard parser, which is quadratic for open tags and comments."""
    found: list[str] = []
    hidden = ""
    for token in _HTML.finditer(html):
        name = (token["name"] or token["end"] or "").lower()
        if hidden:
            hidden = "" if name == hidden else hidden
        elif token["text"]:
            found.append(re.sub(r"\s+", " ", unescape(token["text"])))
        elif token["comment"]:
            hidden = "--"
        elif name in _HIDDEN:
            hidden = f"/{name}"
        elif name.removeprefix("/") in _BLOCKS:
            found.append("\n")
        elif name in ("td", "th"):
            found.append(" ")
    lines = (line.strip() for line in "".join(found).split("\n"))
    return "\n".join(filter(None, lines))[:LONGEST_TEXT]
