"""Reads the HTML of a mail as text with the addresses of its links (specification 19.16).

It avoids the standard parser, which is quadratic for open tags and comments.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import unescape

from inbox.domain.values.text import is_web_link, one_line

LONGEST_TEXT = 65_536
LONGEST_LINK = 2_048

_TOKEN = re.compile(
    r"(?P<comment><!--)|(?P<end>--)>|<(?P<name>/?[a-z][a-z0-9]{0,15})\b(?P<rest>[^<>]*)>|<[!?/]?[^<>]*>|(?P<text>[^<>-]+|.)",
    re.IGNORECASE | re.DOTALL,
)
_ADDRESS = re.compile(r"(?:^|[\s\"'])href\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))", re.IGNORECASE)
_HIDDEN = frozenset(("script", "style", "title", "template"))
_BLOCKS = frozenset(
    ("address", "article", "br", "blockquote", "dd", "div", "dl", "dt", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li",
     "ol", "p", "pre", "section", "table", "tr", "ul")
)  # fmt: skip
_NO_SUBJECT = re.compile(
    r"unsubscribe|opt-?out|abmelden|abbestellen|désabonn|desuscri|/preferences|\.(?:png|jpe?g|gif|svg|webp|ico|css)(?:[?#]|$)",
    re.IGNORECASE,
)
"""Matches links that do not lead to what a mail is about: the end of a subscription, images and styles."""


@dataclass(slots=True)
class HtmlText:
    """The text of a mail in HTML. `size` is its length without addresses, `link` the first one that is about its subject."""

    text: str = ""
    size: int = 0
    link: str = ""


def is_about_subject(address: str, text: str = "") -> bool:
    """Returns whether a link leads to what a mail is about, and has a length that an event can store."""
    is_short = len(address) <= LONGEST_LINK and is_web_link(address)
    return is_short and _NO_SUBJECT.search(address) is None and _NO_SUBJECT.search(text) is None


def read(html: str) -> HtmlText:
    """Returns the visible text. The address of a link follows its text in parentheses."""
    made = _Text()
    hidden = ""
    for token in _TOKEN.finditer(html):
        name = (token["name"] or token["end"] or "").lower()
        if hidden:
            hidden = "" if name == hidden else hidden
        elif token["text"]:
            made.add(re.sub(r"\s+", " ", unescape(token["text"])))
        elif token["comment"]:
            hidden = "--"
        elif name in _HIDDEN:
            hidden = f"/{name}"
        else:
            made.add_tag(name, token["rest"] or "")
    return made.read()


@dataclass(slots=True)
class _Text:
    pieces: list[str] = field(default_factory=list)
    size: int = 0
    link: str = ""
    address: str = ""
    start: int = 0

    def add(self, text: str) -> None:
        self.pieces.append(text)
        self.size += len(text)

    def add_tag(self, name: str, rest: str) -> None:
        if name in ("a", "/a"):
            self.end_link()
            found = _ADDRESS.search(rest[:LONGEST_TEXT]) if name == "a" else None
            self.address = one_line(unescape(next(filter(None, found.groups()), ""))) if found else ""
            self.start = len(self.pieces)
        elif name.removeprefix("/") in _BLOCKS:
            self.pieces.append("\n")
        elif name in ("td", "th"):
            self.pieces.append(" ")

    def end_link(self) -> None:
        """Adds the address of the open link. A link without a text is an image, or a mark in the page."""
        address, self.address = self.address, ""
        text = "".join(self.pieces[self.start :])
        if not address or not text.strip() or not is_web_link(address):
            return
        if not self.link and is_about_subject(address, text):
            self.link = address
        if _bare(address) not in _bare(text):
            self.pieces[self.start :] = [text.rstrip(), f" ({address})", text[len(text.rstrip()) :]]

    def read(self) -> HtmlText:
        self.end_link()
        lines = (line.strip() for line in "".join(self.pieces).split("\n"))
        return HtmlText("\n".join(filter(None, lines))[:LONGEST_TEXT], self.size, self.link)


def _bare(address: str) -> str:
    """Returns an address as people write it: without the scheme and the last slash."""
    return address.strip().rstrip("/").partition("://")[2] or address.strip().rstrip("/")
