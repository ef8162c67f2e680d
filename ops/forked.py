"""Programs in processes that are forked from this one, and so share the memory of what it has imported (Linux alone).

This process must have one thread and no connection when it forks: it imports the product and runs none of it.
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
"""The main function of a program: takes its arguments, answers the exit code."""


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """What the forked process has. `open_files` are those that stay open. `tie` ends it with this process, or at once."""

    title: str
    env: Mapping[str, str] | None
    cwd: Path | None
    log: int | None
    open_files: Sequence[int]
    tie: Callable[[], None]


class ForkedProcess:
    """A forked process, seen from here. It has what `Child` uses of `subprocess.Popen`."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._code: int | None = None

    def poll(self) -> int | None:
        """The exit code, or minus the number of the signal; None while it runs."""
        if self._code is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self._code = os.waitstatus_to_exitcode(status)
        return self._code

    def wait(self, timeout: float | None = None) -> int:
        """Raises `subprocess.TimeoutExpired` when it still runs after that many seconds."""
        began = time.monotonic()
        while (code := self.poll()) is None:
            if timeout is not None and time.monotonic() - began >= timeout:
                raise subprocess.TimeoutExpired(str(self.pid), timeout)
            time.sleep(POLL_SECONDS)
        return code


def import_programs() -> dict[str, Main]:
    """The main functions of worker and scheduler, with all that their jobs need in memory; none where nothing is forked.

    A search for cycles writes to every object that it looks at, and their pages would be shared no more. So all that is
    in memory by now is left out of later searches.
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
    """Run the program in a new process, with the signals, files and environment that it would have as a command.

    Signals wait meanwhile: our handlers would lose one that is meant for the new process.
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
    """Never returns: what our callers do at their end is not to be done twice. They keep alive what we do not close."""
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
    """Standard input is empty, output and errors go to the log; all other files are closed."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    if log is not None:
        os.dup2(log, 1)
        os.dup2(log, 2)
    begin = FIRST_FILE
    for end in [*sorted(open_files), os.sysconf("SC_OPEN_MAX")]:
        os.closerange(begin, end)
        begin = end + 1
