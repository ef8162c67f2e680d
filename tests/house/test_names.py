"""Names of the product and of the tests use the words of the glossary: no private word is in an identifier."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.house.identifiers import (
    PRODUCT,
    PROJECT,
    TESTS,
    faults,
    figures,
    files,
    identifiers,
    participles,
    private_words,
)
from tests.house.typescript import files as dashboard_files
from tests.house.typescript import names as typescript_names

LONGEST_FILE = 300


def named(path: Path) -> str:
    return str(path.relative_to(PROJECT))


def test_no_name_has_a_private_word() -> None:
    assert {named(path): found for path in files(*PRODUCT, *TESTS) if (found := faults(path))} == {}


def test_no_name_of_the_dashboard_has_a_private_word() -> None:
    names = {named(path): typescript_names(path.read_text()) for path in dashboard_files()}

    assert sum(map(len, names.values())) > 10_000
    found = {path: {name: words for name in each if (words := private_words(name))} for path, each in names.items()}
    assert {path: words for path, words in found.items() if words} == {}


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("const told = 1;", {"told"}),
        ("function tellAll(rows) {}", {"tell"}),
        ("const [known, setKnown] = useState(first);", {"known"}),
        ("const all = [...mine, ...rows];", {"mine"}),
        ("const knownClient = again(request);", {"again"}),
        ("// told\nsay('told again', `told ${name}`);", set()),
        ("import { Bell } from 'lucide-react';\nreturn <Bell />;", set()),
        ("import { bell } from '@/parts/bell';", {"bell"}),
        ("<Button>\n  Try again\n</Button>", set()),
    ],
)
def test_a_private_word_is_found_in_a_name_of_the_dashboard(source: str, words: set[str]) -> None:
    assert {word for name in typescript_names(source) for word in private_words(name)} == words


def test_no_function_has_a_participle_for_a_name() -> None:
    trees = {named(path): ast.parse(path.read_text()) for path in files(*PRODUCT, *TESTS)}

    assert {path: found for path, tree in trees.items() if (found := participles(tree))} == {}


def test_a_participle_is_found_as_the_name_of_a_function() -> None:
    source = "class Shown:\n    def _met(self): ...\n    def shown_at(self): ...\nshown = 1"

    assert participles(ast.parse(source)) == {"Shown", "_met"}


def test_no_test_file_is_longer_than_300_lines() -> None:
    lengths = {named(path): len(path.read_text().splitlines()) for path in files("tests")}

    assert {name: length for name, length in lengths.items() if length > LONGEST_FILE} == {}


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
def test_a_private_word_is_found_in_the_definitions_of_a_module(source: str, words: list[str]) -> None:
    assert [word for name in identifiers(ast.parse(source)) for word in private_words(name)] == words


def test_the_figures_of_another_tree_count_its_files(tmp_path: Path) -> None:
    (tmp_path / "jobs").mkdir()
    (tmp_path / "jobs" / "one.py").write_text("def tell(row: dict[str, Any]) -> Any:\n    return row\n")
    (tmp_path / "app.py").write_text("x = 1\n")

    assert figures(PRODUCT, tmp_path) == {
        "files, lines": (2, 3),
        "median and longest file": (1.5, 2),
        "median and longest function": (2, 2),
        "names with a private word": 1,
        "Any": 2,
        "Mapping[str, Any] and dict[str, Any]": 1,
    }
