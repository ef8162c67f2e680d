"""The index of the open streams of this process by audience and by credential."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from uuid import UUID

from inbox.live.stream import Stream


class Subscriptions:
    """An index of streams. It makes no access decision."""

    def __init__(self) -> None:
        self._streams: set[Stream] = set()
        self._by_audience: dict[str, set[Stream]] = {}

    def __len__(self) -> int:
        return len(self._streams)

    def __iter__(self) -> Iterator[Stream]:
        """Iterate over a copy of all streams."""
        return iter(tuple(self._streams))

    def of(self, audience: str) -> tuple[Stream, ...]:
        """Return the streams of `audience` (a workspace or a person)."""
        return tuple(self._by_audience.get(audience, ()))

    def count(self, audience: str) -> int:
        """Return the number of streams of `audience`."""
        return len(self._by_audience.get(audience, ()))

    def by_credential(self, *, devices: bool) -> dict[UUID, list[Stream]]:
        """Return the streams of each session, or of each device."""
        found: dict[UUID, list[Stream]] = {}
        for stream in self._streams:
            if stream.subscriber.by_device is devices:
                found.setdefault(stream.subscriber.credential_id, []).append(stream)
        return found

    def join(self, stream: Stream) -> None:
        self._streams.add(stream)
        for audience in stream.audiences:
            self._by_audience.setdefault(audience, set()).add(stream)

    def leave(self, stream: Stream) -> None:
        """Remove the stream. A second call is allowed."""
        self._streams.discard(stream)
        self._remove_from(stream, stream.audiences)

    def move(self, stream: Stream, audiences: frozenset[str]) -> None:
        """Replace the audiences of the stream."""
        self._remove_from(stream, stream.audiences - audiences)
        stream.audiences = audiences
        self.join(stream)

    def _remove_from(self, stream: Stream, audiences: Iterable[str]) -> None:
        for audience in audiences:
            streams = self._by_audience.get(audience)
            if streams is not None:
                streams.discard(stream)
                if not streams:
                    del self._by_audience[audience]
