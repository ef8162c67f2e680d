"""Metrics of all processes of one host. Each process has a name, a lock and a Unix socket in one directory.

A process takes the first free name of its kind (`web-1`, `web-2`). The name is the label `process` of all its samples,
so that a restart is an ordinary counter reset. The kernel releases the lock of a process that dies, and the next scrape
removes its socket. Counting costs one addition in memory.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import socket
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import structlog
from prometheus_client.core import Metric

from inbox.runtime.metrics import REGISTRY

log = structlog.get_logger(__name__)

PROCESS = "process"
MAX_PROCESSES = 256
TIMEOUT_SECONDS = 1.0
"""The time that a process waits for the metrics of another process."""

MAX_SNAPSHOT_BYTES = 8 * 1024 * 1024

_name = "main"
_directory: Path | None = None
_lock: int | None = None


def name() -> str:
    """Return the name of this process among the processes of its host; `main` before `expose`."""
    return _name


def expose(kind: str, directory: str) -> None:
    """Take a name and serve other processes from a thread. Without a usable directory, do neither."""
    global _name, _directory, _lock
    _name, _directory = f"{kind}-1", None
    if not directory:
        return
    try:
        path = Path(directory)
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        _name, _lock = _take_name(path, kind)
        _directory = path
        server = _listen(path / f"{_name}.sock")
    except OSError as fault:
        log.warning("metrics are not shared with other processes", fault=type(fault).__name__, errno=fault.errno)
        return
    threading.Thread(target=_serve, args=(server,), name="metrics", daemon=True).start()


def gather() -> Iterator[Metric]:
    """Yield the metrics of all processes in the directory and always of this process; each family once."""
    families: dict[str, Metric] = {}
    _merge(families, snapshot(), _name)
    for process, found in _snapshots_of_others():
        _merge(families, found, process)
    yield from families.values()


def snapshot() -> list[Any]:
    """Return the metrics of this process as JSON values: name, help, type, and samples of name, labels and value."""
    return [
        [family.name, family.documentation, family.type, [[s.name, s.labels, s.value] for s in family.samples]]
        for family in REGISTRY.collect()
    ]


def _merge(families: dict[str, Metric], found: Iterable[Any], process: str) -> None:
    for family_name, help_text, kind, samples in found:
        family = families.setdefault(family_name, Metric(family_name, help_text, kind))
        for sample_name, labels, value in samples:
            family.add_sample(sample_name, {**labels, PROCESS: process}, value)


def _take_name(directory: Path, kind: str) -> tuple[str, int]:
    for number in range(1, MAX_PROCESSES + 1):
        lock = os.open(directory / f"{kind}-{number}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(lock)
        else:
            return f"{kind}-{number}", lock
    raise FileExistsError(f"{MAX_PROCESSES} processes of this kind")


def _listen(path: Path) -> socket.socket:
    path.unlink(missing_ok=True)
    server = socket.socket(socket.AF_UNIX)
    try:
        server.bind(str(path))
        server.listen(16)
    except BaseException:
        server.close()
        raise
    return server


def _serve(server: socket.socket) -> None:
    while True:
        try:
            client, _ = server.accept()
        except OSError:
            return
        with client, contextlib.suppress(OSError):
            client.settimeout(TIMEOUT_SECONDS)
            client.sendall(json.dumps(snapshot()).encode())


def _snapshots_of_others() -> Iterator[tuple[str, Any]]:
    for path in sorted(_directory.glob("*.sock")) if _directory is not None else ():
        if path.stem == _name:
            continue
        try:
            yield path.stem, _fetch_snapshot(path)
        except ConnectionRefusedError:
            _clear(path)
        except (OSError, ValueError) as fault:
            log.warning("a process did not show its metrics", process=path.stem, fault=type(fault).__name__)


def _fetch_snapshot(path: Path) -> Any:
    parts, size = [], 0
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(TIMEOUT_SECONDS)
        client.connect(str(path))
        while part := client.recv(65_536):
            parts.append(part)
            size += len(part)
            if size > MAX_SNAPSHOT_BYTES:
                raise ValueError("too large")
    return json.loads(b"".join(parts))


def _clear(path: Path) -> None:
    """Remove the socket of a process that died. The lock protects the socket of a new process."""
    with contextlib.suppress(OSError):
        lock = os.open(path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink(missing_ok=True)
        finally:
            os.close(lock)
