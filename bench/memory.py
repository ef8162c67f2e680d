"""Memory of every process of `bin/up`, at its defaults and with one of each: idle, and after everyday load."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from bench.environment import EMAIL, PASSWORD, Api, BenchEnvironment, free_port
from bench.figures import Effort, Measurement
from bench.programs import Program
from ops.children import wait_until

RATE = 50
SETTLE_SECONDS = 5.0
START_SECONDS = 120.0
OPTIONS = {"at defaults": (), "one of each": ("--web", "1", "--workers", "1")}
NAMES = (
    ("web", r"gunicorn"), ("workers", r"jobs\.worker"), ("scheduler", r"jobs\.scheduler"), ("supervisor", r"ops\.up"),
    ("redis", r"valkey|redis"), ("postgres", r"postgres"), ("others", r""),
)  # fmt: skip
"""Kinds of processes by their command lines. The first match counts."""


class Process(NamedTuple):
    """A process, and its proportional share of memory in bytes."""

    part: str
    size: int


def measure(stand: BenchEnvironment, effort: Effort) -> list[Measurement]:
    """Measures `--minutes` of 50 events a second, each a new incident in turn."""
    return [figure for name, options in OPTIONS.items() for figure in _measured(stand, name, options, effort.minutes)]


def _measured(stand: BenchEnvironment, name: str, options: tuple[str, ...], minutes: float) -> list[Measurement]:
    with _running(stand.folder / name.replace(" ", "-"), stand.root, options) as (pid, port):
        web = Api(port, pid, pid)
        token = web.source_key()
        time.sleep(SETTLE_SECONDS)
        idle = _figure(f"memory {name}, idle", processes(pid))
        order = {"port": port, "token": token, "rate": RATE, "seconds": minutes * 60, "keys": 1_000_000}
        with Program("paced_sender", **order) as sender:
            sent = sender.read_line()
        if sent["refused"]:
            raise RuntimeError(f"{sent['refused']} events were refused: {sent['first_refusal']}")
        return [idle, _figure(f"memory {name}, {minutes:g} min at {RATE}/s", processes(pid))]


def _figure(name: str, found: list[Process]) -> Measurement:
    parts = {part: [each.size for each in found if each.part == part] for part, _ in NAMES}
    note = ", ".join(
        f"{part} {' + '.join(f'{size / 2**20:.0f}' for size in sizes)}" for part, sizes in parts.items() if sizes
    )
    more = {part: sum(sizes) / 2**20 for part, sizes in parts.items()}
    return Measurement(name, sum(more.values()), "MB", note=note, more=more)


def processes(pid: int) -> list[Process]:
    """Returns the process and all below it, with the shares of the backends of PostgreSQL as one."""
    found: dict[str, list[int]] = {}
    for each in descendants(pid):
        try:
            command = Path(f"/proc/{each}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            size = _share(each)
        except (OSError, ValueError):
            continue  # it has just ended
        part = next(part for part, pattern in NAMES if re.search(pattern, command))
        found.setdefault(part, []).append(size)
    return [
        Process(part, size) for part, sizes in found.items() for size in ([sum(sizes)] if part == "postgres" else sizes)
    ]


def descendants(pid: int) -> Iterator[int]:
    """Yields the process and all that it started, directly or not."""
    yield pid
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return
    for child in children:
        yield from descendants(int(child))


def _share(pid: int) -> int:
    """Returns the PSS, in which memory that several processes share counts in parts."""
    found = re.search(r"^Pss:\s+(\d+) kB", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.MULTILINE)
    if found is None:
        raise ValueError("the kernel does not tell the share")
    return int(found[1]) * 1024


@contextmanager
def _running(directory: Path, root: Path, options: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    """Runs `bin/up` on its own directory with the administrator of the benches. Yields its pid and port."""
    port = free_port()
    inherited = {
        name: value for name, value in os.environ.items() if not name.startswith(("INBOX_", "DATABASE_", "REDIS_"))
    }
    account = {"INBOX_ADMIN_EMAIL": EMAIL, "INBOX_ADMIN_PASSWORD": PASSWORD, "INBOX_RATE_LIMITS": "off"}
    directory.mkdir()
    with (directory / "up.log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "ops.up", "--no-build", "--data-dir", str(directory / "data"), "--port", str(port), *options],
            cwd=root, env=inherited | account, stdout=log, stderr=log,
        )  # fmt: skip
    try:
        greeted = wait_until(lambda: "Incident Inbox is at" in (directory / "up.log").read_text(), START_SECONDS)
        if not greeted:
            raise RuntimeError(f"bin/up did not start: {(directory / 'up.log').read_text()[-500:]}")
        yield process.pid, port
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)
