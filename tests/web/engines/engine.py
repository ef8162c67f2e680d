"""Opens, presses and reads pages, with the commands that WebDriver and WebDriver BiDi share."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import pytest

from tests.faults.service_processes import until

PATIENCE = 60
"""The seconds after which something is not shown."""

DESKTOP, PHONE = (1440, 900), (390, 844)
"""Widths and heights in pixels. The least width of WebKit's window is more than a phone's."""

ENTER = "\ue007"
"""The key as WebDriver names it."""

FIND = r"""(([selector, text]) => {
  const named = (each) => [each.getAttribute('aria-label'), each.labels?.[0]?.innerText, each.innerText];
  const found = [...document.querySelectorAll(selector)].find((each) => each.checkVisibility()
    && named(each).some((name) => name?.trim().replace(/\s+/g, ' ').startsWith(text)));
  if (!found) return null;
  found.scrollIntoView({ block: 'center', behavior: 'instant' });
  const { x, y, width, height } = found.getBoundingClientRect();
  return [Math.round(x + width / 2), Math.round(y + height / 2)];
})"""
"""The middle of the first visible element of a selector whose label or text begins with a text."""

CONTROLS = "button, a, input, textarea, [role=tab], [role=menuitem], [role=option]"

Actions = list[dict[str, Any]]


class Engine(Protocol):
    """A window of a browser. `errors` are the errors that its pages logged."""

    errors: list[str]

    def open(self, url: str) -> None:
        """Open a page and wait until it is loaded."""

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression, which JSON can carry."""

    def perform(self, actions: Actions) -> None:
        """Input of a person, as WebDriver describes it."""

    def resize(self, width: int, height: int) -> None:
        """Change the size of the page."""


def program(*names: str) -> str:
    """The first of these programs that is here. Without one the test is skipped."""
    found = next(
        (path for name in names if (path := shutil.which(name) or (name if os.path.isfile(name) else None))), None
    )
    if found is None:
        pytest.skip(f"no {names[0]} here: its package of Debian has it")
    return found


@contextmanager
def running(*command: str, **options: Any) -> Iterator[subprocess.Popen[str]]:
    """A program and what it starts, until the end."""
    with subprocess.Popen(command, text=True, start_new_session=True, **options) as process:
        try:
            yield process
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)


class Screen:
    """A person at an engine: finds by text, presses, types and waits."""

    def __init__(self, engine: Engine, address: str) -> None:
        self.engine, self.address = engine, address

    def open(self, path: str) -> None:
        """Open a path of the service."""
        self.engine.open(self.address + path)

    def sees(self, text: str) -> None:
        """Wait until the text is on the screen."""
        shown = f"document.body?.innerText.includes({json.dumps(text)}) ?? false"
        until(lambda: self.engine.evaluate(shown), f"{text!r} is shown", PATIENCE)

    def press(self, text: str, selector: str = CONTROLS) -> None:
        """Press a control that begins with the text, once it is there and rests."""
        find = f"{FIND}({json.dumps([selector, text])})"
        places: list[Any] = [None, None]

        def rests() -> bool:
            places.append(self.engine.evaluate(find))
            return places[-1] is not None and places[-1] == places[-2]

        try:
            until(rests, f"{text!r} can be pressed", PATIENCE)
        except AssertionError as fault:
            raise AssertionError(
                f"{fault}, at {places[-3:]} of: {self.engine.evaluate('document.body.innerText')}"
            ) from None
        x, y = places[-1]
        button = [{"type": "pointerMove", "x": x, "y": y}, {"type": "pointerDown", "button": 0}]
        self.engine.perform(
            [{"type": "pointer", "id": "mouse", "actions": [*button, {"type": "pointerUp", "button": 0}]}]
        )

    def types(self, text: str) -> None:
        """Type into what has the focus."""
        strokes = [{"type": kind, "value": key} for key in text for kind in ("keyDown", "keyUp")]
        self.engine.perform([{"type": "key", "id": "keyboard", "actions": strokes}])

    def overflow(self) -> int:
        """The number of pixels by which the page is wider than its window."""
        return int(self.engine.evaluate("document.documentElement.scrollWidth - window.innerWidth"))
