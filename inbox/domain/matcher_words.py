"""The words of a match's text: quoted values, and the pieces into which a text falls."""

from __future__ import annotations

import re

_ESCAPES = {'"': '"', "\\": "\\", "n": "\n", "r": "\r", "t": "\t"}
_LETTERS = {"\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"'}
_ESCAPE = re.compile(r'\\(?:u\{([0-9a-fA-F]{1,6})\}|(["\\nrt]))')


def quoted(text: str) -> str:
    r"""The text in double quotes and on one line.

    A backslash speaks only before `"`, `\`, `n`, `r`, `t` and `u{…}`, so that regular expressions are written as they
    are: `"^db\d+\."`.
    """
    written = []
    for index, each in enumerate(text):
        if each == "\\":
            written.append("\\" if _speaks_for_itself(text[index + 1 : index + 2]) else "\\\\")
        elif each in _LETTERS:
            written.append(_LETTERS[each])
        else:
            written.append(each if each.isprintable() else f"\\u{{{ord(each):x}}}")
    return f'"{"".join(written)}"'


def unquoted(text: str) -> str:
    """What stands between the quotes, its escapes resolved. Raises `ValueError` for a character that there is not."""
    return _ESCAPE.sub(_resolved, text[1:-1])


def _speaks_for_itself(after: str) -> bool:
    """Whether a backslash before this character is no escape."""
    return bool(after) and after.isprintable() and after not in '"\\nrtu'


def _resolved(escape: re.Match[str]) -> str:
    return chr(int(escape[1], 16)) if escape[1] else _ESCAPES[escape[2]]
