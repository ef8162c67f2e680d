"""`bin/up` as a process, on separate embedded servers."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import requests

from tests.faults.service_processes import PROJECT, until
from tests.runner.places import roomy_directory
from tests.runner.ports import free_port


@dataclass(frozen=True)
class Up:
    """A running service: its address, the token of its set-up link, its data directory."""

    address: str
    setup_token: str
    data: Path


@contextmanager
def started(directory: Path, *options: str) -> Iterator[Up]:
    """The service runs inside the block and ends after it. `options` are further options of `bin/up`."""
    log, port = directory / "up.log", free_port()
    clean = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
    address = f"http://127.0.0.1:{port}"
    with roomy_directory("up-") as data:
        process = subprocess.Popen(
            [sys.executable, "-m", "ops.up", "--port", str(port), "--data-dir", str(data), "--no-build", *options],
            cwd=PROJECT, env=clean, stdout=log.open("wb"), stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        try:
            link = until(lambda: re.search(r"#token=([\w-]+)", log.read_text()), "the set-up link is printed", 180)
            until(lambda: _is_ready(address), "the service is ready", 120)
            yield Up(address, link.group(1), data)
        finally:
            process.send_signal(signal.SIGTERM)
            assert process.wait(120) == 0


def _is_ready(address: str) -> bool:
    try:
        return requests.get(f"{address}/readyz", timeout=10).status_code == 200
    except requests.RequestException:
        return False
