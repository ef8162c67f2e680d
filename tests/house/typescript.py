"""Comments and texts of the dashboard, as prose: `web/src` and the configurations beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

PROJECT = Path(__file__).parent.parent.parent

_TOKEN = re.compile(
    r"(?P<comment>/\*.*?\*/|(?<!:)//[^\n]*(?:\n[ \t]*//[^\n]*)*)"
    r"|(?P<text>'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"|`(?:\\.|[^`\\])*`)",
    re.DOTALL,
)
_MARKS = re.compile(r"^[ \t]*(?:/\*+|\*/|\*|//)?[ \t]?|\*/", re.MULTILINE)
_ELEMENT_TEXT = re.compile(r"(?<=[>}])(?<!=>)[^<>{};=|&]*\w+[^<>{};=|&]*(?=[<{])")
_KEYWORD = re.compile(
    r"\s*(?:async|await|case|catch|class|const|declare|default|else|export|finally|for|function|if|import|interface|let"
    r"|return|switch|throw|try|type|while)\b|\s*[.,)\]:?]"
)


def files() -> list[Path]:
    """The sources of the dashboard, without the generated client."""
    web = PROJECT / "web"
    found = [path for path in (web / "src").rglob("*.ts*") if path.suffix in (".ts", ".tsx")]
    return sorted([*web.glob("*.ts"), *(path for path in found if not path.is_relative_to(web / "src" / "api"))])


def prose(source: str) -> Iterator[tuple[int, str]]:
    """Line and text of the comments, of the strings with a space, and of the texts between elements."""
    code, end = [], 0
    for token in _TOKEN.finditer(source):
        line = source.count("\n", 0, token.start()) + 1
        if comment := token["comment"]:
            yield line, _MARKS.sub("", comment)
        elif " " in (text := re.sub(r"\$\{[^{}]*\}", "…", token["text"][1:-1])):
            yield line, text.replace("`", "")
        blank = " " if token["comment"] else "_"
        code += [source[end : token.start()], re.sub(r"[^\n]", blank, token[0])]
        end = token.end()
    rest = "".join([*code, source[end:]])
    for found in _ELEMENT_TEXT.finditer(rest):
        if not _KEYWORD.match(found[0]):
            yield source.count("\n", 0, found.start()) + 1, source[found.start() : found.end()]
