"""Cuts and escapes the texts of a message for a service. A text is cut before it is escaped."""

from __future__ import annotations

import re
from collections.abc import Callable

from inbox.domain.explaining.notice_content import DigestLine, NoticeContent

ELLIPSIS = "…"
ZERO_WIDTH_SPACE = "\u200b"
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~])")


def utf16_length(text: str) -> int:
    """The length in UTF-16 units, as Telegram counts."""
    return len(text.encode("utf-16-le", errors="surrogatepass")) // 2


def utf8_length(text: str) -> int:
    """The length in bytes of UTF-8."""
    return len(text.encode("utf-8", errors="surrogatepass"))


def cut(text: str, longest: int, length: Callable[[str], int] = len) -> str:
    """The text, or its beginning and an ellipsis, with at most `longest` units of `length`."""
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
    """The text cut and then escaped, with at most `longest` characters in all."""
    return escape(cut(text, longest, lambda part: len(escape(part))))


def digest_lines(
    content: NoticeContent,
    longest: int,
    draw: Callable[[DigestLine], str],
    *,
    gap: str = "\n",
    length: Callable[[str], int] = len,
) -> str:
    """The lines of a digest as `draw` lays them out, each behind a `gap`, and the number of those without a line.

    The text has at most `longest` units of `length`. It is empty for any other notice.
    """
    drawn = [gap + draw(line) for line in content.lines]
    for count in range(len(drawn), -1, -1):
        left = len(drawn) - count + content.more
        text = "".join(drawn[:count]) + (f"{gap}and {left:,} more" if left else "")
        if length(text) <= longest:
            return text
    return ""


def plain_line(line: DigestLine) -> str:
    """A line of a digest in plain text, without its link."""
    return f"{line.symbol} {line.status} · {line.title} ({line.note})"


def linked_line(line: DigestLine, escape: Callable[[str], str], link: Callable[[str, str], str]) -> str:
    """A line of a digest in a markup. `link` makes one of an escaped text and an address."""
    return f"{line.symbol} {escape(line.status)} · {link(escape(line.title), line.url)} ({escape(line.note)})"


def markdown_link(text: str, url: str) -> str:
    """A link in Markdown."""
    return f"[{text}]({url})"


def html_link(text: str, url: str) -> str:
    """A link in HTML."""
    return f'<a href="{escape_html(url)}">{text}</a>'


def escape_html(text: str) -> str:
    """The text in HTML, also inside an attribute with double quotes."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def escape_markdown(text: str) -> str:
    """The text in Markdown. Signs of Markdown are shown, and a mention reaches nobody."""
    return _MARKDOWN.sub(r"\\\1", break_mentions(text))


def break_mentions(text: str) -> str:
    """The text with an invisible space behind each `@`, so that `@channel` reaches nobody."""
    return text.replace("@", f"@{ZERO_WIDTH_SPACE}")
