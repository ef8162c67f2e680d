"""The planted defects: each fits once or not at all, and its reported outcome is true."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.defects import NotApplicable
from bench.defects.defect import defect
from bench.sabotage import Result, tried

TESTS = "test_two.py"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A project with a function and a test that looks at half of it."""
    (tmp_path / "two.py").write_text("LOW = 1\nHIGH = 2\n")
    (tmp_path / TESTS).write_text("import two\n\n\ndef test_low():\n    assert two.LOW == 1\n")
    return tmp_path


@pytest.mark.parametrize(
    ("old", "new", "result"),
    [
        ("LOW = 1", "LOW = 3", Result.CAUGHT),
        ("HIGH = 2", "HIGH = 3", Result.SURVIVED),
        ("LOW = 1", "LOW = (", Result.NOT_APPLICABLE),
        ("MIDDLE", "LOW", Result.NOT_APPLICABLE),
    ],
)
def test_a_defect_is_caught_survives_or_does_not_fit(tree: Path, old: str, new: str, result: Result) -> None:
    before = (tree / "two.py").read_text()

    assert tried(defect("a defect", "two.py", old, new, TESTS), tree, {}, 60) is result
    assert (tree / "two.py").read_text() == before


def test_tests_that_do_not_end_in_time_say_nothing(tree: Path) -> None:
    (tree / TESTS).write_text("import time\n\n\ndef test_low():\n    time.sleep(600)\n")

    assert tried(defect("a defect", "two.py", "LOW = 1", "LOW = 3", TESTS), tree, {}, 2) is Result.SLOW


def test_a_text_that_is_there_twice_is_not_replaced(tree: Path) -> None:
    with pytest.raises(NotApplicable):
        defect("a defect", "two.py", " = ", " == ", TESTS).planted(tree)
