"""Opens one database connection per request, where the policy of the endpoint requires one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from flask import Flask, g, request

from inbox.api.http.policy import find_entry
from inbox.database.base import db


def install(app: Flask) -> None:
    """Opens the connection before the view and releases it afterwards."""
    app.before_request(_open)
    app.teardown_request(_close)


@contextmanager
def borrowed() -> Iterator[None]:
    """Opens a connection for the block only, or uses the one that is already open."""
    opened = db.connect(reuse_if_open=True)
    try:
        yield
    finally:
        if opened and not db.is_closed():
            db.close()


def _open() -> None:
    here = find_entry()
    if here is not None and here.database and request.routing_exception is None:
        g.connected = db.connect(reuse_if_open=True)


def _close(_: BaseException | None) -> None:
    # Close only a connection that this request opened. A test, or a caller in the same thread, keeps its own.
    if g.pop("connected", False) and not db.is_closed():
        db.close()
