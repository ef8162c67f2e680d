"""The interface of the hub for the Redis listener and the change poller, which avoids a circular import."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from inbox.live.seen_changes import SeenChanges
from inbox.live.stream import Stream, Subscriber
from inbox.live.subscriptions import Subscriptions


class HubInterface(Protocol):
    """The methods of `Hub` that the listener and the poller call. `Hub` documents each method."""

    seen: SeenChanges
    audiences: Subscriptions
    stopping: threading.Event

    def on_changes(self, seq: int, references: Sequence[Mapping[str, Any]]) -> None:
        """Send the changes of one unit of work."""

    def resync(self, streams: Iterable[Stream] | None = None) -> None:
        """Send a `resync`."""

    def close(self, *, session: str | None = None, user: str | None = None, device: str | None = None) -> None:
        """End streams."""

    def update_access(self, stream: Stream, subscriber: Subscriber | None) -> None:
        """End a stream or change its audiences."""
