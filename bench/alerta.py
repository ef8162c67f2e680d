"""Alerta beside the service: single alerts of the same text, in turns, while one worker routes the service's events.

Alerta comes from its package, as `bench/alerta.txt` locks it, and is installed at the first use. It has a separate
database in the same PostgreSQL and needs no key. Its default plug-ins run under gunicorn with two processes of eight
threads.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from statistics import median
from urllib.parse import urlsplit

import psycopg2

from bench.environment import Api, BenchEnvironment, free_port, wait_for_http
from bench.figures import Effort, Measurement
from inbox.runtime.distribution import ROOT
from ops.children import Child

LOCK = ROOT / "bench" / "alerta.txt"
PACKAGES = ROOT / "var" / f"alerta-{sys.version_info.major}.{sys.version_info.minor}"
DATABASE = "alerta"
CONNECTIONS = (8, 64)
SECONDS = 4.0
"""The least time. Each of 64 connections waits for a second or longer for Alerta's response."""


def measure(stand: BenchEnvironment, effort: Effort) -> list[Measurement]:
    """Measures single events at 8 and 64 connections. Raises `RuntimeError` where Alerta cannot be installed."""
    install()
    stand.clear()
    with alerta(stand) as other, stand.web() as web, stand.workers(1, ["routing"]):
        token = web.source_key()
        return [_beside(other, web, effort, connections, token) for connections in CONNECTIONS]


def install() -> None:
    """Installs the locked packages with pip, unless they exist. Raises `RuntimeError` with the end of its output."""
    if PACKAGES.exists():
        return
    part = PACKAGES.with_name(PACKAGES.name + ".part")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:"]
    done = subprocess.run(
        [*pip, "--require-hashes", "--upgrade", "--target", str(part), "-r", str(LOCK)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"Alerta could not be installed: {done.stderr[-500:]}")
    part.rename(PACKAGES)


@contextmanager
def alerta(stand: BenchEnvironment) -> Iterator[Api]:
    """Yields a running Alerta with an empty database."""
    with closing(psycopg2.connect(stand.servers.database_url)) as connection:
        connection.autocommit = True
        with connection.cursor() as cursor:
            cursor.execute(f"DROP DATABASE IF EXISTS {DATABASE}")
            cursor.execute(f"CREATE DATABASE {DATABASE}")
    port = free_port()
    words = ["-m", "gunicorn", "-k", "gthread", "-w", "2", "--threads", "8", "-b", f"127.0.0.1:{port}"]
    words += ["--preload", "--log-level", "warning", "alerta.app:create_app()"]  # one process makes the tables
    environment = {
        "PATH": os.environ.get("PATH", ""),
        "PYTHONPATH": str(PACKAGES),
        "DATABASE_URL": urlsplit(stand.servers.database_url)._replace(path=f"/{DATABASE}").geturl(),
        "DATABASE_NAME": DATABASE,
        "AUTH_REQUIRED": "False",
        "DEBUG": "False",
        "SECRET_KEY": "only for the length of a measurement",
    }
    child = Child(
        name="alerta", argv=[sys.executable, *words], env=environment, cwd=stand.folder, log=stand.folder / "alerta.log"
    )
    child.start()
    try:
        wait_for_http(child, port, "/management/gtg")
        yield Api(port, child.pid, stand.servers.postgres.pid)
    finally:
        child.stop(grace=15)


def _beside(other: Api, web: Api, effort: Effort, connections: int, token: str) -> Measurement:
    their_runs, ours, seconds = [], [], max(SECONDS, effort.seconds)
    for _ in range(effort.rounds):
        their_runs.append(other.load(kind="alerta", connections=connections, seconds=seconds))
        ours.append(web.load(kind="single", connections=connections, seconds=seconds, token=token))
    rate, their_rate = (median(run["rate"] for run in runs) for runs in (ours, their_runs))
    return Measurement(
        name=f"single events, {connections} connections, beside Alerta",
        value=rate,
        unit="events/s",
        p50=median(run["p50"] for run in ours),
        p99=median(run["p99"] for run in ours),
        note=f"{rate / their_rate:.1f} × Alerta ({their_rate:,.0f}/s, {_cpu(their_runs)}); {_cpu(ours)}",
        more={"alerta": their_runs, "ours": ours},
    )


def _cpu(runs: Sequence[Mapping[str, float]]) -> str:
    parts = [name for name in ("web", "postgres") if f"{name}_us" in runs[0]]
    return ", ".join(f"{median(run[f'{name}_us'] for run in runs):,.0f} µs {name}" for name in parts)
