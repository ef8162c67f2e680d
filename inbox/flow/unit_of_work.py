"""A unit of work: one transaction, its repetition after a conflict, and the tasks that run only after its commit."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from datetime import datetime
from typing import Protocol, TypeVar
from uuid import UUID

import peewee
import psycopg2
import structlog

from inbox.database.base import connection_released, db
from inbox.database.bulk_sql import AT_ONCE, CollectedStatements, Statements
from inbox.live import feed
from inbox.runtime import queue
from inbox.runtime.queue import QueueName

log = structlog.get_logger(__name__)

Result = TypeVar("Result")

TRIES = 4
RETRYABLE = frozenset({"40001", "40P01", "23505"})
"""The SQLSTATEs of a serialization failure, a deadlock, and a unique key that another transaction inserted first."""

OUTAGES = (peewee.OperationalError, peewee.InterfaceError, psycopg2.OperationalError, psycopg2.InterfaceError)
"""The exception classes for failures of the server or of its connection; `PROGRAM_LIMIT` is excepted."""

MORE_OUTAGES = frozenset({"25006", "25P03"})
"""The SQLSTATEs of a read-only server after a failover, and of a transaction that idled in a stopped process."""

OTHER_TABLES = frozenset({"42P01", "42703", "42883", "42704", "23502"})
"""The SQLSTATEs of an unknown table, column, function or type, or a missing required column: another schema version."""

PROGRAM_LIMIT = "54"
"""The SQLSTATE class of PostgreSQL's limits, for example a row that is too long for an index."""

_pending_undos: deque[Callable[[], None]] = deque()
"""The calls that revert the counts of attempts that an outage interrupted, kept until the database answers."""

_is_backdated: ContextVar[bool] = ContextVar("inbox.work.backdated", default=False)
_joined: ContextVar[AfterCommit | None] = ContextVar("inbox.work.joined", default=None)


class PublishedDelivery(Protocol):
    """A reference to a delivery, as the streams publish it."""

    @property
    def id(self) -> UUID: ...
    @property
    def workspace_id(self) -> UUID: ...
    @property
    def attempt(self) -> int: ...
    @property
    def incident_id(self) -> UUID | None: ...
    @property
    def destination_id(self) -> UUID: ...


class AfterCommit:
    """The tasks after the commit of one unit of work. Its `statements` may be collected and sent together."""

    def __init__(self, statements: Statements = AT_ONCE) -> None:
        self.statements = statements
        self._queues: list[QueueName] = []
        self._timed_wakes: list[tuple[QueueName, datetime]] = []
        self._callbacks: list[Callable[[], None]] = []
        self.references: list[feed.Reference] = []

    def wake(self, queue_name: QueueName, at: datetime | None = None) -> None:
        """Wakes a worker after the commit, or at a time."""
        if at is not None:
            self._timed_wakes.append((queue_name, at))
        elif queue_name not in self._queues:
            self._queues.append(queue_name)

    def publish_change(  # noqa: PLR0913  the fields of a reference
        self,
        object_type: str,
        id: UUID,
        workspace_id: UUID | None,
        *,
        op: str = "changed",
        rev: int = 0,
        only: UUID | None = None,
        parents: feed.Parents = feed.NO_PARENTS,
        is_act: bool = False,
    ) -> None:
        """Publishes a change reference to the streams, once per object. `only` restricts it to one person.

        `is_act`: a person changed it. Streams are notified without delay.
        """
        self.references.append(feed.Reference(object_type, id, workspace_id, op, rev, only, parents, is_act=is_act))

    def publish_delivery(self, delivery: PublishedDelivery, *, op: str = "changed") -> None:
        """Publishes a changed delivery with its incident and destination."""
        parents = feed.Parents(incident_id=delivery.incident_id, destination_id=delivery.destination_id)
        self.publish_change(
            "delivery", delivery.id, delivery.workspace_id, op=op, rev=delivery.attempt, parents=parents
        )

    def after(self, act: Callable[[], None]) -> None:
        """Calls `act` after the commit; it must not use the database."""
        self._callbacks.append(act)

    def run(self, published: tuple[int, bytes] | None) -> None:
        """Runs the tasks; `work` calls it after the commit. `published` is the stored feed entry with its `seq`."""
        for queue_name in self._queues:
            queue.job_queues().wake(queue_name)
        for queue_name, moment in self._timed_wakes:
            queue.job_queues().wake_at(queue_name, moment)
        if published is not None:
            feed.publish(*published)
        self.run_local_tasks()

    def run_local_tasks(self) -> None:
        """Runs the tasks of `after` alone: no wake-ups and no references."""
        for act in self._callbacks:
            act()


@contextmanager
def work(*, collects_writes: bool = False) -> Iterator[AfterCommit]:
    """Opens a transaction on the caller's connection. Sends wake-ups and references after the commit; a failure sends none.

    `collects_writes`: writes by `done.statements` are sent with its next query, the last ones with the references.
    Other queries do not see them before.

    It must not be nested: one transaction is one `work`. The exceptions are `joined_work` and `backdated_work`.
    """
    joined = _joined.get()
    if joined is not None:
        yield joined
        return
    done = AfterCommit(CollectedStatements() if collects_writes else AT_ONCE)
    if _is_backdated.get():
        yield done
        done.run_local_tasks()
        return
    published: tuple[int, bytes] | None = None
    with db.atomic():
        yield done
        if done.references:
            refs = feed.encode(feed.coalesce(done.references))
            published = feed.store(refs, done.statements), refs
        done.statements.flush()
    done.run(published)


@contextmanager
def joined_work() -> Iterator[AfterCommit]:
    """Opens one transaction for all units of work of the block, which creates records that belong together.

    Wake-ups and references of all follow its commit. When one fails, nothing is created.
    """
    with work() as done:
        token = _joined.set(done)
        try:
            yield done
        finally:
            _joined.reset(token)


@contextmanager
def backdated_work() -> Iterator[None]:
    """Opens one transaction for all units of work of the block, which writes the past of a new workspace.

    Nobody sees the rows before the commit, so no worker runs timers and deliveries with past due times. The units of
    work send no wake-ups and publish no references. The sweep finds due rows after the commit.
    """
    with db.atomic():
        token = _is_backdated.set(True)
        try:
            yield
        finally:
            _is_backdated.reset(token)


def retry_on_conflict(act: Callable[[], Result]) -> Result:
    """Calls `act`, a whole unit of work, and up to three times again after a conflict with another transaction."""
    for _ in range(TRIES - 1):
        try:
            return act()
        except (peewee.DatabaseError, psycopg2.Error) as fault:
            if sqlstate(fault) not in RETRYABLE:
                raise
            log.info("transaction retried", sqlstate=sqlstate(fault))
    return act()


def sqlstate(error: BaseException) -> str | None:
    """Returns the SQLSTATE of an error; None when PostgreSQL did not answer."""
    return getattr(getattr(error, "orig", error), "pgcode", None)


def is_outage(error: BaseException) -> bool:
    """Returns whether the database is unavailable: no connection, a timeout, or no free connections."""
    state = sqlstate(error) or ""
    return state in MORE_OUTAGES or (isinstance(error, OUTAGES) and not state.startswith(PROGRAM_LIMIT))


@contextmanager
def undo_on_outage(undo: Callable[[], None]) -> Iterator[None]:
    """Counts an attempt, and reverts the count after an outage, on a new connection or by `run_pending_undos`.

    An attempt is counted before it starts, so that the death of the process counts. An outage does not count.
    """
    try:
        yield
    except Exception as fault:
        if is_outage(fault):
            _pending_undos.append(undo)
            with suppress(*OUTAGES):
                with connection_released():
                    pass
                run_pending_undos()
        raise


def run_pending_undos() -> None:
    """Runs the pending undos of this process. An undo that fails stays pending."""
    while _pending_undos:
        undo = _pending_undos.popleft()
        try:
            with db.atomic():
                undo()
        except BaseException:
            _pending_undos.appendleft(undo)
            raise
