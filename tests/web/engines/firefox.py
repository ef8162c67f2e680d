"""Firefox over WebDriver BiDi, a WebSocket that the browser opens itself."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from subprocess import DEVNULL, PIPE
from typing import Any

from websockets.sync.client import ClientConnection, connect

from tests.web.engines.engine import DESKTOP, Actions, program, running

LISTENS = "WebDriver BiDi listening on "

PREFERENCES = {"intl.accept_languages": "en-US", "ui.prefersReducedMotion": 1, "dom.disable_beforeunload": True}
"""Skips the question about unsaved forms, because nobody would answer it and the next navigation would wait."""


class Firefox:
    """A window of Firefox without a display."""

    def __init__(self, connection: ClientConnection) -> None:
        self.errors: list[str] = []
        self._connection, self._numbers = connection, count(1)
        self._ask("session.new", capabilities={})
        self._ask("session.subscribe", events=["log.entryAdded"])
        self._window = self._ask("browsingContext.getTree")["contexts"][0]["context"]

    def open(self, url: str) -> None:
        """Open a page and wait until it is loaded."""
        self._ask("browsingContext.navigate", context=self._window, url=url, wait="complete")

    def evaluate(self, expression: str) -> Any:
        """The value of an expression."""
        target = {"context": self._window}
        answer = self._ask(
            "script.evaluate", expression=f"JSON.stringify({expression})", target=target, awaitPromise=False
        )
        assert answer["type"] == "success", answer
        return json.loads(answer["result"].get("value", "null"))

    def perform(self, actions: Actions) -> None:
        """Input of a person."""
        self._ask("input.performActions", context=self._window, actions=actions)

    def resize(self, width: int, height: int) -> None:
        """Change the size of the page."""
        self._ask("browsingContext.setViewport", context=self._window, viewport={"width": width, "height": height})

    def _ask(self, method: str, **params: Any) -> Any:
        number = next(self._numbers)
        self._connection.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            message = json.loads(self._connection.recv(timeout=60))
            if message.get("method") == "log.entryAdded" and message["params"]["level"] == "error":
                self.errors.append(str(message["params"]["text"]))
            if message.get("id") == number:
                assert message["type"] == "success", message
                return message["result"]


@contextmanager
def firefox(profile: Path) -> Iterator[Firefox]:
    """Start Firefox with a new profile in this directory."""
    lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in PREFERENCES.items()]
    (profile / "user.js").write_text("\n".join(lines))
    arguments = ("--headless", "--no-remote", "--profile", str(profile), "--remote-debugging-port", "0")
    with running(program("firefox-esr", "firefox"), *arguments, stderr=PIPE, stdout=DEVNULL) as process:
        assert process.stderr is not None
        address = next(line for line in process.stderr if LISTENS in line).partition(LISTENS)[2].strip()
        with connect(f"{address}/session", origin=None, max_size=None) as connection:
            browser = Firefox(connection)
            browser.resize(*DESKTOP)
            yield browser
