"""Work that a thread repeats until the end of a block."""

from __future__ import annotations

import threading
from typing import Self


class Background:
    """Calls `step` again and again in a thread, with a pause before each call. Use as a context manager."""

    def __init__(self) -> None:
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._repeat, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(30)

    def pause(self) -> float:
        """The seconds before the next call."""
        raise NotImplementedError

    def step(self) -> None:
        raise NotImplementedError

    def _repeat(self) -> None:
        while not self._stop.wait(self.pause()):
            self.step()
