"""The defects of `bin/bench sabotage` fit the code as it is, so that the list stays alive while the code changes."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from bench.defects import DEFECTS, Defect

PROJECT = Path(__file__).parent.parent.parent


@pytest.mark.parametrize("defect", DEFECTS, ids=lambda each: each.name)
def test_a_defect_can_be_planted_and_its_tests_exist(defect: Defect) -> None:
    planted = defect.planted(PROJECT)

    assert planted != (PROJECT / defect.path).read_text()
    ast.parse(planted)
    assert defect.tests
    for test in defect.tests:
        path, _, name = test.partition("::")
        assert (PROJECT / path).exists()
        assert not name or f"def {name.partition('[')[0]}(" in (PROJECT / path).read_text()


def test_every_defect_has_a_unique_name() -> None:
    names = [each.name for each in DEFECTS]
    assert len(names) == len(set(names))
