"""Names of the product and of the tests use the words of the glossary: no private word is in an identifier."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.house.identifiers import PRODUCT, PROJECT, TESTS, faults, files, identifiers, private_words

LONGEST_FILE = 300


def named(path: Path) -> str:
    return str(path.relative_to(PROJECT))


@pytest.mark.parametrize("path", files(*PRODUCT, *TESTS), ids=named)
def test_a_name_has_no_private_word(path: Path) -> None:
    assert not faults(path)


@pytest.mark.parametrize("path", files("tests"), ids=named)
def test_a_test_file_is_at_most_300_lines_long(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= LONGEST_FILE


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("told = 1", ["told"]),
        ("def f(heard_before): pass", ["heard"]),
        ("class HushedIncident: pass", ["hushed"]),
        ("self._known = 1", ["known"]),
        ("import x as bell", ["bell"]),
        ("def test_a_repeat_is_not_told(): pass", ["told"]),
        ("def test_a_known_client_is_asked_again(): pass", []),
        ("row.told", []),
        ("tolding = bellow = 1", []),
    ],
)
def test_a_private_word_is_found_in_what_a_module_defines(source: str, words: list[str]) -> None:
    assert [word for name in identifiers(ast.parse(source)) for word in private_words(name)] == words
