"""The page for contributors lists the amounts of random and repeated cases that the tests run."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.runner import amounts
from tests.runner.amounts import amount

ROW = re.compile(r"^\| `(TEST_\w+)` \| ([\d,]+) \| ([\d,]+) \|", re.MULTILINE)


def given(source: str) -> Iterator[tuple[str, int, int]]:
    """Variable, usual and long amount of each call."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "amount":
            numbers = {word.arg: ast.literal_eval(word.value) for word in node.keywords}
            yield ast.literal_eval(node.args[0]), numbers["usual"], numbers["long"]


def number(text: str) -> int:
    return int(text.replace(",", ""))


def test_each_amount_stands_on_the_page(root: Path) -> None:
    listed = {
        (name, number(usual), number(long))
        for name, usual, long in ROW.findall((root / "docs" / "engineers" / "contributing.md").read_text())
    }
    files = [path for path in (root / "tests").rglob("test_*.py") if path != Path(__file__)]

    assert {each for path in files for each in given(path.read_text())} == listed and len(listed) > 5


def test_a_variable_rules_then_a_long_run(monkeypatch: pytest.MonkeyPatch) -> None:
    assert amount("TEST_UNKNOWN", usual=1, long=10) in (1, 10)
    monkeypatch.setattr(amounts, "IS_LONG", True)
    assert amount("TEST_UNKNOWN", usual=1, long=10) == 10
    monkeypatch.setattr(amounts, "IS_LONG", False)
    assert amount("TEST_UNKNOWN", usual=1, long=10) == 1
    monkeypatch.setenv("TEST_UNKNOWN", "3")
    assert amount("TEST_UNKNOWN", usual=1, long=10) == 3
