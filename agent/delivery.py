"""Sends a request now, or stores it for later. Waiting requests are sent oldest first."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, Callable, Iterator, NamedTuple

from agent.client import Away, Blocked, Client, Refused, repeated
from agent.options import warn
from agent.spool import Spool

TRIES = 4


class Post(NamedTuple):
    """A request that can be sent later."""

    path: str
    body: str
    content_type: str


def flush(client: Client, spool: Spool, seconds: float) -> bool:
    """Sends waiting requests for at most `seconds`. Returns whether a new request may follow now. Never raises.

    Another process that holds the lock may also send: the instance may be up, and that process sends the rest.
    """
    until = time.monotonic() + seconds
    try:
        if not spool.waiting():
            return True
        with spool.locked(seconds) as alone:
            return not alone or _send_all(client, spool, until)
    except OSError as fault:
        warn(f"the spool cannot be used: {fault.strerror}")
        return True


def _send_all(client: Client, spool: Spool, until: float) -> bool:
    for path in _waiting(spool):
        record = spool.read(path)
        if record is None:
            continue
        if time.monotonic() > until:
            return False
        try:
            if send_waiting(client, record):
                spool.remove(path)
        except Away:
            return False
    return True


def _waiting(spool: Spool) -> Iterator[Path]:
    """Yields each waiting request once, including requests that other processes add meanwhile."""
    seen: set[Path] = set()
    while True:
        new = [path for path in spool.waiting() if path not in seen]
        if not new:
            return
        seen.update(new)
        yield from new


def send_waiting(client: Client, record: dict[str, Any]) -> bool:
    """Sends a waiting request. Returns whether it is sent or refused; a blocked one stays. Raises `Away`."""
    try:
        client.post(record["path"], record["body"].encode("utf-8"), record["contentType"])
    except Blocked:
        return False
    except Refused as fault:
        warn(f"a waiting request was refused and dropped: {fault}")
    return True


def deliver(
    client: Client,
    spool: Spool,
    post: Post,
    seconds: float,
    send_earlier: Callable[[Client, Spool, float], bool] = flush,
) -> object:
    """Sends a request after waiting ones. Returns its answer, or None when it was stored for later.

    A request must carry its own idempotency key, so that a lost answer makes no second event. Raises `Refused`, and
    `Away` when it cannot be stored either.
    """
    until = time.monotonic() + seconds
    try:
        if not send_earlier(client, spool, seconds):
            raise Away(f"Earlier requests still wait for {client.address}")
        # While others wait it has one try: otherwise it could pass them when the instance is back.
        tries = 1 if _has_waiting(spool) else TRIES
        left = until - time.monotonic()
        return repeated(lambda: client.post(post.path, post.body.encode("utf-8"), post.content_type)[1], tries, left)
    except Away as fault:
        try:
            removed = spool.add(*post)
        except OSError as broken:
            raise Away(f"{fault}; the spool cannot be used: {broken.strerror}") from None
        warn(f"{fault}. It is stored in {spool.folder} and sent later.")
        if removed:
            warn(f"the spool is full: {removed} older requests were dropped")
        return None


def _has_waiting(spool: Spool) -> bool:
    try:
        return bool(spool.waiting())
    except OSError:
        return False
