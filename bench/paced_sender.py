"""A sender with a fixed rate of single events. A process of its own.

Takes `{"port", "token", "rate", "seconds", "keys"}`, and answers one line: `{"sent", "refused", "first_refusal", "p50", "p99", "late"}`.
Times are milliseconds from the planned moment of an event to its answer, so that a server that stalls is charged for all
events that had to wait. `late` is the number of seconds by which the last event went out too late.
"""

from __future__ import annotations

import http.client
import json
import sys
import threading
import time
from typing import Any

from bench.figures import share
from bench.load import single

CONNECTIONS = 16
PATIENCE_SECONDS = 30.0


def send(order: dict[str, Any]) -> dict[str, Any]:
    """Send the events and answer what came of it."""
    planned = iter(range(int(order["rate"] * order["seconds"])))
    lock, took, refusals, late = threading.Lock(), [], [], [0.0]
    began = time.monotonic() + 0.2

    def run() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", order["port"], timeout=PATIENCE_SECONDS)
        headers = {"Authorization": f"Bearer {order['token']}", "Content-Type": "application/json"}
        while True:
            with lock:
                number = next(planned, None)
            if number is None:
                return
            at = began + number / order["rate"]
            time.sleep(max(0.0, at - time.monotonic()))
            late[0] = max(late[0], time.monotonic() - at)
            try:
                connection.request("POST", "/v1/events", single(number, order["keys"]), headers)
                answer = connection.getresponse()
                said = answer.read()
            except OSError as fault:
                refusals.append(f"{type(fault).__name__}: {fault}")
                connection.close()
                continue
            took.append(time.monotonic() - at)
            if answer.status != 202:
                refusals.append(f"{answer.status} {said[:300]!r}")

    threads = [threading.Thread(target=run) for _ in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return {
        "sent": len(took),
        "refused": len(refusals),
        "first_refusal": next(iter(refusals), ""),
        "p50": share(took, 0.5) * 1000,
        "p99": share(took, 0.99) * 1000,
        "late": late[0],
    }


if __name__ == "__main__":
    print(json.dumps(send(json.loads(sys.stdin.readline()))), flush=True)
