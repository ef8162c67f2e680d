"""Docstrings, comments, documents and the dashboard use the words of the glossary: no private word is in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.house.documents import DOCUMENTS, named
from tests.house.identifiers import PRODUCT, TESTS, files
from tests.house.prose import paragraphs, private_comments, words
from tests.house.typescript import files as dashboard_files
from tests.house.typescript import prose


def test_no_docstring_or_comment_has_a_private_word() -> None:
    sources = {named(path): path.read_text() for path in files(*PRODUCT, *TESTS, "migrations")}

    assert len(sources) > 1_000
    assert {name: found for name, source in sources.items() if (found := private_comments(source))} == {}


def test_no_document_has_a_private_word() -> None:
    read = [(path, line, text) for path in DOCUMENTS for line, text in paragraphs(path)]

    assert len(read) > 2_000
    assert {f"{named(path)}:{line}": found for path, line, text in read if (found := words(text))} == {}


def test_no_comment_or_text_of_the_dashboard_has_a_private_word() -> None:
    read = [(path, line, text) for path in dashboard_files() for line, text in prose(path.read_text())]

    assert len(read) > 3_000
    assert {f"{named(path)}:{line}": found for path, line, text in read if (found := words(text))} == {}


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("/** Who is told. */", ["told"]),
        ("const x = 1; // the receiver\n// hears of it", ["hears"]),
        ("/**\n * What a person has\n * put off.\n */", ["put off"]),
        ("say('A link is on its way.');", ["on its way"]),
        ("say(`${name} hears of it`);", ["hears"]),
        ('<Text label="Who you are" />', ["who you are"]),
        (
            "<Text>\n  You are told of {count} incidents, and I don't mind what {name} has heard.\n</Text>",
            ["told", "heard"],
        ),
        ("// Why.\nfunction tally(bar: Bar) {\n  return { spoken };\n}", []),
        ("import { Bell } from 'lucide-react';\nconst told = <Bell size={16} />;", []),
        ("const url = 'https://example.org/told of'; say('Notified.');", ["told"]),
    ],
)
def test_a_private_word_is_found_in_a_comment_and_a_text_of_the_dashboard(source: str, found: list[str]) -> None:
    assert [word for _, text in prose(source) for word in words(text)] == found


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
