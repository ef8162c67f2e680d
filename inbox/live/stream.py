"""One open stream: whose it is, what waits for it, and the bytes as the server asks for them."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from inbox.domain import ids
from inbox.live import wire
from inbox.live.mailbox import Mailbox

PING_SECONDS = 25.0


@dataclass(frozen=True, slots=True)
class Subscriber:
    """Who listens, by which credential, and what may be told to them. `credential_id` is a session's or a device's."""

    user_id: UUID
    credential_id: UUID
    workspace_ids: frozenset[UUID]
    by_device: bool = False


class Stream:
    """The body of the answer. The server closes it, read to its end or not; `left` is called then, once or more often."""

    __slots__ = ("_left", "_next_ping", "_opened", "_ping_seconds", "audiences", "handed_at", "listener", "mailbox")

    def __init__(
        self, listener: Subscriber, left: Callable[[Stream], None], *, ping_seconds: float = PING_SECONDS
    ) -> None:
        self.listener = listener
        self.mailbox = Mailbox()
        self.audiences = audiences(listener)
        self.handed_at: float | None = None  # since when the server has been trying to send a piece
        self._left = left
        self._opened = False
        self._next_ping = 0.0
        self._ping_seconds = ping_seconds

    def __iter__(self) -> Stream:
        return self

    def __next__(self) -> bytes:
        self.handed_at = None
        piece = self._next_chunk()
        self.handed_at = time.monotonic()
        return piece

    def close(self) -> None:
        """The client is gone, or was told to go."""
        self.handed_at = None
        self.mailbox.close()
        self._left(self)

    def _next_chunk(self) -> bytes:
        now = time.monotonic()
        if not self._opened:
            self._opened, self._next_ping = True, now + self._ping_seconds
            return wire.OPENING
        while not self.mailbox.closed:
            lines = self.mailbox.take(self._next_ping - now)
            now = time.monotonic()
            if now >= self._next_ping:
                self._next_ping = now + self._ping_seconds
                lines += wire.PING
            if lines:
                return lines
        raise StopIteration


def audiences(listener: Subscriber) -> frozenset[str]:
    """The names under which `feed` addresses what this listener may be told."""
    workspaces = (ids.encode("wsp", workspace_id) for workspace_id in listener.workspace_ids)
    return frozenset((ids.encode("usr", listener.user_id), *workspaces))
