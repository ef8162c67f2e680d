"""A process that forks one child: python -m tests.ops.forks DIRECTORY MAIN. Says its pid, and then how it ended."""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from ops.children import Child
from ops.locks import FileLock


def report(arguments: Sequence[str]) -> int:
    """What the child finds."""
    files = {int(each): os.path.realpath(f"/proc/self/fd/{each}") for each in os.listdir("/proc/self/fd")}
    handlers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD)
    found = {
        "arguments": list(arguments),
        "environment": dict(os.environ),
        "cwd": os.getcwd(),
        "stated": sys.stdin.read(),
        "files": sorted(file for number, file in files.items() if number > 2 and "/proc/" not in file),
        "handlers": [_name(each) for each in handlers],
        "blocked": len(signal.pthread_sigmask(signal.SIG_BLOCK, [])),
        "session": os.getsid(0) == os.getpid(),
        "command": Path("/proc/self/cmdline").read_bytes().rstrip(b"\0").decode(),
        "random": random.random(),
    }
    print(json.dumps(found))
    return 7


def _name(number: signal.Signals) -> str:
    handler = signal.getsignal(number)
    return str(getattr(handler, "name", None) or getattr(handler, "__name__", handler))


def leave(_: Sequence[str]) -> int:
    sys.exit(4)


def fail(_: Sequence[str]) -> int:
    raise LookupError("nobody expected this")


def finish_later(_: Sequence[str]) -> int:
    """Returns before its thread ends."""
    threading.Thread(target=lambda: (time.sleep(0.3), print("the thread ended", flush=True))).start()
    return 0


def sleep(_: Sequence[str]) -> int:
    time.sleep(600)
    return 0


def main(directory: Path, name: str) -> None:
    random.seed(7)
    with (directory / "ours").open("w"):
        lock = FileLock.take(directory / "lock")
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: None)
        child = Child(
            name="child",
            argv=[sys.executable, "-m", "tests.program", "one", "two"],
            main=globals()[name],
            env={"ONLY": "this"},
            cwd=directory,
            log=directory / "log",
        )
        child.start(locks=[lock.fileno()])
        lock.release()
        if name == "sleep" and sys.argv[3:] == ["end"]:
            child.send(signal.SIGTERM)
        print(child.pid, flush=True)
        child.wait(600)
        print(child.returncode, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
