"""Sends waiting requests from a process in the background, so that an outage delays them by less than a minute."""

from __future__ import annotations

import os
import signal
import time
from typing import Callable

from agent.options import warn
from agent.spool import Spool

RETRY_SECONDS = "INBOX_RETRY_SECONDS"
DEFAULT_RETRY_SECONDS = 6 * 3600
FIRST_REST, LONGEST_REST = 5.0, 30.0
MOST_FILES = 4096
"""The file descriptors that are closed. An inherited one may hold a lock of the caller, such as that of `flock`."""


def retry_in_background(spool: Spool, send: Callable[[], object]) -> None:
    """Starts a process that calls `send` until nothing waits, for six hours at most. Never raises.

    One process for each spool is enough: a second one ends at once.
    """
    seconds = _retry_seconds()
    try:
        if seconds <= 0 or not hasattr(os, "fork") or not spool.waiting() or os.fork() != 0:
            return
    except OSError as fault:
        warn(f"nothing is sent in the background: {fault.strerror}")
        return
    try:
        _leave_caller(seconds)
        with spool.locked(0.0, ".retry") as alone:
            if alone:
                _send_until_empty(spool, send, time.monotonic() + seconds)
    finally:  # the caller's work, and an exception, end here: the process has nobody to tell
        os._exit(0)


def _leave_caller(seconds: int) -> None:
    """Gives back what the caller waits for: its outputs, its files and locks, its folder, its terminal."""
    os.setsid()
    os.chdir("/")
    null = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(null, number)
    os.closerange(3, MOST_FILES)
    for name in ("SIGTERM", "SIGHUP", "SIGINT", "SIGUSR1", "SIGUSR2", "SIGALRM"):
        signal.signal(getattr(signal, name), signal.SIG_DFL)
    signal.alarm(seconds + 60)  # ends the process also if a call never returns


def _send_until_empty(spool: Spool, send: Callable[[], object], until: float) -> None:
    rest = FIRST_REST
    while time.monotonic() < until:
        time.sleep(rest)
        send()
        if not spool.waiting():
            return
        rest = min(rest * 2, LONGEST_REST)


def _retry_seconds() -> int:
    chosen = os.environ.get(RETRY_SECONDS, "")
    return int(chosen) if chosen.isdigit() else DEFAULT_RETRY_SECONDS
