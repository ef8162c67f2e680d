"""`python -m tests.bench.quick_parts MODULE.FUNCTION ...`: these parts of measurements at the quick effort, on their own servers.

Prints the figures as JSON. It is a separate process because a measurement configures the service.
"""

from __future__ import annotations

import importlib
import json
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from bench.environment import BenchEnvironment
from bench.figures import Effort, Measurement


def main(parts: list[str]) -> None:
    figures: list[Measurement] = []
    with tempfile.TemporaryDirectory(prefix="inbox-bench-") as folder, BenchEnvironment.open(Path(folder)) as stand:
        for part in parts:
            module, _, function = part.rpartition(".")
            found = getattr(importlib.import_module(f"bench.{module}"), function)(stand, Effort.quick())
            figures += found if isinstance(found, list) else [found]
    print(json.dumps([asdict(figure) for figure in figures]))


if __name__ == "__main__":
    main(sys.argv[1:])
