"""Forked children: inherited state, and their end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ops.forked import CAN_FORK
from ops.locks import Busy, FileLock
from tests.ops.processes import PROJECT, lives, until

pytestmark = pytest.mark.skipif(not CAN_FORK, reason="only Linux has forked children")


def parent(directory: Path, *words: str) -> subprocess.Popen[str]:
    """The process of `tests/ops/forks.py`."""
    command = [sys.executable, "-m", "tests.ops.forks", str(directory), *words]
    return subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE, text=True)


def ended(directory: Path, *words: str) -> int:
    """How the child ended."""
    stated, _ = parent(directory, *words).communicate(timeout=120)
    return int(stated.split()[1])


def test_a_forked_child_has_the_state_of_a_separate_command(tmp_path: Path) -> None:
    assert ended(tmp_path, "report") == 7

    found = json.loads((tmp_path / "log").read_text())
    drawn = found.pop("random")
    assert found == {
        "arguments": ["one", "two"],
        "environment": {"ONLY": "this"},
        "cwd": str(tmp_path),
        "stated": "",
        "files": [str(tmp_path / "lock")],
        "handlers": ["default_int_handler", "SIG_DFL", "SIG_DFL", "SIG_DFL"],
        "blocked": 0,
        "session": True,
        "command": f"{sys.executable} -m tests.program one two",
    }
    (tmp_path / "log").unlink()
    assert ended(tmp_path, "report") == 7
    assert json.loads((tmp_path / "log").read_text())["random"] != drawn, "both drew from the state of their parent"


def test_the_exit_code_equals_the_exit_code_of_the_program(tmp_path: Path) -> None:
    assert ended(tmp_path, "leave") == 4
    assert ended(tmp_path, "fail") == 1
    assert "LookupError: nobody expected this" in (tmp_path / "log").read_text()


def test_a_forked_child_waits_for_its_threads(tmp_path: Path) -> None:
    assert ended(tmp_path, "finish_later") == 0
    assert (tmp_path / "log").read_text() == "the thread ended\n"


@pytest.mark.parametrize("_", range(3))
def test_a_signal_that_comes_at_once_is_not_lost(tmp_path: Path, _: int) -> None:
    assert ended(tmp_path, "sleep", "end") == -signal.SIGTERM


def test_a_forked_child_ends_with_its_parent_and_holds_its_lock_until_then(tmp_path: Path) -> None:
    process = parent(tmp_path, "sleep")
    assert process.stdout is not None
    pid = int(process.stdout.readline())
    with pytest.raises(Busy):
        FileLock.take(tmp_path / "lock")

    os.kill(process.pid, signal.SIGKILL)
    process.communicate()

    until(lambda: not lives(pid), "the child is gone")
    FileLock.take(tmp_path / "lock").release()
