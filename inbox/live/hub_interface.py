"""What the ear and the lookout may ask of the hub, so that they need not know it."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from inbox.live.seen_changes import SeenChanges
from inbox.live.stream import Stream, Subscriber
from inbox.live.subscriptions import Subscriptions


class HubInterface(Protocol):
    """The hub's side towards those who bring it news; each method is explained there."""

    seen: SeenChanges
    audiences: Subscriptions
    stopping: threading.Event

    def on_changes(self, seq: int, references: Sequence[Mapping[str, Any]]) -> None:
        """Pass on what one unit of work changed."""

    def resync(self, streams: Iterable[Stream] | None = None) -> None:
        """Have clients reload."""

    def close(self, *, session: str | None = None, user: str | None = None, device: str | None = None) -> None:
        """End streams."""

    def update_access(self, stream: Stream, listener: Subscriber | None) -> None:
        """End, widen or narrow a stream."""
