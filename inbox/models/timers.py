"""Timers: what is due at a time. Setting one anew moves it; whoever holds its subject acts on it, and then it is gone.

Rows of incidents are set and taken away by who has locked the incident, so that a row is never waited for while something
else is held. Who fires holds an advisory lock on the subject and touches the row last.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from inbox.models.sql.base import db
from inbox.models.sql.bulk_sql import unnest_rows
from inbox.models.tables.incidents import Timer

LOCKS = 0x717E
"""The first key of the advisory locks that make one worker at a time act on a subject."""

CANDIDATES = 64
"""How many of the timers that are due a worker looks at for one that nobody is acting on."""


@dataclass(frozen=True, slots=True)
class TimerSpec:
    """A timer to be set: `kind` of `subject_id` at `due_at`."""

    kind: str
    subject_id: UUID
    workspace_id: UUID
    due_at: datetime


@dataclass(frozen=True, slots=True)
class Reschedule:
    """A timer that was acted on is due again at `due_at`; `walked_to` is up to which incident it came."""

    due_at: datetime
    walked_to: UUID | None = None


def set_timer(kind: str, subject_id: UUID, workspace_id: UUID, due_at: datetime) -> None:
    """Set the one timer of this kind and subject; an earlier setting is forgotten."""
    set_many([TimerSpec(kind, subject_id, workspace_id, due_at)])


def set_many(specs: Sequence[TimerSpec]) -> None:
    """Set these timers, each kind of a subject once, in one statement; earlier settings are forgotten, walks begin anew."""
    if not specs:
        return
    columns = {"kind": "text", "subject_id": "uuid", "workspace_id": "uuid", "due_at": "timestamptz"}
    rows, values = unnest_rows(columns, [(one.kind, one.subject_id, one.workspace_id, one.due_at) for one in specs])
    db.execute_sql(
        f"INSERT INTO timers ({', '.join(columns)}) SELECT x.* FROM {rows} ORDER BY x.subject_id, x.kind"
        " ON CONFLICT (kind, subject_id) DO UPDATE SET due_at = excluded.due_at, resume_after = NULL"
        " WHERE timers.due_at <> excluded.due_at OR timers.resume_after IS NOT NULL",
        values,
    )


def delete_many(kinds_by_subject: Mapping[UUID, Collection[str]]) -> None:
    """Take away timers of these kinds of these subjects, where there are any, in one statement."""
    rows, values = unnest_rows(
        {"subject_id": "uuid", "kind": "text"},
        [(subject_id, kind) for subject_id, kinds in kinds_by_subject.items() for kind in kinds],
    )
    if any(kinds_by_subject.values()):
        db.execute_sql(
            f"DELETE FROM timers t USING {rows} WHERE t.kind = x.kind AND t.subject_id = x.subject_id", values
        )


def any_due(now: datetime) -> bool:
    """Whether a timer is due."""
    return bool(db.execute_sql("SELECT EXISTS (SELECT 1 FROM timers WHERE due_at <= %s)", (now,)).fetchone()[0])


def lock_next_due(now: datetime, low_priority: Collection[str] = ()) -> tuple[str, UUID] | None:
    """Become the one who acts on a subject until the transaction ends: of the timer (kind, subject) due for longest.

    Subjects on which others are acting are passed over; None when there is no other. Of what is due at one moment steps
    come before renotices: what a step tells need not be told again. `low_priority` kinds come when no other is due.
    """
    found = db.execute_sql(
        "WITH due AS MATERIALIZED"
        " ((SELECT kind, subject_id FROM timers WHERE due_at <= %(now)s AND kind <> ALL(%(patient)s)"
        " ORDER BY due_at, kind DESC LIMIT %(most)s) UNION ALL"
        " (SELECT kind, subject_id FROM timers WHERE due_at <= %(now)s AND kind = ANY(%(patient)s)"
        " ORDER BY due_at LIMIT %(most)s))"
        " SELECT kind, subject_id FROM due WHERE pg_try_advisory_xact_lock(%(locks)s, hashtext(subject_id::text)) LIMIT 1",
        {"now": now, "patient": list(low_priority), "most": CANDIDATES, "locks": LOCKS},
    ).fetchone()
    return None if found is None else (found[0], found[1])


def reload_if_due(kind: str, subject_id: UUID, now: datetime) -> Timer | None:
    """The timer, if it is still due now that its subject is held; None when another worker has acted on it meanwhile.

    A statement of its own: it must see what was committed before the subject was held.
    """
    found: Timer | None = Timer.get_or_none(Timer.kind == kind, Timer.subject_id == subject_id, Timer.due_at <= now)
    return found


def complete(timer: Timer, reschedule: Reschedule | None = None) -> None:
    """It was acted on: it is gone or due `reschedule`, unless it was set anew meanwhile, or somebody is setting it just now."""
    ours = (
        "(kind, subject_id) IN (SELECT kind, subject_id FROM timers"
        " WHERE kind = %s AND subject_id = %s AND due_at = %s FOR UPDATE SKIP LOCKED)"
    )
    which = (timer.kind, timer.subject_id, timer.due_at)
    if reschedule is None:
        db.execute_sql(f"DELETE FROM timers WHERE {ours}", which)
    else:
        changes = (reschedule.due_at, reschedule.walked_to)
        db.execute_sql(f"UPDATE timers SET due_at = %s, resume_after = %s WHERE {ours}", (*changes, *which))


def postpone(timer: Timer, until: datetime) -> None:
    """Let a timer that could not be acted on be due later, unless it was set anew meanwhile."""
    db.execute_sql(
        "UPDATE timers SET due_at = %s WHERE kind = %s AND subject_id = %s AND due_at = %s",
        (until, timer.kind, timer.subject_id, timer.due_at),
    )
