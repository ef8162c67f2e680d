"""Children and the locks they hold."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ops.children import Child, exclusive_lock
from ops.locks import Busy, FileLock
from tests.ops.processes import PROJECT, lives, until

SLEEP = "import time; time.sleep(600)"
UNREACHABLE = f"import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); signal.signal(signal.SIGTERM, signal.SIG_IGN); {SLEEP}"


def test_a_lock_is_held_until_the_last_child_that_was_given_it_has_ended(tmp_path: Path) -> None:
    lock = FileLock.take(tmp_path / "lock")
    child = Child(name="child", argv=[sys.executable, "-c", SLEEP])
    child.start(locks=[lock.fileno()])
    lock.write_pid(child.pid)
    lock.release()

    with pytest.raises(Busy) as busy:
        FileLock.take(tmp_path / "lock")
    assert busy.value.pid == child.pid
    child.kill()
    FileLock.take(tmp_path / "lock").release()


def test_a_pid_that_now_belongs_to_another_program_is_left_alone(tmp_path: Path) -> None:
    lock = FileLock.take(tmp_path / "lock")
    with subprocess.Popen(["sleep", "600"]) as other:  # a program of another name than the one we look for
        lock.write_pid(other.pid)
        waits = [sys.executable, "-c", "input()"]
        with subprocess.Popen(waits, stdin=subprocess.PIPE, pass_fds=[lock.fileno()]) as holder:
            lock.release()
            assert holder.stdin is not None
            holder.stdin.close()  # it ends by itself, while we wait
            exclusive_lock(tmp_path / "lock", "some-other-program").release()

        assert other.poll() is None
        other.kill()


def test_an_orphan_that_does_not_listen_is_killed(tmp_path: Path) -> None:
    lock = FileLock.take(tmp_path / "lock")
    orphan = Child(name="orphan", argv=[sys.executable, "-c", UNREACHABLE])
    orphan.start(locks=[lock.fileno()])
    lock.write_pid(orphan.pid)
    lock.release()
    until(lambda: ignores(orphan.pid, signal.SIGINT), "it ignores SIGINT")

    exclusive_lock(
        tmp_path / "lock", sys.executable, kill_sequence=[(0.0, signal.SIGINT), (0.1, signal.SIGKILL)]
    ).release()

    assert orphan.wait(60)
    assert orphan.returncode == -signal.SIGKILL


@pytest.mark.parametrize("kernel_watches", [True, False], ids=["kernel", "pipe"])
def test_a_child_ends_with_its_parent_with_or_without_the_kernels_help(tmp_path: Path, *, kernel_watches: bool) -> None:
    if kernel_watches and sys.platform != "linux":
        pytest.skip("only Linux tells a child that its parent died")
    code = (
        "import sys, time; from ops.children import Child\n"
        f"c = Child(name='c', argv=[sys.executable, '-c', {SLEEP!r}], kernel_watches={kernel_watches})\n"
        "c.start(); print(c.pid, flush=True); time.sleep(600)"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], cwd=PROJECT, stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    assert lives(pid)

    parent.kill()
    parent.wait()

    until(lambda: not lives(pid), "the child is gone")


def test_stopping_says_whether_it_had_to_kill() -> None:
    willing = Child(name="willing", argv=[sys.executable, "-c", SLEEP])
    willing.start()
    assert willing.stop(grace=30)
    assert willing.returncode == -signal.SIGTERM

    stubborn = Child(name="stubborn", argv=[sys.executable, "-c", UNREACHABLE])
    stubborn.start()
    until(lambda: ignores(stubborn.pid, signal.SIGTERM), "it ignores SIGTERM")
    assert not stubborn.stop(grace=0.1)
    assert stubborn.returncode == -signal.SIGKILL


def ignores(pid: int, number: signal.Signals) -> bool:
    if sys.platform != "linux":
        return True
    status = Path(f"/proc/{pid}/status").read_text()
    ignored = int(next(line for line in status.splitlines() if line.startswith("SigIgn")).split()[1], 16)
    return bool(ignored >> (number - 1) & 1)
