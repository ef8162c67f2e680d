"""Cuts and escapes the texts of a message for a service. A text is cut before it is escaped."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import quote

from inbox.domain.explaining.notice_content import DigestLine, NoticeContent

ELLIPSIS = "…"
ZERO_WIDTH_SPACE = "\u200b"
_ENDS_LINK = re.compile(r"[()<>\[\]\\\"`|]")
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~])")


def utf16_length(text: str) -> int:
    """Returns the length in UTF-16 units, as Telegram counts."""
    return len(text.encode("utf-16-le", errors="surrogatepass")) // 2


def utf8_length(text: str) -> int:
    """Returns the length in bytes of UTF-8."""
    return len(text.encode("utf-8", errors="surrogatepass"))


def cut(text: str, longest: int, length: Callable[[str], int] = len) -> str:
    """Returns the text, or its beginning and an ellipsis, with at most `longest` units of `length`."""
    if length(text) <= longest:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if length(text[:middle] + ELLIPSIS) <= longest:
            low = middle
        else:
            high = middle - 1
    return text[:low] + ELLIPSIS


def cut_escaped(text: str, longest: int, escape: Callable[[str], str]) -> str:
    """Returns the text, cut and then escaped, with at most `longest` characters in all."""
    return escape(cut(text, longest, lambda part: len(escape(part))))


def digest_lines(
    content: NoticeContent,
    longest: int,
    draw: Callable[[DigestLine], str],
    *,
    gap: str = "\n",
    length: Callable[[str], int] = len,
) -> str:
    """Returns the lines of a digest, and counts those that do not fit.

    `draw` formats a line, and `gap` precedes each. The text has at most `longest` units of `length`. It is empty for a
    notice that is not a digest.
    """
    drawn = [gap + draw(line) for line in content.lines]
    for count in range(len(drawn), -1, -1):
        left = len(drawn) - count + content.more
        text = "".join(drawn[:count]) + (f"{gap}and {left:,} more" if left else "")
        if length(text) <= longest:
            return text
    return ""


def fitting_links(
    content: NoticeContent,
    room: int,
    draw: Callable[[str, str], str],
    *,
    gap: str = "\n",
    length: Callable[[str], int] = len,
) -> str:
    """Returns the links to the runbook and to the sender that fit into `room` units of `length`, each after the gap.

    `draw` formats a label and an address.
    """
    text = ""
    for link in content.links:
        longer = text + gap + draw(*link)
        if length(longer) <= room:
            text = longer
    return text


def plain_link(text: str, url: str) -> str:
    """Returns a link in plain text."""
    return f"{text}: {url}"


def plain_line(line: DigestLine) -> str:
    """Returns a line of a digest in plain text, without its link."""
    return f"{line.symbol} {line.status} · {line.title} ({line.note})"


def linked_line(line: DigestLine, escape: Callable[[str], str], link: Callable[[str, str], str]) -> str:
    """Returns a line of a digest in a markup. `link` formats an escaped text and an address."""
    return f"{line.symbol} {escape(line.status)} · {link(escape(line.title), line.url)} ({escape(line.note)})"


def markdown_link(text: str, url: str) -> str:
    """Returns a link in Markdown. Characters of a sender's address that would end the link are encoded."""
    return f"[{text}]({_ENDS_LINK.sub(lambda found: quote(found[0], safe=''), url)})"


def html_link(text: str, url: str) -> str:
    """Returns a link in HTML."""
    return f'<a href="{escape_html(url)}">{text}</a>'


def escape_html(text: str) -> str:
    """Escapes the text for HTML, also inside an attribute with double quotes."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def escape_markdown(text: str) -> str:
    """Escapes the text for Markdown, so that markup characters are shown and no mention notifies anyone."""
    return _MARKDOWN.sub(r"\\\1", break_mentions(text))


def break_mentions(text: str) -> str:
    """Inserts an invisible space after each `@`, so that `@channel` notifies nobody."""
    return text.replace("@", f"@{ZERO_WIDTH_SPACE}")
