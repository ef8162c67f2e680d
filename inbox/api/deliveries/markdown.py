"""Pages of the documentation as markup: CommonMark with tables, without the markup that a page contains itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

Link = Callable[[str], str | None]
"""Gives the address of a link; None for a link that leads nowhere here, of which the text alone is rendered."""

_MARKDOWN = MarkdownIt("commonmark").enable("table")
_OWN_MARKUP = ("html_block", "html_inline")
"""Comments, and any other tags of a page."""


def page_of(text: str, link: Link) -> tuple[str, Markup]:
    """The title of a page, and what follows it."""
    title, _, rest = text.partition("\n")
    tokens = [token for token in _MARKDOWN.parse(rest) if token.type not in _OWN_MARKUP]
    for token in tokens:
        token.children = list(_linked(token.children, link)) if token.children else token.children
    return title.removeprefix("# "), Markup(_MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {}))


def _linked(tokens: Iterable[Token], link: Link) -> Iterator[Token]:
    """The tokens of a line with the addresses of its links. A link cannot contain another one."""
    address: str | None = None
    for token in tokens:
        if token.type == "link_open":
            address = link(str(token.attrGet("href")))
            if address:
                token.attrSet("href", address)
        is_shown = bool(address) or token.type not in ("link_open", "link_close")
        if is_shown and token.type not in _OWN_MARKUP:
            yield token
