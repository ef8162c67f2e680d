"""A unit of work: one transaction, then what follows its commit, and only then."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from uuid import UUID

from inbox import queue
from inbox.live import feed
from inbox.models.sql.base import db
from inbox.queue import Bell


class Done:
    """What is to follow the commit of one unit of work."""

    def __init__(self) -> None:
        self._bells: list[Bell] = []
        self._later: list[tuple[Bell, datetime]] = []
        self._after: list[Callable[[], None]] = []
        self.references: list[feed.Reference] = []

    def ring(self, bell: Bell, at: datetime | None = None) -> None:
        """Wake a worker after the commit, or at a time."""
        if at is not None:
            self._later.append((bell, at))
        elif bell not in self._bells:
            self._bells.append(bell)

    def changed(
        self,
        type: str,
        id: UUID,
        workspace_id: UUID | None,
        *,
        op: str = "changed",
        rev: int = 0,
        only: UUID | None = None,
    ) -> None:
        """Tell the live stream that something changed; one thing is told once. `only` is the one person to be told."""
        self.references.append(feed.Reference(type, id, workspace_id, op, rev, only))

    def after(self, act: Callable[[], None]) -> None:
        """Call `act` after the commit; it must not touch the database."""
        self._after.append(act)

    def follow(self, told: tuple[int, bytes] | None) -> None:
        """Do all of it; called by `work` after the commit. `told` is what the feed remembers, by its `seq`."""
        for bell in self._bells:
            queue.bells().ring(bell)
        for bell, moment in self._later:
            queue.bells().ring_at(bell, moment)
        if told is not None:
            feed.publish(*told)
        for act in self._after:
            act()


@contextmanager
def work() -> Iterator[Done]:
    """One transaction on the caller's open connection; bells and references follow its commit, none follow a failure.

    Not to be nested: what is to be one transaction is one `work`.
    """
    done = Done()
    told: tuple[int, bytes] | None = None
    with db.atomic():
        yield done
        if done.references:
            refs = feed.told(feed.condensed(done.references))
            told = feed.remember(refs), refs
    done.follow(told)
