"""Comments, texts and names of the dashboard: `web/src` and the configurations beside it."""

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
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*")
_FOREIGN_IMPORT = re.compile(r"import\s[^;]*?\sfrom\s+'(?![.]|@/)[^']*';")
"""An import from a package, whose names are not ours."""

_KEYWORD = re.compile(
    r"\s*(?:async|await|case|catch|class|const|declare|default|else|export|finally|for|function|if|import|interface|let"
    r"|return|switch|throw|try|type|while)\b|\s*(?:\.(?! )|[,)\]:?])"
)


def files() -> list[Path]:
    """The sources of the dashboard, without the generated client."""
    web = PROJECT / "web"
    found = [path for path in (web / "src").rglob("*.ts*") if path.suffix in (".ts", ".tsx")]
    return sorted([*web.glob("*.ts"), *(path for path in found if not path.is_relative_to(web / "src" / "api"))])


def prose(source: str) -> Iterator[tuple[int, str]]:
    """Line and text of the comments, of the strings with a space, and of the texts between elements."""
    for token in _TOKEN.finditer(source):
        line = source.count("\n", 0, token.start()) + 1
        if comment := token["comment"]:
            yield line, _MARKS.sub("", comment)
        elif " " in (text := re.sub(r"\$\{[^{}]*\}", "…", token["text"][1:-1])):
            yield line, text.replace("`", "")
    for found in _element_texts(_code(source)):
        yield source.count("\n", 0, found.start()) + 1, source[found.start() : found.end()]


def names(source: str) -> set[str]:
    """The identifiers of the code, without those that a package exports."""
    code = _code(source)
    for found in [*_element_texts(code), *_FOREIGN_IMPORT.finditer(source)]:
        code = f"{code[: found.start()]}{' ' * (found.end() - found.start())}{code[found.end() :]}"
    foreign = {name for found in _FOREIGN_IMPORT.finditer(source) for name in _IDENTIFIER.findall(found[0])}
    return set(_IDENTIFIER.findall(code)) - foreign


def _code(source: str) -> str:
    """The source with blanks in place of comments and strings."""
    return _TOKEN.sub(lambda token: re.sub(r"[^\n]", " " if token["comment"] else "_", token[0]), source)


def _element_texts(code: str) -> list[re.Match[str]]:
    return [found for found in _ELEMENT_TEXT.finditer(code) if not _KEYWORD.match(found[0])]
