"""Limits how many reads a process works on at once, so that senders do not wait behind hundreds of reads.

A web process executes one request until it waits for PostgreSQL, and then another. Without this limit an event would
wait for a step of each earlier read. Its commit would wait for as many statements.
"""

from __future__ import annotations

import random
import threading

from flask import Flask, g, request

from inbox.api.http.authorization import SAFE
from inbox.api.http.policy import PEOPLE, find_entry
from inbox.runtime import work_budget
from inbox.runtime.low_priority import is_low

READS_AT_ONCE = 4
"""One read is computed while the others wait for PostgreSQL."""

WAIT_SECONDS = (1.0, 3.0)
"""The random time after which a read begins without a slot, so that slow reads do not stop all others."""

_slots = threading.BoundedSemaphore(READS_AT_ONCE)


def install(app: Flask) -> None:
    """Takes a slot for each read of a person that needs the database. Call it before `connections.install`."""
    app.before_request(_take)
    app.teardown_request(_release)


def _take() -> None:
    entry = find_entry()
    if entry is None or entry.credential not in PEOPLE or not entry.database or request.method not in SAFE:
        return
    if entry.read_slot:
        g.read_slot = _slots.acquire(timeout=random.uniform(*WAIT_SECONDS))
        is_low.set(True)
        # A long read takes turns with the other long ones. With its slot, four of them would stop all short reads.
        work_budget.when_long(_release_slot)


def _release(_: BaseException | None) -> None:
    is_low.set(False)
    _release_slot()


def _release_slot() -> None:
    if g.pop("read_slot", False):
        _slots.release()
