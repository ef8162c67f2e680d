"""`bin/test --fast` leaves out the groups that it names and the tests marked slow, and nothing else."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.runner.fast import SLOW_GROUPS, TESTS, group_of

WHOLE_FILE = re.compile(r"^pytestmark = .*\bpytest\.mark\.slow\b", re.MULTILINE | re.DOTALL)


def collect(root: Path, *arguments: str) -> tuple[set[str], str]:
    """The names of the tests that a run would run, and all that it prints."""
    done = subprocess.run(
        [sys.executable, "-m", "ops.run_tests", "--collect-only", "-q", "-p", "no:cacheprovider", *arguments],
        cwd=root, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return {line for line in done.stdout.splitlines() if "::" in line}, done.stdout


def test_every_group_names_files_that_exist() -> None:
    for name, patterns in SLOW_GROUPS.items():
        assert all(list(TESTS.glob(pattern)) for pattern in patterns), name


def test_every_file_that_is_slow_as_a_whole_belongs_to_a_group() -> None:
    slow = [file for file in TESTS.rglob("test_*.py") if WHOLE_FILE.search(file.read_text().split("\ndef ")[0])]

    assert len(slow) > 20
    assert [str(file) for file in slow if group_of(file) is None] == []


def test_a_file_outside_the_tests_belongs_to_no_group(tmp_path: Path) -> None:
    assert group_of(tmp_path / "faults" / "test_faults.py") is None


@pytest.mark.slow
def test_fast_runs_every_test_that_is_not_slow_and_names_the_others(root: Path) -> None:
    paths = ("tests/live", "tests/jobs")
    everything, _ = collect(root, *paths)
    not_slow, _ = collect(root, *paths, "-m", "not slow")
    fast, printed = collect(root, "--fast", *paths)

    for path in paths:
        below = {test for test in everything if test.startswith(path)}
        grouped = {test for test in below if group_of(root / test.partition("::")[0])}
        assert grouped and fast & below
        assert fast & below == (not_slow & below) - grouped
    [line] = [line for line in printed.splitlines() if line.startswith("--fast left out")]
    assert [name for name in (*SLOW_GROUPS, "static checks", "marked slow") if name not in line] == []
