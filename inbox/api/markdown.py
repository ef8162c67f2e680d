"""Pages of the documentation as markup: the part of Markdown that they use, and nothing else.

A page has a title, headings, paragraphs, lists, tables and blocks of code. A line has code, links and plain text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from textwrap import dedent

from markupsafe import Markup

Link = Callable[[str], str | None]
"""Gives the address of a link; None for a link that leads nowhere here, of which the text alone is shown."""

FENCE = "```"
_ITEM = re.compile(r"(?:-|(\d+)\.) ")
_INLINE = re.compile(r"`([^`]+)`|\[([^\]]+)\]\(([^()\s]+)\)")


def page_of(text: str, link: Link) -> tuple[str, Markup]:
    """The title of a page, and what follows it."""
    title, _, rest = text.partition("\n")
    blocks = Markup("").join(_block(lines, link) for lines in _blocks(rest))
    return title.removeprefix("# "), blocks


def _blocks(text: str) -> Iterator[list[str]]:
    """The lines of each block. Comments are left out. A block of code is one block, with its fences."""
    block: list[str] = []
    in_code = False
    for line in text.splitlines():
        is_fence = line.strip().startswith(FENCE)
        if in_code:
            block.append(line)
            in_code = not is_fence
            if in_code:
                continue
            line = ""
        elif is_fence:
            yield from filter(None, [block])
            block, in_code = [line], True
            continue
        if not line.strip() or line.startswith("<!--"):
            yield from filter(None, [block])
            block = []
        else:
            block.append(line)
    yield from filter(None, [block])


def _block(lines: list[str], link: Link) -> Markup:
    first = lines[0].strip()
    if first.startswith(FENCE):
        return Markup("<pre><code>{}</code></pre>").format(dedent("\n".join(lines[1:-1])))
    if first.startswith("## "):
        return Markup("<h2>{}</h2>").format(_inline(first[3:], link))
    if first.startswith("|"):
        return _table(lines, link)
    if _ITEM.match(first):
        return _list(lines, link)
    return Markup("<p>{}</p>").format(_inline(" ".join(map(str.strip, lines)), link))


def _table(lines: list[str], link: Link) -> Markup:
    """The first line has the heads of the columns, and the second one separates them from the rows."""
    heads, _, *rows = ([cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines)
    body = Markup("").join(_row("td", row, link) for row in rows)
    return Markup("<table><thead>{}</thead><tbody>{}</tbody></table>").format(_row("th", heads, link), body)


def _row(tag: str, cells: list[str], link: Link) -> Markup:
    cell = Markup("<{0}>{1}</{0}>")
    return Markup("<tr>{}</tr>").format(
        Markup("").join(cell.format(Markup(tag), _inline(each, link)) for each in cells)
    )


def _list(lines: list[str], link: Link) -> Markup:
    """A list with bullets or numbers. A line without one continues the item before it."""
    items: list[str] = []
    for line in map(str.strip, lines):
        if found := _ITEM.match(line):
            items.append(line[found.end() :])
        else:
            items[-1] += f" {line}"
    shown = Markup("").join(Markup("<li>{}</li>").format(_inline(each, link)) for each in items)
    first = _ITEM.match(lines[0].strip())
    number = first[1] if first else None
    return Markup('<ol start="{}">{}</ol>').format(number, shown) if number else Markup("<ul>{}</ul>").format(shown)


def _inline(text: str, link: Link) -> Markup:
    """The text with its code and its links."""
    shown, end = Markup(""), 0
    for found in _INLINE.finditer(text):
        shown += Markup("{}").format(text[end : found.start()]) + _part(found, link)
        end = found.end()
    return shown + Markup("{}").format(text[end:])


def _part(found: re.Match[str], link: Link) -> Markup:
    code, words, target = found.groups()
    if code is not None:
        return Markup("<code>{}</code>").format(code)
    address = link(target)
    return Markup('<a href="{}">{}</a>').format(address, words) if address else Markup("{}").format(words)
