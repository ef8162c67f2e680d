"""Timers: rows that are due at a time. A worker locks the subject of a due timer, runs it, and deletes or reschedules it.

A transaction that sets or deletes timers of an incident has locked the incident. No transaction therefore waits for a
timer row while it holds other locks. A worker that runs a timer holds an advisory lock on the subject and writes the
timer row last.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from inbox.database.base import db
from inbox.database.bulk_sql import AT_ONCE, Statements, array_literal, unnest_rows
from inbox.models.incidents.tables import Timer

SUBJECT_LOCKS = 0x717E
"""The first key of the advisory locks. With this lock, only one worker at a time runs timers of a subject."""

CANDIDATES = 64
"""The number of due timers among which a worker searches for an unlocked subject."""

CROWD = 2_048
"""The same, when other workers have locked all of these."""


CLOSED_WORKSPACE_DELAY = timedelta(minutes=15)
"""The delay before a timer of a closed workspace runs again: an operator can restore the workspace until the purge."""


@dataclass(frozen=True, slots=True)
class TimerSpec:
    """A timer to set: `kind` of `subject_id` at `due_at`."""

    kind: str
    subject_id: UUID
    workspace_id: UUID
    due_at: datetime


@dataclass(frozen=True, slots=True)
class Reschedule:
    """The next run of a completed timer at `due_at`; `resume_after` is the last processed incident."""

    due_at: datetime
    resume_after: UUID | None = None


def set_timer(kind: str, subject_id: UUID, workspace_id: UUID, due_at: datetime) -> None:
    """Sets the one timer of this kind and subject; replaces an earlier one."""
    set_many([TimerSpec(kind, subject_id, workspace_id, due_at)])


def set_many(specs: Sequence[TimerSpec], statements: Statements = AT_ONCE) -> None:
    """Sets these timers in one statement, at most one for each kind and subject; replaces earlier ones and their progress."""
    if not specs:
        return
    columns = {"kind": "text", "subject_id": "uuid", "workspace_id": "uuid", "due_at": "timestamptz"}
    rows, values = unnest_rows(columns, [(one.kind, one.subject_id, one.workspace_id, one.due_at) for one in specs])
    statements.write(
        f"INSERT INTO timers ({', '.join(columns)}) SELECT x.* FROM {rows} ORDER BY x.subject_id, x.kind"
        " ON CONFLICT (kind, subject_id) DO UPDATE SET due_at = excluded.due_at, resume_after = NULL"
        " WHERE timers.due_at <> excluded.due_at OR timers.resume_after IS NOT NULL",
        values,
    )


def delete_many(kinds_by_subject: Mapping[UUID, Collection[str]], statements: Statements = AT_ONCE) -> None:
    """Deletes the timers of these kinds and subjects, if any, in one statement."""
    rows, values = unnest_rows(
        {"subject_id": "uuid", "kind": "text"},
        [(subject_id, kind) for subject_id, kinds in kinds_by_subject.items() for kind in kinds],
    )
    if any(kinds_by_subject.values()):
        statements.write(
            f"DELETE FROM timers t USING {rows} WHERE t.kind = x.kind AND t.subject_id = x.subject_id", values
        )


def delete_unlocked(kind: str, subject_ids: Iterable[UUID]) -> None:
    """Deletes the timers of this kind and these subjects, except timers that another transaction has locked."""
    db.execute_sql(
        "DELETE FROM timers WHERE (kind, subject_id) IN (SELECT kind, subject_id FROM timers"
        " WHERE kind = %s AND subject_id = ANY(%s::uuid[]) FOR UPDATE SKIP LOCKED)",
        (kind, array_literal(subject_ids, unquoted=True)),
    )


def any_due(now: datetime) -> bool:
    """Returns whether a timer is due."""
    return bool(db.execute_sql("SELECT EXISTS (SELECT 1 FROM timers WHERE due_at <= %s)", (now,)).fetchone()[0])


def lock_next_due(
    now: datetime, low_priority: Collection[str] = (), slow_workspaces: Collection[UUID] = ()
) -> tuple[str, UUID] | None:
    """Locks the subject of the timer (kind, subject) that has been due for longest, until the transaction ends.

    Locked subjects are skipped; None when no other timer is due. At equal times, steps come before reminders: a notice
    of a step makes the reminder unnecessary. `low_priority` kinds and timers of `slow_workspaces` come only when no
    other timer is due.
    """
    last = {"patient": list(low_priority), "slow": array_literal(slow_workspaces, unquoted=True)}
    return _lock_next_due(now, last, CANDIDATES) or _lock_next_due(now, last, CROWD)


def lock_due_of_kind(kind: str, now: datetime, limit: int) -> list[Timer]:
    """Locks the subjects of due timers of one kind, the oldest first, and returns the timers.

    Locked subjects are skipped. The timers are read after the locks, so none that another worker has run is returned.
    """
    # The limits apply before the locks: without MATERIALIZED, the scan could lock subjects that it does not return.
    locked = db.execute_sql(
        "WITH due AS MATERIALIZED (SELECT subject_id FROM timers WHERE kind = %(kind)s AND due_at <= %(now)s"
        " ORDER BY due_at LIMIT %(most)s) SELECT subject_id FROM due"
        " WHERE pg_try_advisory_xact_lock(%(locks)s, hashtext(subject_id::text)) LIMIT %(limit)s",
        {"kind": kind, "now": now, "most": CROWD, "limit": limit, "locks": SUBJECT_LOCKS},
    ).fetchall()
    subjects = [subject_id for (subject_id,) in locked]
    if not subjects:
        return []
    due = Timer.select().where(Timer.kind == kind, Timer.subject_id.in_(subjects), Timer.due_at <= now)
    return list(due.order_by(Timer.due_at))


def _lock_next_due(now: datetime, last: Mapping[str, object], candidates: int) -> tuple[str, UUID] | None:
    # MATERIALIZED as in `lock_due_of_kind`.
    found = db.execute_sql(
        "WITH due AS MATERIALIZED"
        " ((SELECT kind, subject_id FROM timers WHERE due_at <= %(now)s AND kind <> ALL(%(patient)s)"
        " AND workspace_id <> ALL(%(slow)s::uuid[]) ORDER BY due_at, kind DESC LIMIT %(most)s) UNION ALL"
        " (SELECT kind, subject_id FROM timers WHERE due_at <= %(now)s"
        " AND (kind = ANY(%(patient)s) OR workspace_id = ANY(%(slow)s::uuid[])) ORDER BY due_at, kind DESC LIMIT %(most)s))"
        " SELECT kind, subject_id FROM due WHERE pg_try_advisory_xact_lock(%(locks)s, hashtext(subject_id::text)) LIMIT 1",
        {**last, "now": now, "most": candidates, "locks": SUBJECT_LOCKS},
    ).fetchone()
    return None if found is None else (found[0], found[1])


def reload_if_due(kind: str, subject_id: UUID, now: datetime) -> Timer | None:
    """Returns the timer if it is still due under the lock; None when another worker has run it.

    It needs a separate statement, because it must see rows that were committed before the lock.
    """
    found: Timer | None = Timer.get_or_none(Timer.kind == kind, Timer.subject_id == subject_id, Timer.due_at <= now)
    return found


def first_due_of(workspace_id: UUID, now: datetime) -> Timer | None:
    """Returns the timer of the workspace that has been due for longest, in the order of `lock_next_due`."""
    due = Timer.select().where(Timer.workspace_id == workspace_id, Timer.due_at <= now)
    found: Timer | None = due.order_by(Timer.due_at, Timer.kind.desc()).first()
    return found


def next_due_of(workspace_id: UUID, after: datetime) -> datetime | None:
    """Returns the next due time of a timer of the workspace after this time; None without one."""
    found = db.execute_sql(
        "SELECT min(due_at) FROM timers WHERE workspace_id = %s AND due_at > %s",
        (workspace_id, after),
    ).fetchone()[0]
    return found


def complete(timer: Timer, reschedule: Reschedule | None = None) -> None:
    """Deletes a timer after its run, or applies `reschedule`.

    The row stays unchanged if it was set again meanwhile, or if another transaction is setting it now.
    """
    complete_many([timer], [reschedule])


def complete_many(done: Sequence[Timer], reschedules: Sequence[Reschedule | None]) -> None:
    """Deletes timers after their run, or applies the reschedule of each, as `complete` does for one."""
    columns = {
        "kind": "text", "subject_id": "uuid", "due_at": "timestamptz", "next_at": "timestamptz", "resume_after": "uuid"
    }  # fmt: skip
    pairs = list(zip(done, reschedules, strict=True))
    ended = [(one.kind, one.subject_id, one.due_at, None, None) for one, next_run in pairs if next_run is None]
    repeated = [
        (one.kind, one.subject_id, one.due_at, next_run.due_at, next_run.resume_after)
        for one, next_run in pairs
        if next_run is not None
    ]
    for rows, change in ((ended, "DELETE FROM timers t USING"), (repeated, _RESCHEDULE)):
        if rows:
            run, values = unnest_rows(columns, rows)
            db.execute_sql(
                f"{change} (SELECT x.* FROM timers s JOIN {run}"
                " ON s.kind = x.kind AND s.subject_id = x.subject_id AND s.due_at = x.due_at"
                " FOR UPDATE OF s SKIP LOCKED) u WHERE t.kind = u.kind AND t.subject_id = u.subject_id",
                values,
            )


_RESCHEDULE = "UPDATE timers t SET due_at = u.next_at, resume_after = u.resume_after FROM"


def postpone(timer: Timer, until: datetime) -> None:
    """Postpones a timer that could not be run, unless it was set again meanwhile."""
    db.execute_sql(
        "UPDATE timers SET due_at = %s WHERE kind = %s AND subject_id = %s AND due_at = %s",
        (until, timer.kind, timer.subject_id, timer.due_at),
    )
