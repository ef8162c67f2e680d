"""Docstrings, comments and documents as prose, and the words of ours that none of them may have."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from tests.house.identifiers import METAPHORS
from tests.house.test_sentences import PRIVATE

WORDS = re.compile(rf"\b(?<!-)(?:{'|'.join([*METAPHORS, *PRIVATE])})(?![\w-])")
"""The words that no name has, and the words and phrases that no text for people has, in lower case."""

_CODE = re.compile(r"(`+).+?\1", re.DOTALL)


def words(text: str) -> list[str]:
    """The private words of a text. A word in backticks is a name and not read."""
    return [found[0] for found in WORDS.finditer(_one_line(_CODE.sub("`…`", text)))]


def comments(source: str) -> Iterator[tuple[int, str]]:
    """Line and text of the docstrings and comments of a module. Texts below a constant are docstrings, too."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))):
                yield node.lineno, text
    found = [
        (*token.start, token.string)
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT
    ]
    for _, lines in groupby(enumerate(found), key=lambda each: (each[1][0] - each[0], each[1][1])):
        together = [comment for _, comment in lines]
        yield together[0][0], "\n".join(text for _, _, text in together)


def private_comments(source: str) -> dict[int, list[str]]:
    """The private words in docstrings and comments, by line. A source without any such word is not parsed."""
    if not WORDS.search(_one_line(source)):
        return {}
    return {line: found for line, text in comments(source) if (found := words(text))}


def _one_line(text: str) -> str:
    return re.sub(r"\s*\n\s*(?:#\s*)?", " ", text).lower()


def paragraphs(path: Path) -> Iterator[tuple[int, str]]:
    """Line and text of the parts of a document: a phrase may be wrapped, but it does not cross an empty line."""
    line = 1
    for part in re.split(r"(\n\s*\n)", path.read_text()):
        yield line, part
        line += part.count("\n")
