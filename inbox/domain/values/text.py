"""Plain text from senders: made safe for storage, for one line and for links."""

import re

REPLACEMENT = "\ufffd"

# C0, DEL, C1, line and paragraph separators, and every character that changes the direction of writing.
_BREAKS = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+")
_SURROGATES = re.compile("[\ud800-\udfff]")
_INVISIBLE = (
    " \t\n\v\f\r\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
    "\xad\u180e\u200b\u200c\u200d\u2060\u2061\u2062\u2063\u2064\ufeff"
)
_WEB_LINK = re.compile(
    r"https?://"
    r"(?:[^\s/?#\\]*@)?"
    r"(?:\[[0-9a-f:.]{2,45}\]|[^\s/?#\\:@\[\]<>\"^`{|}]{1,255})"
    r"(?::[0-9]{0,5})?"
    r"(?:[/?#][^\s\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]*)?",
    re.IGNORECASE,
)


def without_nul(text: str) -> str:
    """Returns the text with U+0000, which PostgreSQL cannot store, replaced by the replacement character."""
    return text.replace("\x00", REPLACEMENT) if "\x00" in text else text


def is_storable(text: str) -> bool:
    """Returns whether PostgreSQL can store the text: no NUL and no half of a surrogate pair."""
    return "\x00" not in text and (text.isascii() or not _SURROGATES.search(text))


def one_line(text: str) -> str:
    """Returns the text on one line: line breaks, control and bidi characters become a space; both ends are trimmed.

    The result is empty when no character is visible.
    """
    if not text.isprintable():
        text = _BREAKS.sub(" ", text)
    return text.strip(_INVISIBLE)


def trimmed(text: str) -> str:
    """Returns the text without spaces and invisible characters at both ends."""
    return text.strip(_INVISIBLE)


def is_one_line(text: str) -> bool:
    """Returns whether the text has no control character, no line break and no sign that changes the direction of writing."""
    return not _BREAKS.search(text)


def is_web_link(text: str) -> bool:
    """Returns whether the whole text is an absolute http or https URL with a host."""
    return _WEB_LINK.fullmatch(text) is not None
