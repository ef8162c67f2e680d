"""Decodes headers, texts and names of attachments of mails (specification 19.16)."""

from __future__ import annotations

import re
from email.errors import MessageError
from email.header import decode_header
from email.message import Message

from inbox.domain.values import charset_labels

LONGEST_HEADER = 2_000

UNREADABLE = (ValueError, LookupError, TypeError, AttributeError, AssertionError, RecursionError, MessageError)
"""The exceptions that the standard library raises for odd mails."""

_MAIL_CODEC = re.compile(r"utf-?(?:7|32(?:-?[lb]e)?)|iso-2022-kr|hz-gb-2312", re.IGNORECASE | re.ASCII)
"""The labels of mails that browsers refuse."""

_ASCII_LABEL = re.compile(r"(?:us-)?ascii|ansi_x3\.4-19(?:68|86)", re.IGNORECASE)
_FOLD = re.compile(r"\r?\n[ \t]")


def header_text(raw: str, label: str = "") -> str:
    """Returns the text of a header: unfolded, encoded words decoded. `label` is the character set of other bytes."""
    data = raw[:LONGEST_HEADER].encode("utf-8", "surrogateescape")
    return _words(_FOLD.sub(" ", guessed(data, label)).strip())


def _words(text: str) -> str:
    """Returns the text with its encoded words decoded."""
    try:
        words = decode_header(text)
        found = "".join(word if isinstance(word, str) else decoded(word, charset or "") for word, charset in words)
    except UNREADABLE:
        return text
    return found or text


def filename(part: Message) -> str:
    """Returns the name of a part, in any of the ways in which mail programs encode it."""
    for place, parameter in (("content-disposition", "filename"), ("content-type", "name")):
        raw = next((str(value) for name, value in part.raw_items() if name.lower() == place), "")
        read = Message()
        read[place] = _FOLD.sub(" ", guessed(raw.encode("utf-8", "surrogateescape")))
        name = read.get_param(parameter, "", place)
        if isinstance(name, tuple):
            name = decoded(name[2].encode("latin-1", "replace"), name[0] or "")
        if name:
            return _words(name)
    return ""


def decoded(data: bytes, label: str) -> str:
    """Decodes by the label. ASCII promises nothing about other bytes, so these are guessed."""
    if _MAIL_CODEC.fullmatch(label):
        return _encodable(data.decode(label, "replace"))
    text = None if _ASCII_LABEL.fullmatch(label) else charset_labels.decode(data, label)
    return guessed(data) if text is None else text


def _encodable(text: str) -> str:
    """Replaces surrogates, which UTF-7 can contain and UTF-8 cannot."""
    return text.encode("utf-8", "replace").decode()


def guessed(data: bytes, label: str = "") -> str:
    """Decodes as UTF-8 if possible, else by the label, else as Windows-1252."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return charset_labels.decode(data, label) or charset_labels.decode(data, "windows-1252") or ""
