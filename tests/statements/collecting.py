"""Collects the statements that the service executes in this process, each with the function that executes it."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Any

import psycopg2
from psycopg2.extensions import cursor

ROOT = Path(__file__).parents[2]
PRODUCT = tuple(f"{ROOT / folder}/" for folder in ("inbox", "jobs", "cli"))
FOR_OTHERS = (f"{ROOT / 'inbox/database'}/", f"{ROOT / 'inbox/models/lists'}/")
"""Code that executes the statements of its callers."""


class _Places(dict[str, str | None]):
    """The path of a file of the product below the root; "" for a test; None for a library."""

    def __missing__(self, path: str) -> str | None:
        below = path.removeprefix(f"{ROOT}/")
        place = below if path.startswith(PRODUCT) and not path.startswith(FOR_OTHERS) else None
        self[path] = "" if below.startswith("tests/") else place
        return self[path]


Statement = tuple[str, str]
"""The function that executed it, such as `inbox/live/feed.py:Change.write`, and its SQL with places for values."""


class Collection:
    """The statements since `start`, each with its SQL as it was sent at its first time."""

    def __init__(self) -> None:
        self.statements: dict[Statement, str] = {}

    def start(self) -> None:
        """Forgets what was collected."""
        self.statements = {}


_places = _Places()
COLLECTION = Collection()


class CollectingCursor(cursor):
    """A cursor that notes what it executes."""

    def execute(self, query: Any, values: Any = None) -> None:
        """Executes a statement, and notes it also when it fails."""
        try:
            super().execute(query, values)
        finally:
            _note(query, self.query)

    def copy_expert(self, sql: Any, *others: Any, **named: Any) -> None:
        """Copies rows, and notes the statement."""
        _note(sql, None)
        super().copy_expert(sql, *others, **named)


def collect() -> None:
    """Connections that this process opens from now on collect."""
    psycopg2.connect = partial(psycopg2.connect, cursor_factory=CollectingCursor)


def _note(query: Any, sent: bytes | None) -> None:
    frame, own = sys._getframe(2), __file__
    while frame is not None:
        path = frame.f_code.co_filename
        place = None if path == own else _places[path]
        if place == "":
            return
        if place is not None:
            statement = f"{place}:{frame.f_code.co_qualname}", str(query)
            if statement not in COLLECTION.statements:
                COLLECTION.statements[statement] = statement[1] if sent is None else sent.decode()
            return
        frame = frame.f_back
