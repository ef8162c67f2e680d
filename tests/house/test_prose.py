"""Docstrings, comments and documents use the words of the glossary: no private word is in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.house.documents import DOCUMENTS, named
from tests.house.identifiers import PRODUCT, TESTS, files
from tests.house.prose import PLAIN, paragraphs, private_comments, words


def test_no_docstring_or_comment_has_a_private_word() -> None:
    sources = {named(path): path.read_text() for path in files(*PRODUCT, *TESTS, "migrations")}

    assert len(sources) > 1_000
    assert {name: found for name, source in sources.items() if (found := private_comments(source))} == {}


def test_no_document_has_a_private_word() -> None:
    read = [(path, line, text) for path in DOCUMENTS for line, text in paragraphs(path)]

    assert len(read) > 2_000
    assert {f"{named(path)}:{line}": found for path, line, text in read if (found := words(text))} == {}


def test_every_phrase_with_a_plain_word_is_in_a_document() -> None:
    read = " ".join(path.read_text().lower() for path in DOCUMENTS)

    assert [phrase for phrase in PLAIN if phrase not in read] == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('"""Who is told."""', ["told"]),
        ("x = 1  # the receiver\ny = 2  # hears of it", ["hears"]),
        ("# What a person has\n# put off.\nx = 1", ["put off"]),
        ('LIMIT = 3\n"""How often it is\ntaken back."""', ["taken back"]),
        ("def f():\n    '''Nobody heard.'''", ["heard"]),
        ('"""The column `told_at`, before `told`."""', []),
        ('say("Nobody was told.")', []),
    ],
)
def test_a_private_word_is_found_in_a_docstring_and_a_comment(source: str, found: list[str]) -> None:
    assert [word for words in private_comments(source).values() for word in words] == found


def test_a_private_word_is_found_in_a_document(tmp_path: Path) -> None:
    page = tmp_path / "page"
    page.write_text("# Page\n\nWork that the person has\nset aside.\n\n| `told` | `` a `bell` `` | Notified. |\n")

    assert [(line, words(text)) for line, text in paragraphs(page) if words(text)] == [(3, ["set aside"])]
