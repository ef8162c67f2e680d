"""`bin/test --repeat`: rounds in random orders, and which tests failed in which of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from ops.repeat import NOT_RUN, repeat

FICKLE = """
before = []

def test_first():
    before.append("first")

def test_second():
    assert before == ["first"]
"""


@pytest.fixture
def fickle(tmp_path: Path) -> str:
    """A file with a test that is green only when another one ran before."""
    file = tmp_path / "test_fickle.py"
    file.write_text(FICKLE)
    return str(file)


def test_a_test_that_depends_on_the_order_is_reported_with_its_seed(
    fickle: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # The order follows from the seed and the names of the tests, which contain the path below the root.
    assert repeat(2, [fickle, f"--rootdir={tmp_path}", "-p", "no:cacheprovider"], seed=5) == 1

    reported = capsys.readouterr().out
    rounds = [line for line in reported.splitlines() if line.startswith("Round")]
    assert "seed 5: NOT GREEN (1), 2 tests" in rounds[0]
    assert "seed 6: green, 2 tests" in rounds[1]
    assert "1 of 2 rounds were green." in reported
    assert "test_fickle::test_second: failed in 1, seeds 5" in reported


def test_the_same_seed_gives_the_same_order(fickle: str, capsys: pytest.CaptureFixture[str]) -> None:
    outcomes = []
    for _ in range(2):
        repeat(1, [fickle, "-p", "no:cacheprovider"], seed=7)
        outcomes.append("1 of 1 rounds were green." in capsys.readouterr().out)
    assert len(set(outcomes)) == 1


def test_a_round_that_runs_no_tests_is_not_green(capsys: pytest.CaptureFixture[str]) -> None:
    assert repeat(1, ["tests/no_such_file.py"], seed=1) == 1
    assert NOT_RUN in capsys.readouterr().out
