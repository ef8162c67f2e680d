"""Forks programs from this process, so that they share the memory of its imports (Linux alone).

This process must have one thread and no connection when it forks. It imports the product and runs none of it.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import setproctitle

CAN_FORK = sys.platform == "linux"
"""Elsewhere libraries of the system do not work between a fork and a new program."""

FIRST_FILE = 3
POLL_SECONDS = 0.02

Main = Callable[[Sequence[str]], int]
"""The main function of a program. Takes its arguments and returns the exit code."""


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """The surroundings of the forked process. `open_files` stay open. `tie` ends it with this process, or at once."""

    title: str
    env: Mapping[str, str] | None
    cwd: Path | None
    log: int | None
    open_files: Sequence[int]
    tie: Callable[[], None]


class ForkedProcess:
    """A forked process, with the part of `subprocess.Popen` that `Child` uses."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._code: int | None = None

    def poll(self) -> int | None:
        """Returns the exit code, or minus the number of the signal; None while it runs."""
        if self._code is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self._code = os.waitstatus_to_exitcode(status)
        return self._code

    def wait(self, timeout: float | None = None) -> int:
        """Waits for the end. Raises `subprocess.TimeoutExpired` when it still runs after this many seconds."""
        began = time.monotonic()
        while (code := self.poll()) is None:
            if timeout is not None and time.monotonic() - began >= timeout:
                raise subprocess.TimeoutExpired(str(self.pid), timeout)
            time.sleep(POLL_SECONDS)
        return code


def import_programs() -> dict[str, Main]:
    """Returns the main functions of worker and scheduler, after importing all that their jobs need.

    Returns none where nothing is forked. A search for cycles writes to every object that it looks at, so that their
    pages are no longer shared. So all present objects are left out of later searches.
    """
    if not CAN_FORK:
        return {}
    gc.disable()  # importing makes few cycles
    try:
        from inbox.runtime.queue import QueueName
        from jobs import scheduler, worker

        for queue in QueueName:
            importlib.import_module(f"jobs.{queue}")
        gc.collect()
        gc.freeze()
    finally:
        gc.enable()
    return {"worker": worker.main, "scheduler": lambda _: scheduler.main()}


def fork(main: Main, arguments: Sequence[str], surroundings: Surroundings) -> ForkedProcess:
    """Runs the program in a new process, with the signals, files and environment that it would have as a command.

    Signals wait meanwhile, because our handlers would lose a signal for the new process.
    """
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        pid = os.fork()
        if pid == 0:
            _run(main, arguments, surroundings, mask)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    return ForkedProcess(pid)


def _run(main: Main, arguments: Sequence[str], surroundings: Surroundings, mask: set[int | signal.Signals]) -> NoReturn:
    """Runs the program and never returns, because our callers' clean-up must not run twice.

    They keep open files alive.
    """
    code = 1
    try:
        _settle(surroundings)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        code = main(arguments)
        for thread in threading.enumerate():
            if thread is not threading.current_thread() and not thread.daemon:
                thread.join()
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:  # noqa: BLE001  nothing may return to our callers
        sys.excepthook(*sys.exc_info())
    finally:
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
        os._exit(code)


def _settle(surroundings: Surroundings) -> None:
    signal.set_wakeup_fd(-1)
    for number in signal.valid_signals():
        if callable(signal.getsignal(number)):
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
    os.setsid()
    surroundings.tie()
    setproctitle.setproctitle(surroundings.title)  # it takes the place of the environment that we were started with
    _settle_files(surroundings.log, surroundings.open_files)
    if surroundings.env is not None:
        os.environ.clear()
        os.environ.update(surroundings.env)
    if surroundings.cwd is not None:
        os.chdir(surroundings.cwd)


def _settle_files(log: int | None, open_files: Sequence[int]) -> None:
    """Empties standard input, sends output and errors to the log, and closes all other files."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    if log is not None:
        os.dup2(log, 1)
        os.dup2(log, 2)
    begin = FIRST_FILE
    for end in [*sorted(open_files), os.sysconf("SC_OPEN_MAX")]:
        os.closerange(begin, end)
        begin = end + 1
