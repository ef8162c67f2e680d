"""Reads and sends events for a quiet workspace at a steady pace, as a separate process.

Takes `{"port", "cookie", "workspace", "token", "rate", "seconds", "patience", "prefix"}`. Answers one line: `reads` and
`events` with `{"count", "failed", "p99", "slowest"}` in seconds, and `sent`. `sent` has the planned moment of each
title on the monotonic clock. A time begins at the planned moment. A service that stalls is therefore charged for
everything that had to wait.
"""

from __future__ import annotations

import http.client
import json
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from bench.figures import share

THREADS = 8
"""Threads for reads, and as many for events, so that a slow request does not delay the next one."""


class QuietNeighbour:
    """Sends reads of the inbox and single events, at their planned moments."""

    def __init__(self, order: dict[str, Any]) -> None:
        self._order = order
        self._lock = threading.Lock()
        self._began = time.monotonic() + 0.2
        self._moments = {kind: iter(range(int(order["rate"] * order["seconds"]))) for kind in ("reads", "events")}
        self._took: dict[str, list[float]] = {"reads": [], "events": []}
        self._failed = {"reads": 0, "events": 0}
        self._sent: dict[str, float] = {}

    def run(self) -> dict[str, Any]:
        """Runs until all planned moments are over and answered."""
        threads = [
            threading.Thread(target=self._repeat, args=(kind, send))
            for kind, send in (("reads", self._read), ("events", self._send))
            for _ in range(THREADS)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return {**{kind: self._figures(kind) for kind in self._took}, "sent": self._sent}

    def _repeat(self, kind: str, send: Callable[[http.client.HTTPConnection, int, float], bool]) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self._order["port"], timeout=self._order["patience"])
        while True:
            with self._lock:
                number = next(self._moments[kind], None)
            if number is None:
                return
            at = self._began + number / self._order["rate"]
            time.sleep(max(0.0, at - time.monotonic()))
            try:
                is_good = send(connection, number, at)
            except (OSError, http.client.HTTPException):
                is_good = False
                connection.close()
            self._took[kind].append(time.monotonic() - at)
            self._failed[kind] += not is_good

    def _read(self, connection: http.client.HTTPConnection, number: int, at: float) -> bool:
        path = f"/v1/incidents?workspaceId={self._order['workspace']}&limit=20"
        return _status(connection, "GET", path, headers={"Cookie": self._order["cookie"]}) == 200

    def _send(self, connection: http.client.HTTPConnection, number: int, at: float) -> bool:
        title = f"{self._order['prefix']} {number}"
        body = json.dumps({"title": title, "severity": "ERROR", "dedupKey": title})
        headers = {"Authorization": f"Bearer {self._order['token']}", "Content-Type": "application/json"}
        is_good = _status(connection, "POST", "/v1/events", body, headers) == 202
        if is_good:
            self._sent[title] = at
        return is_good

    def _figures(self, kind: str) -> dict[str, Any]:
        took = self._took[kind]
        return {
            "count": len(took),
            "failed": self._failed[kind],
            "p99": share(took, 0.99),
            "slowest": max(took, default=0.0),
        }


def _status(
    connection: http.client.HTTPConnection,
    method: str,
    path: str,
    body: str = "",
    headers: dict[str, str] | None = None,
) -> int:
    connection.request(method, path, body or None, headers or {})
    answer = connection.getresponse()
    answer.read()
    return answer.status


if __name__ == "__main__":
    print(json.dumps(QuietNeighbour(json.loads(sys.stdin.readline())).run()), flush=True)
