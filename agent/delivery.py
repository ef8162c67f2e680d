"""Sends a request now, or stores it for later; and sends what waits, the oldest first."""

from __future__ import annotations

import time

from agent.client import Away, Client, Refused, repeated
from agent.options import warn
from agent.spool import Spool


def flush(client: Client, spool: Spool, seconds: float) -> bool:
    """Send the waiting requests for at most `seconds`. Return whether none waits any more. Never raises."""
    until = time.monotonic() + seconds
    try:
        if not spool.waiting():
            return True
        with spool.locked() as alone:
            return alone and _send_waiting(client, spool, until)
    except OSError as fault:
        warn(f"the spool cannot be used: {fault.strerror}")
        return True


def _send_waiting(client: Client, spool: Spool, until: float) -> bool:
    for path in spool.waiting():
        record = spool.read(path)
        if record is None:
            continue
        if time.monotonic() > until:
            return False
        try:
            client.post(record["path"], record["body"].encode("utf-8"), record["contentType"])
        except Away:
            return False
        except Refused as fault:
            warn(f"a waiting request was refused and dropped: {fault}")
        spool.remove(path)
    return True


def deliver(client: Client, spool: Spool, path: str, body: str, content_type: str, seconds: float) -> object:
    """Send a request after those that wait; return its answer, or None when it was stored for later.

    A request must carry its own idempotency key, so that a lost answer makes no second event. Raises `Refused`, and
    `Away` when it cannot be stored either.
    """
    until = time.monotonic() + seconds
    try:
        if not flush(client, spool, seconds):
            raise Away(f"Earlier requests still wait for {client.address}")
        left = until - time.monotonic()
        return repeated(lambda: client.post(path, body.encode("utf-8"), content_type)[1], 4, left)
    except Away as fault:
        try:
            removed = spool.add(path, body, content_type)
        except OSError as broken:
            raise Away(f"{fault}; the spool cannot be used: {broken.strerror}") from None
        warn(f"{fault}. It is stored in {spool.folder} and sent with the next call.")
        if removed:
            warn(f"the spool is full: {removed} older requests were dropped")
        return None
