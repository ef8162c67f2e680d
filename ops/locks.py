"""File locks that last as long as the last process that holds them, however it ends."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from pathlib import Path


class Busy(Exception):
    """Another process holds the lock. `pid` is the number that the holder wrote into it, or None."""

    def __init__(self, path: Path, pid: int | None) -> None:
        super().__init__(f"{path} is held by {'process ' + str(pid) if pid else 'another process'}")
        self.path = path
        self.pid = pid


class FileLock:
    """An exclusive lock on a file.

    A child that is given `fileno()` holds the lock together with us. It is free only when we and every such child are
    gone, killed or not. So the new holder of the lock knows that nothing of the former run is alive.
    """

    def __init__(self, path: Path, fd: int) -> None:
        self.path = path
        self._fd = fd

    @classmethod
    def take(cls, path: Path, *, wait: float = 0.0) -> FileLock:
        """Takes the lock. Waits up to `wait` seconds. Raises Busy."""
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        until = time.monotonic() + wait
        while True:
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return cls(path, fd)
            except BlockingIOError:
                if time.monotonic() >= until:
                    pid = _pid_in(fd)
                    os.close(fd)
                    raise Busy(path, pid) from None
                time.sleep(0.05)

    def write_pid(self, pid: int) -> None:
        """Writes the process id for others that find the lock taken. The lock holds without it, too, on a full disk."""
        with contextlib.suppress(OSError):
            os.ftruncate(self._fd, 0)
            os.pwrite(self._fd, str(pid).encode(), 0)

    def fileno(self) -> int:
        return self._fd

    def release(self) -> None:
        """Releases our share. Never unlocks, because that would take the lock from the children as well."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def _pid_in(fd: int) -> int | None:
    text = os.pread(fd, 20, 0).decode("ascii", "replace").strip()
    return int(text) if text.isdigit() else None
