"""Renders pages of the documentation as HTML: CommonMark with tables, without HTML that a page itself contains."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

Link = Callable[[str], str | None]
"""Returns the address of a link. None renders the text alone, because the target is not served."""

_MARKDOWN = MarkdownIt("commonmark").enable("table")
_OWN_MARKUP = ("html_block", "html_inline")
"""Tokens for comments and HTML tags in a page."""


def page_of(text: str, link: Link) -> tuple[str, Markup]:
    """Returns the title of a page, and the text below it."""
    title, _, rest = text.partition("\n")
    tokens = [token for token in _MARKDOWN.parse(rest) if token.type not in _OWN_MARKUP]
    for token in tokens:
        token.children = list(_linked(token.children, link)) if token.children else token.children
    return title.removeprefix("# "), Markup(_MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {}))


def _linked(tokens: Iterable[Token], link: Link) -> Iterator[Token]:
    """Yields the tokens of a line with the addresses of its links. Links do not nest."""
    address: str | None = None
    for token in tokens:
        if token.type == "link_open":
            address = link(str(token.attrGet("href")))
            if address:
                token.attrSet("href", address)
        is_shown = bool(address) or token.type not in ("link_open", "link_close")
        if is_shown and token.type not in _OWN_MARKUP:
            yield token
