"""Clients that send one request several times, all at once. It runs as a separate process.

Takes `{"port", "cookie", "request", "clients", "seconds"}`: `request` is one of `insider_requests`, `cookie` the session of the
insider. Each client repeats it until `seconds` are over. Answers one line: the number of each status, and the slowest answer.
"""

from __future__ import annotations

import http.client
import json
import sys
import threading
import time
from collections import Counter
from typing import Any

from bench.insider_requests import Request

PATIENCE_SECONDS = 120.0


class InsiderClients:
    """All clients of a row, and their answers."""

    def __init__(self, order: dict[str, Any]) -> None:
        self._order = order
        self._request = Request(*order["request"])
        self._until = time.monotonic() + order["seconds"]
        self._statuses: Counter[str] = Counter()
        self._slowest = 0.0

    def run(self) -> dict[str, Any]:
        """Sends until the time is over. Every client sends at least once."""
        threads = [threading.Thread(target=self._repeat) for _ in range(self._order["clients"])]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return {"answers": dict(self._statuses), "slowest": self._slowest}

    def _repeat(self) -> None:
        while True:
            began = time.monotonic()
            self._statuses[self._send()] += 1
            self._slowest = max(self._slowest, time.monotonic() - began)
            if time.monotonic() > self._until:
                return

    def _send(self) -> str:
        credential = {"Authorization": f"Bearer {self._request.key}"} if self._request.key else {}
        headers = {"Content-Type": "application/json", **(credential or {"Cookie": self._order["cookie"]})}
        connection = http.client.HTTPConnection("127.0.0.1", self._order["port"], timeout=PATIENCE_SECONDS)
        try:
            connection.request(self._request.method, self._request.path, self._request.body, headers)
            answer = connection.getresponse()
            answer.read()
            return str(answer.status)
        except (OSError, http.client.HTTPException) as fault:
            return type(fault).__name__
        finally:
            connection.close()


if __name__ == "__main__":
    print(json.dumps(InsiderClients(json.loads(sys.stdin.readline())).run()), flush=True)
