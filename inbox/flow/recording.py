"""What is recorded of events: a record that is made again is stored once a day, and only its id with each event.

Specification 4.10.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from inbox.domain import ids
from inbox.domain.routing import RoutingOutcome, record
from inbox.flow.hearing import Case
from inbox.models.events.queue import SharedTrace

KEPT = 20_000
"""Records that a process knows again, of about a kilobyte each; then it begins anew."""

DAY = 24 * 60 * 60 * 1000
"""In milliseconds."""

_Alike = tuple[int, int, int, str, str | None, str | None, tuple[str, ...]]
"""Events of which the same is recorded: of one court, by one decision and what rules said (the same objects), with one fate."""


class Recorded(NamedTuple):
    """The record of an event, as JSON, or the id of the one that it shares."""

    record: str | None = None
    id: UUID | None = None


class _Known:
    """Of one case a record was made before; `id` is by which it is stored, if it is. With the case stays what it is known by."""

    __slots__ = ("case", "id")

    def __init__(self, case: Case) -> None:
        self.case = case
        self.id: UUID | None = None


class Archive:
    """The records that a process made on one day. Threads may share it: at worst one is stored by both, under one id."""

    def __init__(self, most: int = KEPT) -> None:
        self._most = most
        self._day = 0
        self._known: dict[_Alike, _Known] = {}

    @contextmanager
    def trusted(self) -> Iterator[None]:
        """Within it the database must not fail: what comes back afterwards may be without what was stored."""
        try:
            yield
        except BaseException:
            self._known = {}
            raise

    def on(self, day: int) -> dict[_Alike, _Known]:
        """What is known of this day; who asks fills it."""
        if day != self._day or len(self._known) >= self._most:
            self._day, self._known = day, {}
        return self._known


class Records:
    """The records of one batch, of which a shard is held and which is routed at `now`."""

    def __init__(self, archive: Archive, now: datetime) -> None:
        self._day = int(now.timestamp() * 1000) // DAY
        self._known = archive.on(self._day)
        self._fresh: dict[_Alike, SharedTrace] = {}

    @property
    def fresh(self) -> Sequence[SharedTrace]:
        """What is to be stored with the batch, where it is not."""
        return list(self._fresh.values())

    def of(self, case: Case, fate: RoutingOutcome) -> Recorded:
        """The record of this event. One that is made for the first time may be so for the last: the event keeps it to itself."""
        alike = (
            id(case.court),
            id(case.decision),
            id(case.said),
            fate.disposition,
            fate.act,
            fate.reason,
            fate.sentences,
        )
        known = self._known.get(alike)
        if known is None:
            self._known[alike] = _Known(case)
            return Recorded(record(case.decision, fate, case.explained))
        if known.id is not None:
            return Recorded(id=known.id)
        if alike not in self._fresh:
            self._fresh[alike] = self._shared(case, record(case.decision, fate, case.explained))
        return Recorded(id=self._fresh[alike].id)

    def kept(self) -> None:
        """The batch is committed: what was fresh need not be stored again."""
        for alike, shared in self._fresh.items():
            if alike in self._known:
                self._known[alike].id = shared.id

    def _shared(self, case: Case, text: str) -> SharedTrace:
        """By its id it goes when the events of the day are gone. It is of one source, so that nobody else stores it just now."""
        source_id, workspace_id = case.event.source_id, case.event.workspace_id
        digest = hashlib.blake2b(text.encode(), digest_size=10, key=source_id.bytes).digest()
        return SharedTrace(workspace_id, ids.uuid7(self._day * DAY, digest), source_id, text)


archive = Archive()
"""Of this process."""
