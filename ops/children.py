"""Child processes that cannot outlive their parent, however the parent ends."""

from __future__ import annotations

import contextlib
import ctypes
import os
import platform
import pwd
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from ops import forked
from ops.locks import Busy, FileLock

PR_SET_PDEATHSIG = 1

FIRST_ARGUMENT = 3
"""The index of the first argument in `python -m module argument ...`."""

KILL_SEQUENCE = ((5.0, signal.SIGINT), (10.0, signal.SIGQUIT), (5.0, signal.SIGKILL))

# Where the kernel cannot signal a child that its parent died, a second process waits for the end of a pipe.
WATCHDOG = """
import os, sys, time
pipe, pid, sig = map(int, sys.argv[1:])
while os.read(pipe, 1):
    pass
for number in (sig, 9):
    try:
        os.kill(pid, number)
    except OSError:
        break
    time.sleep(5)
"""


@dataclass(kw_only=True)
class Child:
    """One process in its own session, so that Ctrl-C in the terminal reaches only us.

    The child gets `death_signal` when we die without having stopped it. `locks` are file descriptors that it keeps open
    (see `FileLock`). Standard output and error are appended to `log`; None leaves them with ours. `log_began` is the
    end of the log at the last start. With `main` the child is a fork of us that runs this function. It gets the
    arguments after `-m` and the module in `argv`.
    """

    name: str
    argv: Sequence[str | Path]
    main: forked.Main | None = None
    env: Mapping[str, str] | None = None
    cwd: Path | None = None
    log: Path | None = None
    account: pwd.struct_passwd | None = None
    stop_signal: signal.Signals = signal.SIGTERM
    death_signal: signal.Signals = signal.SIGTERM
    kernel_watches: bool = platform.system() == "Linux"
    log_began: int = field(default=0, init=False)
    _process: subprocess.Popen[bytes] | forked.ForkedProcess | None = field(default=None, init=False)
    _watchdog: tuple[subprocess.Popen[bytes], int] | None = field(default=None, init=False)

    def start(self, *, locks: Sequence[int] = ()) -> None:
        """Starts the child.

        Call it from the main thread, because the kernel ties the child to the thread that made it.
        """
        log = self.log.open("ab") if self.log else None
        self.log_began = log.tell() if log else 0
        try:
            self._process = self._forked(log, locks) if self.main else self._executed(log, locks)
        finally:
            if log:
                log.close()
        if not self.kernel_watches:
            self._watchdog = _watch(self._process.pid, self.death_signal)

    def _executed(self, log: IO[bytes] | None, locks: Sequence[int]) -> subprocess.Popen[bytes]:
        account = self.account
        return subprocess.Popen(
            [str(word) for word in self.argv],
            env=None if self.env is None else dict(self.env),
            cwd=self.cwd,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            pass_fds=tuple(locks),
            preexec_fn=die_with_parent(self.death_signal) if self.kernel_watches else None,  # noqa: PLW1509
            user=None if account is None else account.pw_uid,
            group=None if account is None else account.pw_gid,
            extra_groups=None if account is None else [],
        )

    def _forked(self, log: IO[bytes] | None, locks: Sequence[int]) -> forked.ForkedProcess:
        assert self.main
        assert self.account is None
        words = [str(word) for word in self.argv]
        surroundings = forked.Surroundings(
            title=" ".join(words),
            env=self.env,
            cwd=self.cwd,
            log=log.fileno() if log else None,
            open_files=locks,
            tie=die_with_parent(self.death_signal),
        )
        return forked.fork(self.main, words[FIRST_ARGUMENT:], surroundings)

    @property
    def pid(self) -> int:
        """The process id of the last start."""
        if self._process is None:
            raise RuntimeError(f"{self.name} was never started")
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        """None while it runs; minus the signal's number when a signal ended it."""
        return None if self._process is None else self._process.poll()

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def send(self, number: signal.Signals) -> None:
        if self.running:
            os.kill(self.pid, number)

    def stop(self, *, grace: float, how: signal.Signals | None = None) -> bool:
        """Asks it to stop, waits `grace` seconds, then kills it. Returns False when it had to kill."""
        self.send(how or self.stop_signal)
        if self.wait(grace):
            return True
        self.kill()
        return False

    def kill(self) -> None:
        """Kills the child and all other processes of its process group now."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self._forget_watchdog()

    def wait(self, seconds: float) -> bool:
        """Waits for its end. Returns False when it still runs after `seconds`."""
        if self._process is not None:
            try:
                self._process.wait(max(seconds, 0.0))
            except subprocess.TimeoutExpired:
                return False
        self._forget_watchdog()
        return True

    def _forget_watchdog(self) -> None:
        if self._watchdog is not None:
            process, pipe = self._watchdog
            process.kill()
            process.wait()
            os.close(pipe)
            self._watchdog = None


def die_with_parent(number: signal.Signals) -> Callable[[], None]:
    """Returns a `preexec_fn` (Linux): the kernel sends `number` when the parent dies.

    A later change of user undoes it.
    """
    libc, parent = ctypes.CDLL(None), os.getpid()

    def tie() -> None:
        libc.prctl(PR_SET_PDEATHSIG, int(number), 0, 0, 0)
        if os.getppid() != parent:  # it died in between
            os._exit(1)

    return tie


def wait_until(done: Callable[[], bool], seconds: float, *, every: float = 0.02) -> bool:
    """Polls until `done` is true. Returns False when time ran out."""
    until = time.monotonic() + seconds
    while not done():
        if time.monotonic() >= until:
            return False
        time.sleep(every)
    return True


def exclusive_lock(
    path: Path, program: str | Path, *, kill_sequence: Sequence[tuple[float, signal.Signals]] = KILL_SEQUENCE
) -> FileLock:
    """Takes the lock that proves that no earlier `program` lives, and ends earlier ones. Raises Busy when one stays.

    An orphan has had its `death_signal` already. Each step of `kill_sequence` is seconds to wait, then the signal to
    send.
    """
    for patience, number in kill_sequence:
        try:
            return FileLock.take(path, wait=patience)
        except Busy as busy:
            if busy.pid and is_running(busy.pid, program):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(busy.pid, number)
    return FileLock.take(path, wait=20)


def is_running(pid: int, program: str | Path) -> bool:
    """Returns whether `pid` runs this program, by the name of its file, because process titles can be set freely."""
    with contextlib.suppress(OSError):
        file = os.readlink(f"/proc/{pid}/exe").removesuffix(" (deleted)")
        return Path(file).name == Path(os.path.realpath(program)).name
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/comm").read_text().strip() == Path(program).name[:15]
    with contextlib.suppress(OSError):
        seen = subprocess.run(["ps", "-p", str(pid), "-o", "comm="], capture_output=True, text=True, check=False)
        return Path(seen.stdout.strip()).name[:15] == Path(program).name[:15]
    return False


def _watch(pid: int, number: signal.Signals) -> tuple[subprocess.Popen[bytes], int]:
    read, write = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-S", "-c", WATCHDOG, str(read), str(pid), str(int(number))],
        pass_fds=[read],
        start_new_session=True,
    )
    os.close(read)
    return process, write
