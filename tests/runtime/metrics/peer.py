"""A process that shows its metrics and waits: python -m tests.runtime.metrics.peer DIRECTORY COUNT."""

from __future__ import annotations

import sys
import time

from inbox.runtime import metrics
from inbox.runtime.metrics import processes


def main(directory: str, count: str) -> None:
    processes.expose("worker", directory)
    metrics.ROUTING_BATCHES.inc(int(count))
    metrics.HTTP_SECONDS.labels("GET", "/").observe(0.02)
    print(f"shows as {processes.name()}.", flush=True)
    time.sleep(600)


if __name__ == "__main__":
    main(*sys.argv[1:])
