"""Sentences of every document are short enough to be read once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.house.documents import DOCUMENTS, named

MOST_WORDS = 30

_FENCED = re.compile(r"^([ ]*)(```|~~~).*?^[ ]*\2[ ]*$", re.MULTILINE | re.DOTALL)
_BLOCK = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.)\s|#|\||>)|(?<!\\)\|")
_END = re.compile(r"(?<=[.!?])[\"')\]*_]*\s+(?!\d+\b)(?=[\"'(*_\[]*[A-Z`\d])|(?<=[.!?])[\"')*_]*$")


def sentences(text: str) -> Iterator[str]:
    """The sentences of paragraphs, items of lists and cells of tables. A code span counts as one word, a link as its text."""
    text = _FENCED.sub("\n\n", text)
    text = re.sub(r"`[^`]+`", "`code`", text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    for block in _BLOCK.split(text):
        yield from (" ".join(each.split()) for each in _END.split(block) if each.strip())


def long_sentences(text: str) -> list[str]:
    return [each for each in sentences(text) if len(re.findall(r"[\w`][\w`'’.-]*", each)) > MOST_WORDS]


@pytest.mark.parametrize("page", DOCUMENTS, ids=named)
def test_no_sentence_of_a_page_is_long(page: Path) -> None:
    assert long_sentences(page.read_text()) == []


def test_a_long_sentence_is_found_in_a_paragraph_an_item_and_a_cell() -> None:
    long, short = "word " * MOST_WORDS + "end.", "word " * (MOST_WORDS - 1) + "`a b c` [x](https://example.org/a/b)"

    assert len(long_sentences(f"{long}\n\n- {long} Short.\n- Short.\n\n| {long} | Short. |\n")) == 3
    assert long_sentences(f"# Heading\n\n{short[5:]}. Next.\n\n```\n{long}\n```\n- {short[5:]}\n- {short[5:]}\n") == []
