"""A file is read from top to bottom: what a function calls in the same file stands below it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.house.order import private_above_callers
from tests.house.sources import PRODUCT, PROJECT, files


def named(path: Path) -> str:
    return str(path.relative_to(PROJECT))


def test_private_functions_and_methods_come_below_their_first_caller() -> None:
    trees = {named(path): ast.parse(path.read_text()) for path in files(*PRODUCT, "bench")}

    assert {path: found for path, tree in trees.items() if (found := list(private_above_callers(tree)))} == {}


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("def _part(): ...\ndef whole(): _part()", ["_part"]),
        ("def whole(): _part()\ndef _part(): ...", []),
        ("def first(): _part()\ndef _part(): ...\ndef second(): _part()", []),
        ("def _part(): ...\nTABLE = {'part': _part}\ndef whole(): TABLE['part']()", []),
        ("def _inner(): ...\ndef _part(): _inner()\nVALUE = _part()", []),
        ("def _checked(act): ...\n@_checked\ndef whole(): ...", []),
        ("class Whole:\n    def _part(self): ...\n    def act(self): self._part()", ["_part"]),
        ("class Whole:\n    def act(self): self._part()\n    def _part(self): ...", []),
        ("class Whole(Pool):\n    def _part(self): ...\n    def act(self): super()._part()", []),
        ("class Whole:\n    def __init__(self): ...\n    def act(self): self.__init__()", []),
    ],
)
def test_a_private_function_above_its_caller_is_found(source: str, found: list[str]) -> None:
    assert list(private_above_callers(ast.parse(source))) == found
