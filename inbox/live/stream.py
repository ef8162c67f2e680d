"""One open stream: its subscriber, its mailbox, and the iterator that the server reads."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from inbox.domain.values import ids
from inbox.live import wire
from inbox.live.mailbox import Mailbox

PING_SECONDS = 25.0


@dataclass(frozen=True, slots=True)
class Subscriber:
    """The person, the credential, and the accessible workspaces. `credential_id` is the id of a session or a device."""

    user_id: UUID
    credential_id: UUID
    workspace_ids: frozenset[UUID]
    by_device: bool = False


class Stream:
    """The response body. The server closes it at any time. It then calls `left`, once or several times."""

    __slots__ = (
        "_next_ping",
        "_on_closed",
        "_opened",
        "_opening",
        "_ping_seconds",
        "audiences",
        "mailbox",
        "send_started_at",
        "subscriber",
    )  # fmt: skip

    def __init__(
        self,
        subscriber: Subscriber,
        left: Callable[[Stream], None],
        *,
        ping_seconds: float = PING_SECONDS,
        opening: bytes | None = None,
    ) -> None:
        self.subscriber = subscriber
        self.mailbox = Mailbox()
        self.audiences = audiences(subscriber)
        self.send_started_at: float | None = None  # the time since which the server has been trying to send a chunk
        self._on_closed = left
        self._opening = wire.opening() if opening is None else opening
        self._opened = False
        self._next_ping = 0.0
        self._ping_seconds = ping_seconds

    def __iter__(self) -> Stream:
        return self

    def __next__(self) -> bytes:
        self.send_started_at = None
        piece = self._next_chunk()
        self.send_started_at = time.monotonic()
        return piece

    def close(self) -> None:
        """Close the stream, after a disconnect of the client or by the hub."""
        self.send_started_at = None
        self.mailbox.close()
        self._on_closed(self)

    def _next_chunk(self) -> bytes:
        now = time.monotonic()
        if not self._opened:
            self._opened, self._next_ping = True, now + self._ping_seconds
            return self._opening
        while not self.mailbox.closed:
            lines = self.mailbox.take(self._next_ping - now)
            now = time.monotonic()
            if now >= self._next_ping:
                self._next_ping = now + self._ping_seconds
                lines += wire.PING
            if lines:
                return lines
        raise StopIteration


def audiences(subscriber: Subscriber) -> frozenset[str]:
    """Return the names under which `feed` addresses this subscriber."""
    workspaces = (ids.encode("wsp", workspace_id) for workspace_id in subscriber.workspace_ids)
    return frozenset((ids.encode("usr", subscriber.user_id), *workspaces))
