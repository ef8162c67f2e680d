"""Requests that wait on disk while the instance is unreachable: bounded, oldest first, without any credential."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import time
import uuid
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Iterator

try:
    import fcntl
except ImportError:  # not on Windows: two processes may then send a request twice, which counts as a duplicate
    fcntl = None  # type: ignore[assignment]

MOST_WAITING = 1000
MOST_WAITING_BYTES = 16 * 1024 * 1024
LONGEST_WAIT = 6.5 * 86400
"""Seconds. The service takes an event as late as seven days after it occurred."""

LOCK_LOOK = 0.05
"""The seconds between two attempts to take a lock of another process."""


class Spool:
    """A folder of waiting requests for one instance and one credential. Failures of the disk raise `OSError`."""

    def __init__(self, address: str, credential: str) -> None:
        name = hashlib.sha256(f"{address} {credential}".encode()).hexdigest()[:24]
        self.folder = spool_folder() / name

    def add(self, path: str, body: str, content_type: str) -> int:
        """Stores a request. Returns the number of older requests that were removed to make room."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        record = {"path": path, "body": body, "contentType": content_type, "at": time.time()}
        handle, temporary = tempfile.mkstemp(dir=str(self.folder), prefix=".")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(record, file)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, str(self.folder / f"{time.time_ns():020d}-{uuid.uuid4().hex}.json"))
        except OSError:
            _remove(Path(temporary))
            raise
        return self._make_room()

    def waiting(self) -> list[Path]:
        """Returns the files of waiting requests, the oldest first."""
        try:
            return sorted(path for path in self.folder.iterdir() if path.suffix == ".json")
        except FileNotFoundError:
            return []

    def read(self, path: Path) -> dict[str, Any] | None:
        """Returns a waiting request; None when it is too old or damaged, which removes it."""
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
            at = float(record["at"])
            if time.time() - at < LONGEST_WAIT and isinstance(record["body"], str):
                texts = {"path": str(record["path"]), "contentType": str(record["contentType"])}
                return {**texts, "body": record["body"], "at": at}
        except FileNotFoundError:
            return None
        except (ValueError, KeyError, TypeError):
            pass
        self.remove(path)
        return None

    def remove(self, path: Path) -> None:
        """Removes a request that was sent."""
        _remove(path)

    @contextmanager
    def locked(self, seconds: float, name: str = ".lock") -> Iterator[bool]:
        """Yields whether this process alone sends waiting requests. Waits at most `seconds` for another sender."""
        if fcntl is None or not self.folder.is_dir():
            yield True
            return
        with open(str(self.folder / name), "w", encoding="utf-8") as file:
            yield _locked(file, time.monotonic() + seconds)

    def _make_room(self) -> int:
        files = self.waiting()
        sizes = {path: _size(path) for path in files}
        total, removed = sum(sizes.values()), 0
        while len(files) - removed > MOST_WAITING or (total > MOST_WAITING_BYTES and removed < len(files) - 1):
            total -= sizes[files[removed]]
            _remove(files[removed])
            removed += 1
        return removed


def spool_folder() -> Path:
    """Returns the folder of all waiting requests: `INBOX_SPOOL`, else a folder in the user's state folder."""
    chosen = os.environ.get("INBOX_SPOOL")
    if chosen:
        return Path(chosen)
    state = os.environ.get("XDG_STATE_HOME") or os.path.join(os.path.expanduser("~"), ".local", "state")
    return Path(state) / "inbox-spool"


def _locked(file: IO[str], until: float) -> bool:
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except OSError:
            if time.monotonic() >= until:
                return False
        time.sleep(LOCK_LOOK)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _remove(path: Path) -> None:
    try:
        path.unlink()
    except OSError:
        pass
