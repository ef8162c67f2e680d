"""The purge: removes data beyond the retention, in batches so small that others do not wait (specification 12.9)."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from uuid import UUID

import structlog
from peewee import DatabaseError, OperationalError

from inbox.database.base import db
from inbox.database.bulk_sql import array_literal
from inbox.flow.unit_of_work import sqlstate
from inbox.flow.upkeep.purge_steps import LARGE_TABLES, Incidents, Step, account_steps, phases, steps, workspace_steps
from inbox.models.instance import maintenance
from inbox.models.instance.maintenance import PurgeBatch, SourceEvents
from inbox.models.instance.partitions import NextMonths, OldPartitions
from inbox.runtime.queue import is_shutting_down

log = structlog.get_logger(__name__)

QUICK_SECONDS = 0.03
"""A slower batch is followed by a smaller one, so that no lock is held for more than 0.1 s."""

LEAST, PAUSE_SECONDS = 20, 0.005
LOCK_NOT_AVAILABLE = "55P03"
OUTAGE_CLASSES = ("08", "25", "53", "57P")
"""The first characters of the SQLSTATE of an outage: lost connections, read-only servers, full disks, shutdowns."""


def purge(now: datetime, *, older_than: timedelta | None = None, seconds: float | None = None) -> PurgeResult:
    """Removes data beyond the retention; returns the number of rows per table. Any number of workers may run at once.

    It adds monthly partitions of events first. `seconds` bounds a run; an unfinished run needs another one. `older_than` is
    passed to `phases`. If PostgreSQL refuses a step, the error is logged, and the independent steps follow.
    """
    run = _Run(seconds)
    finished = True
    with run.going_on():
        _batch(NextMonths(now), 0)
    try:
        for phase in phases(now, older_than=older_than):
            with run.going_on():
                for group in phase:
                    with run.going_on():
                        run.carry_out_all(group)
    except TimeUp:
        finished = False
    return PurgeResult(run.removed, finished, run.failed)


def remove_workspace(workspace_id: UUID) -> dict[str, int]:
    """Removes a closed workspace without its usual delay; returns the number of rows per table. Locked rows stay."""
    return _carried_out(workspace_steps(workspace_id))


def remove_account(user_id: UUID) -> dict[str, int]:
    """Removes a closed account without its usual delay; returns the number of rows per table. Locked rows stay."""
    return _carried_out(account_steps(user_id))


def _carried_out(chosen: Iterable[Step]) -> dict[str, int]:
    run = _Run(None)
    run.carry_out_all(chosen)
    return dict(run.removed)


def dry_run(now: datetime, *, older_than: timedelta | None = None) -> dict[str, int]:
    """Returns the number of rows per table that `purge` would remove now.

    Rows of two steps count twice. Rows that are deleted with another row do not count.
    """
    counts: Counter[str] = Counter()
    for step in steps(now, older_than=older_than):
        for removal in step.parts if isinstance(step, Incidents) else (step,):
            counts[removal.table] += removal.count()
    return dict(counts)


class PurgeResult(dict[str, int]):
    """The removed rows by table; `finished` is False if the time ended before the work. `failed`: a step failed."""

    def __init__(self, removed: dict[str, int], finished: bool, failed: bool) -> None:
        super().__init__(removed)
        self.finished, self.failed = finished, failed


class TimeUp(Exception):
    """The time is up, or the process was asked to end."""


class _Run:
    def __init__(self, seconds: float | None) -> None:
        self.removed: Counter[str] = Counter()
        self.failed = False
        self._table = ""
        self._until = float("inf") if seconds is None else time.monotonic() + seconds

    @contextmanager
    def going_on(self) -> Iterator[None]:
        """Logs an error of a step, or of the search for the next one. Raises an outage, because it stops all steps."""
        try:
            yield
        except DatabaseError as fault:
            state = sqlstate(fault)
            if state is None or state.startswith(OUTAGE_CLASSES):
                raise
            log.error("purge step failed", table=self._table, sqlstate=state, exc_info=fault)
            self.failed = True
        finally:
            self._table = ""

    def carry_out_all(self, group: Iterable[Step]) -> None:
        for step in group:
            self._table = step.table
            if isinstance(step, Incidents):
                self._remove_incidents(step)
            else:
                self._drain(step)

    def _remove_incidents(self, step: Incidents) -> None:
        while incident_ids := maintenance.some_incidents(step.where, step.values):
            these, before = (array_literal(incident_ids, unquoted=True),), self.removed["incidents"]
            for table in ("alerts", "timeline", "deliveries", "notices"):
                limit = 500 if table in ("alerts", "timeline") else LARGE_TABLES
                self._drain(PurgeBatch(table, "t.incident_id = ANY(%s::uuid[])", these, limit))
            condition = f"t.id = ANY(%s::uuid[]) AND {step.where}"
            self._drain(PurgeBatch("incidents", condition, (*these, *step.values)))
            if self.removed["incidents"] == before:
                return  # other transactions lock them; the next run finds them

    def _drain(self, removal: PurgeBatch | SourceEvents | OldPartitions) -> None:
        limit = min(LARGE_TABLES, removal.limit)
        self.removed[removal.table] += 0
        while True:
            started = time.monotonic()
            removed = _batch(removal, limit)
            seconds = time.monotonic() - started
            self.removed[removal.table] += removed
            if removed < limit:
                return
            limit = max(LEAST, limit // 2) if seconds > QUICK_SECONDS else min(limit * 2, removal.limit)
            self._yield(seconds)

    def _yield(self, seconds: float) -> None:
        """Pauses as long as the batch took, so that other transactions proceed."""
        if time.monotonic() > self._until or is_shutting_down():
            raise TimeUp
        time.sleep(max(seconds, PAUSE_SECONDS))


def _batch(removal: PurgeBatch | SourceEvents | OldPartitions | NextMonths, limit: int) -> int:
    try:
        with db.atomic():
            return removal.run(limit)
    except OperationalError as fault:
        if sqlstate(fault) != LOCK_NOT_AVAILABLE:
            raise
        return 0  # another transaction locks a dependent row; the next run finds the row
