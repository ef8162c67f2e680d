"""Child processes are ended at their deadline and by their limits, and inherit nothing."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

import pytest

from inbox.runtime import child_process
from inbox.runtime.child_process import Child

ROOT = Path(__file__).parent.parent.parent
LIMITED = "import sys; sys.path.insert(0, sys.argv[1]); from inbox.runtime import child_process as c; "


def command(code: str) -> list[str]:
    return [sys.executable, "-I", "-c", LIMITED + code, str(ROOT)]


def output(child: Child) -> bytes:
    child.input.close()
    written = child.output.read()
    child.process.wait()
    return written


def test_a_child_process_answers_its_input() -> None:
    with child_process.started(command("print(sys.stdin.read()[::-1])"), 60) as child:
        child.input.write(b"abc")
        written = output(child)

    assert (written, child.is_late, child.ended_by) == (b"cba\n", False, None)


def test_a_child_inherits_no_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INBOX_SECRET_KEYS", "a-canary")
    with child_process.started(command("import os, json; print(json.dumps(dict(os.environ)))"), 60) as child:
        found = json.loads(output(child))

    assert "a-canary" not in str(found) and found.keys() >= {"PATH", "HOME"}


def test_a_child_is_ended_at_its_deadline() -> None:
    with child_process.started(command("import time; time.sleep(600)"), 0.1) as child:
        assert output(child) == b""

    assert (child.is_late, child.ended_by) == (True, signal.SIGKILL)


def test_a_child_is_ended_with_the_block() -> None:
    with child_process.started(command("import time; time.sleep(600)"), 600) as child:
        pid = child.process.pid

    assert not child.is_late
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_child_that_computes_too_long_is_ended_by_the_kernel() -> None:
    busy = "c.limit(memory_bytes=2**30, cpu_seconds=1)\nwhile True: pass"
    with child_process.started(command(busy), 600) as child:
        assert output(child) == b""

    assert (child.is_late, child.ended_by) == (False, signal.SIGXCPU)


@pytest.mark.parametrize(("mebibytes", "is_refused"), [(32, False), (256, True)])
def test_a_child_gets_so_much_memory(mebibytes: int, is_refused: bool) -> None:
    greedy = f"""c.limit(memory_bytes=2**27 + 2**26)
try: print(len(bytearray({mebibytes} * 2**20)) > 0)
except MemoryError: print('refused')"""
    with child_process.started(command(greedy), 60) as child:
        written = output(child)

    assert written == (b"refused\n" if is_refused else b"True\n")
