"""`python -m bench [name ...]`: measures, prints a table, and writes `bench/results/<time>.json`."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from bench import (
    abuse,
    alerta,
    deliveries,
    everyday,
    export,
    growth,
    heartbeats,
    ingest,
    insiders,
    latency,
    lists,
    memory,
    oncall,
    pages,
    preview,
    routing,
    sabotage,
    slow_destinations,
    storm,
    storms,
    streams,
    sustained,
)
from bench.environment import BenchEnvironment
from bench.figures import Effort, Measurement, table, write


def _dashboard(stand: BenchEnvironment, effort: Effort) -> list[Measurement]:
    """Runs the dashboard. It needs the packages of tests and checks, so it is imported only on request."""
    from bench import dashboard

    return dashboard.measure(stand, effort)


MEASUREMENTS: dict[str, Callable[[BenchEnvironment, Effort], list[Measurement]]] = {
    "ingest": ingest.measure,
    "heartbeats": heartbeats.measure,
    "routing": routing.measure,
    "sustained": sustained.measure,
    "deliveries": deliveries.measure,
    "slow_destinations": slow_destinations.measure,
    "latency": latency.measure,
    "everyday": everyday.measure,
    "growth": growth.measure,
    "streams": streams.measure,
    "storm": storm.measure,
    "storms": storms.measure,
    "export": export.measure,
    "lists": lists.measure,
    "preview": preview.measure,
    "oncall": oncall.measure,
    "pages": pages.measure,
    "memory": memory.measure,
    "abuse": lambda stand, effort: abuse.measure(stand, effort) + insiders.measure(stand, effort),
    "insiders": insiders.measure,
    "alerta": alerta.measure,
    "dashboard": _dashboard,
}
NAMED_ONLY = ("insiders", "alerta", "dashboard")
"""Measurements that run only when they are named. `insiders` is the second part of `abuse`.

The others need packages, or Chromium.
"""


def main(arguments: Sequence[str]) -> int:
    """Runs the measurements. Returns 1 when one could not be measured; the rest is written nevertheless."""
    if arguments[:1] == ["sabotage"]:
        return sabotage.main(arguments[1:])
    options = _options(arguments)
    effort = Effort.quick() if options.quick else Effort()
    if options.minutes is not None:
        effort = replace(effort, minutes=options.minutes)
    if options.stored is not None:
        effort = replace(effort, stored=options.stored)
    figures, failed = _measured(options.names or [name for name in MEASUREMENTS if name not in NAMED_ONLY], effort)
    print(table(figures))
    print(f"\n{write(figures, effort)}", file=sys.stderr)
    return 1 if failed else 0


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="bin/bench",
        description="Measure the service on its own servers.",
        epilog="bin/bench sabotage --help: plant defects, and see which of them the tests notice.",
    )
    parser.add_argument(
        "names",
        nargs="*",
        metavar="name",
        help=f"of {', '.join(MEASUREMENTS)}; when none is named, all but {', '.join(NAMED_ONLY)}",
    )
    parser.add_argument("--quick", action="store_true", help="see that everything runs; the figures say little")
    parser.add_argument(
        "--minutes",
        type=float,
        help="for how long `dashboard` follows changes, and `memory` sends events, before memory is read",
    )
    parser.add_argument("--stored", type=int, help="the most stored events of `growth` (a million)")
    options = parser.parse_args(arguments)
    if unknown := set(options.names) - MEASUREMENTS.keys():
        parser.error(f"there is no measurement {', '.join(sorted(unknown))}")
    return options


def _measured(names: Sequence[str], effort: Effort) -> tuple[list[Measurement], list[str]]:
    """Returns the figures, and the names of measurements that failed."""
    figures: list[Measurement] = []
    failed = []
    with tempfile.TemporaryDirectory(prefix="inbox-bench-") as folder, BenchEnvironment.open(Path(folder)) as stand:
        for name in names:
            began = time.monotonic()
            print(f"{name} …", end=" ", flush=True, file=sys.stderr)
            try:
                figures += MEASUREMENTS[name](stand, effort)
            except (RuntimeError, OSError) as fault:
                failed.append(name)
                print(f"not measured: {fault}", file=sys.stderr)
            else:
                print(f"{time.monotonic() - began:.0f} s", file=sys.stderr)
    return figures, failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
