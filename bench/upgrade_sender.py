"""A sender that continues during an upgrade: each event has a title of its own, and is repeated until it is accepted."""

from __future__ import annotations

import threading
import time
from types import TracebackType
from typing import Self

import requests

PAUSE_SECONDS = 0.02


class Sender:
    """One thread. `send_to` names the port; `accepted` are the titles that were answered 202."""

    def __init__(self, key: str) -> None:
        self.accepted: set[str] = set()
        self.repeated = 0
        self._key = key
        self._port = 0
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def send_to(self, port: int) -> None:
        """Send to this port from now on."""
        self._port = port
        if not self._thread.is_alive():
            self._thread.start()

    def stop(self) -> None:
        """Stop after the event in progress is accepted."""
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        number = 0
        while not self._stopped.is_set():
            number += 1
            self._send(f"Upgrade {number}", number)
            time.sleep(PAUSE_SECONDS)

    def _send(self, title: str, number: int) -> None:
        event = {"title": title, "severity": ("ERROR", "CRITICAL")[number % 2], "dedupKey": f"upgrade-{number}"}
        headers = {"Authorization": f"Bearer {self._key}", "Idempotency-Key": f"upgrade-{number}"}
        while True:
            try:
                url = f"http://127.0.0.1:{self._port}/v1/events"
                if requests.post(url, json=event, headers=headers, timeout=30).status_code == 202:
                    self.accepted.add(title)
                    return
            except requests.RequestException:
                pass
            self.repeated += 1
            time.sleep(0.2)
