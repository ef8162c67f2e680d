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


class PacedSender:
    """Events at their planned moments, over a few kept connections, and what came of them."""

    def __init__(self, order: dict[str, Any]) -> None:
        self._order = order
        self._planned = iter(range(int(order["rate"] * order["seconds"])))
        self._lock = threading.Lock()
        self._began = time.monotonic() + 0.2
        self._took: list[float] = []
        self._refusals: list[str] = []
        self._late = 0.0

    def run(self) -> dict[str, Any]:
        """Send all events. The time of each begins at its planned moment."""
        threads = [threading.Thread(target=self._send_in_turn) for _ in range(CONNECTIONS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return {
            "sent": len(self._took),
            "refused": len(self._refusals),
            "first_refusal": next(iter(self._refusals), ""),
            "p50": share(self._took, 0.5) * 1000,
            "p99": share(self._took, 0.99) * 1000,
            "late": self._late,
        }

    def _send_in_turn(self) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self._order["port"], timeout=PATIENCE_SECONDS)
        while True:
            with self._lock:
                number = next(self._planned, None)
            if number is None:
                return
            at = self._began + number / self._order["rate"]
            time.sleep(max(0.0, at - time.monotonic()))
            self._late = max(self._late, time.monotonic() - at)
            self._send(connection, number, at)

    def _send(self, connection: http.client.HTTPConnection, number: int, at: float) -> None:
        headers = {"Authorization": f"Bearer {self._order['token']}", "Content-Type": "application/json"}
        try:
            connection.request("POST", "/v1/events", single(number, self._order["keys"]), headers)
            answer = connection.getresponse()
            content = answer.read()
        except OSError as fault:
            self._refusals.append(f"{type(fault).__name__}: {fault}")
            connection.close()
            return
        self._took.append(time.monotonic() - at)
        if answer.status != 202:
            self._refusals.append(f"{answer.status} {content[:300]!r}")


if __name__ == "__main__":
    print(json.dumps(PacedSender(json.loads(sys.stdin.readline())).run()), flush=True)
