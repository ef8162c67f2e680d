"""WebKit over WebDriver, whose server comes with it. The window is on a display without a screen."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from glob import glob
from subprocess import DEVNULL, PIPE
from typing import Any

import requests

from tests.faults.service_processes import until
from tests.runner.ports import free_port
from tests.web.engines.engine import DESKTOP, Actions, program, running

BROWSERS = "/usr/lib/*/webkit2gtk-4.*/MiniBrowser"

LISTEN = """(window.faults ??= (addEventListener('error', (each) => faults.push(each.message)),
  addEventListener('unhandledrejection', (each) => faults.push(String(each.reason))), []))"""
"""The errors of the page since the first call."""


class WebKit:
    """A window of WebKit."""

    def __init__(self, address: str, browser: str) -> None:
        self.errors: list[str] = []
        self._address = f"{address}/session"
        options = {"webkitgtk:browserOptions": {"binary": browser, "args": ["--automation"]}}
        self._address += "/" + self._ask("POST", "", capabilities={"alwaysMatch": options})["sessionId"]

    def open(self, url: str) -> None:
        """Open a page and wait until it is loaded."""
        self._ask("POST", "/url", url=url)
        self.evaluate(LISTEN)

    def evaluate(self, expression: str) -> Any:
        """The value of an expression."""
        script = f"return JSON.stringify([{expression}, window.faults?.splice(0) ?? []])"
        value, faults = json.loads(self._ask("POST", "/execute/sync", script=script, args=[]))
        self.errors += faults
        return value

    def perform(self, actions: Actions) -> None:
        """Input of a person."""
        self._ask("POST", "/actions", actions=actions)

    def resize(self, width: int, height: int) -> None:
        """Change the size of the window."""
        self._ask("POST", "/window/rect", width=width, height=height)

    def end(self) -> None:
        """Close the window."""
        self._ask("DELETE", "")

    def _ask(self, method: str, path: str, **body: Any) -> Any:
        answer = requests.request(method, self._address + path, json=body or None, timeout=120)
        assert answer.ok, answer.text
        return answer.json()["value"]


@contextmanager
def webkit() -> Iterator[WebKit]:
    """Start WebKit on a virtual display."""
    [browser, *_] = [*glob(BROWSERS), "MiniBrowser"]
    driver, display, port = program("WebKitWebDriver"), program("Xvfb"), free_port()
    with running(display, "-displayfd", "1", "-screen", "0", "1600x1000x24", stdout=PIPE, stderr=DEVNULL) as screen:
        assert screen.stdout is not None
        surroundings = {**os.environ, "DISPLAY": f":{screen.stdout.readline().strip()}", "LANG": "C.UTF-8"}
        with running(driver, f"--port={port}", env=surroundings, stdout=DEVNULL, stderr=DEVNULL):
            address = f"http://127.0.0.1:{port}"
            until(lambda: _listens(address), "WebKitWebDriver listens", 60)
            window = WebKit(address, program(browser))
            window.resize(*DESKTOP)
            try:
                yield window
            finally:
                window.end()


def _listens(address: str) -> bool:
    try:
        return requests.get(f"{address}/status", timeout=10).ok
    except requests.ConnectionError:
        return False
