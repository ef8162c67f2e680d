"""A sender with a fixed rate of single events. Runs as a separate process.

Takes `{"port", "token" or "tokens", "rate", "seconds", "keys"}`, and answers one line: `{"sent", "refused",
"first_refusal", "p50", "p99", "late"}`. With `prefix` the titles begin with it, and with `list_answered` the line has
`answered`, the time of each title. Times are milliseconds from the planned moment of an event to its answer. So a
stalled server is charged for all waiting events. `late` is the number of seconds by which the last event went out too
late.
"""

from __future__ import annotations

import http.client
import json
import os
import sys
import threading
import time
from contextlib import suppress
from typing import Any

from bench.figures import share
from bench.load import single

CONNECTIONS = 16
PATIENCE_SECONDS = 30.0

PRIORITY = -10
"""The sender comes before the service where the user may set that: elsewhere it would have its own machine."""


class PacedSender:
    """Events at their planned moments, over a few kept connections, with their results."""

    def __init__(self, order: dict[str, Any]) -> None:
        self._order = order
        self._planned = iter(range(int(order["rate"] * order["seconds"])))
        self._lock = threading.Lock()
        self._began = time.monotonic() + 0.2
        self._took: list[float] = []
        self._answered: dict[str, float] = {}
        self._tokens = order.get("tokens") or [order["token"]]
        self._refusals: list[str] = []
        self._late = 0.0

    def run(self) -> dict[str, Any]:
        """Sends all events. The time of each begins at its planned moment."""
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
            **({"answered": self._answered} if self._order.get("list_answered") else {}),
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
        token = self._tokens[number % len(self._tokens)]
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        title, body = self._body(number)
        try:
            connection.request("POST", "/v1/events", body, headers)
            answer = connection.getresponse()
            content = answer.read()
        except OSError as fault:
            self._refusals.append(f"{type(fault).__name__}: {fault}")
            connection.close()
            return
        self._answered[title] = time.monotonic()
        self._took.append(self._answered[title] - at)
        if answer.status != 202:
            self._refusals.append(f"{answer.status} {content[:300]!r}")

    def _body(self, number: int) -> tuple[str, bytes]:
        found = json.loads(single(number, int(self._order["keys"])))
        for name in ("title", "dedupKey") if "prefix" in self._order else ():
            found[name] = f"{self._order['prefix']}: {found[name]}"
        return found["title"], json.dumps(found).encode()


if __name__ == "__main__":
    with suppress(PermissionError):  # otherwise its own waits for a processor would count as time of the service
        os.setpriority(os.PRIO_PROCESS, 0, PRIORITY)
    print(json.dumps(PacedSender(json.loads(sys.stdin.readline())).run()), flush=True)
