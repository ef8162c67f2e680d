"""The tokens of a match's text: operators, keywords, quoted values and names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from inbox.domain.routing.matchers.fields import KEY, Op

ANY_EVENT = "any event"
"""The text of `{"all": []}`."""

SIGNS: Mapping[Op, str] = {
    Op.EQ: "=",
    Op.NE: "!=",
    Op.GTE: ">=",
    Op.LTE: "<=",
    Op.IN: "in",
    Op.NOT_IN: "not in",
    Op.CONTAINS: "contains",
    Op.STARTS_WITH: "startsWith",
    Op.ENDS_WITH: "endsWith",
    Op.MATCHES: "matches",
}
"""The text of each operator that takes a value."""

EXISTS = {True: "exists", False: "missing"}
"""The text of `exists`, by its value."""

_ESCAPES = {'"': '"', "\\": "\\", "n": "\n", "r": "\r", "t": "\t"}
_LETTERS = {"\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"'}
_TO_ESCAPE = re.compile(r"[^\w !#-\[\]-~]")
"""The characters that may need an escape. All others are printable, and most texts have no other ones."""
_ESCAPE = re.compile(r'\\(?:u\{([0-9a-fA-F]{1,6})\}|(["\\nrt]))')

# A quote without its closing quote takes the rest of the text. Otherwise each quote would be searched to the end.
_TOKEN = re.compile(
    r'(?P<text>"[^"\\]*+(?:\\.[^"\\]*+)*+")'
    r'|(?P<open>"[^"\\]*+(?:\\.[^"\\]*+)*+)'
    r"|(?P<number>-?[0-9][\w.+-]*)"
    r"|(?P<sign>[<>!=]=|=|[(),])"
    rf"|(?P<word>[A-Za-z_]\w*(?:\.{KEY})*)"
    r"|(?P<odd>\S)",
    re.DOTALL,
)


class Token(NamedTuple):
    """A token: `kind` is `text open number sign word odd end`, `at` is the index of its first character."""

    kind: str
    text: str
    at: int

    @property
    def label(self) -> str:
        """The name of the token in an error."""
        if self.kind == "end":
            return "the end"
        return "text without its closing quote" if self.kind == "open" else f"`{self.text[:40]}`"


def tokenize(text: str) -> Iterator[Token]:
    """Yields the tokens in order without white space, and the end. A character that fits no other kind is `odd`.

    Text without its closing quote is `open`. The time is proportional to the length of the text.
    """
    for found in _TOKEN.finditer(text):
        yield Token(found.lastgroup or "odd", found[0], found.start())
    yield Token("end", "", len(text))


def quote(text: str) -> str:
    r"""Returns the text in double quotes on one line.

    A backslash is an escape only before `"`, `\`, `n`, `r`, `t` and `u{…}`. Regular expressions are therefore written
    unchanged: `"^db\d+\."`.
    """
    return f'"{_TO_ESCAPE.sub(_escape, text)}"'


def unquote(text: str) -> str:
    """Returns the text between the quotes, with its escapes resolved. Raises `ValueError` for an impossible character."""
    return _ESCAPE.sub(_unescape, text[1:-1])


def _escape(found: re.Match[str]) -> str:
    character = found[0]
    if character == "\\":
        next_character = found.string[found.end() : found.end() + 1]
        return "\\" if _is_literal_backslash(next_character) else "\\\\"
    if character in _LETTERS:
        return _LETTERS[character]
    return character if character.isprintable() else f"\\u{{{ord(character):x}}}"


def _is_literal_backslash(next_character: str) -> bool:
    """Returns whether a backslash before this character is literal."""
    return bool(next_character) and next_character.isprintable() and next_character not in '"\\nrtu'


def _unescape(escape: re.Match[str]) -> str:
    return chr(int(escape[1], 16)) if escape[1] else _ESCAPES[escape[2]]
