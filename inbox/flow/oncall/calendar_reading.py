"""Reads the external calendars that schedules follow, off the path of requests (specification 23.20).

1. The worker claims a calendar that is due (commit).
2. It fetches and reads the file.
3. It stores the shifts, or why there are none (commit). The last good copy stays until then.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from hashlib import sha256
from uuid import UUID

import structlog

from inbox.database.base import db
from inbox.domain.incidents.incident import Actor
from inbox.domain.oncall.followed import (
    MAX_UNMATCHED,
    Matching,
    Occurrence,
    Reachable,
    TooManyEvents,
    changes,
    shifts_of,
)
from inbox.flow.oncall import calendar_files, record
from inbox.flow.oncall.calendar_files import CalendarFailed
from inbox.flow.unit_of_work import AfterCommit, work
from inbox.models.oncall import calendars
from inbox.models.oncall.calendars import ClaimedCalendar, OnCallCalendar
from inbox.models.oncall.schedules import OnCallSchedule
from inbox.models.routing import versions
from inbox.runtime import sealing
from inbox.runtime.queue import QueueName

log = structlog.get_logger(__name__)

Clock = Callable[[], datetime]

EVERY = timedelta(minutes=10)
"""The time between two readings of a calendar."""

LONGEST_PAUSE = timedelta(hours=1)
"""The longest time until a calendar that cannot be read is tried again."""

WHOLE = timedelta(days=1)
"""The time after which a whole file is read, because the period of its shifts moves on."""

LEASE = timedelta(minutes=3)
"""Longer than any reading takes."""

UNSEALED = "Its address cannot be decrypted."


def associated_data(schedule_id: UUID, workspace_id: UUID) -> bytes:
    """Returns what binds a sealed address to its schedule."""
    return sealing.associated_data("oncall_calendars", schedule_id, workspace_id, "sealed")


def read_due(clock: Clock, is_stopping: Callable[[], bool] = lambda: False) -> int:
    """Reads the calendars that are due, one after the other; returns their number. No transaction is open meanwhile."""
    count = 0
    while not is_stopping():
        with db.connection_context():
            with work():
                claimed = calendars.claim(clock(), clock() + LEASE)
            members = calendars.reachable(claimed.workspace_id) if claimed else []
        if claimed is None:
            break
        _read(claimed, members, clock)
        count += 1
    return count


def _read(claimed: ClaimedCalendar, members: Sequence[Reachable], clock: Clock) -> None:
    now, matching, digest = clock(), Matching(members), _digest(members)
    is_known = claimed.members_digest == digest and claimed.whole_at is not None and now < claimed.whole_at + WHOLE
    try:
        aad = associated_data(claimed.schedule_id, claimed.workspace_id)
        url = sealing.current().open(claimed.sealed, aad).decode()
        found = calendar_files.fetch(url, claimed.etag if is_known else "", claimed.timezone, now)
    except sealing.CannotUnseal:
        _fail(claimed, UNSEALED, clock())
    except CalendarFailed as fault:
        _fail(claimed, str(fault), clock())
    else:
        _store(claimed, matching, digest, found.occurrences, found.etag, clock())


def _digest(members: Sequence[Reachable]) -> bytes:
    return sha256(repr(members).encode()).digest()


def _store(
    claimed: ClaimedCalendar,
    matching: Matching,
    digest: bytes,
    occurrences: Sequence[Occurrence] | None,
    etag: str,
    now: datetime,
) -> None:
    try:
        shifts = None if occurrences is None else shifts_of(occurrences, matching)
    except TooManyEvents as fault:
        _fail(claimed, str(fault), now)
        return
    with db.connection_context(), work() as done:
        calendar, schedule = _locked(claimed)
        if calendar is None or schedule is None:
            return
        was_failing = calendar.failing_since is not None
        calendar.read_at, calendar.due_at = now, now + EVERY
        calendar.failing_since = calendar.failure = None
        calendar.failures = 0
        changed = None
        if shifts is not None:
            changed = changes(calendars.not_ended(claimed.schedule_id, now), shifts, now)
            calendars.apply(claimed.schedule_id, claimed.workspace_id, changed, now)
            calendar.unmatched = list(matching.unmatched)[:MAX_UNMATCHED]
            calendar.etag, calendar.members_digest, calendar.whole_at = etag, digest, now
        calendar.save()
        if changed or was_failing or not schedule.follows_calendar:
            _follow(schedule, now, done)
    log.info("calendar read", schedule=str(claimed.schedule_id), changed=bool(changed))


def _follow(schedule: OnCallSchedule, now: datetime, done: AfterCommit) -> None:
    """Lets a schedule follow its calendar from now on, and sets its timers. The first reading makes a version of it."""
    if not schedule.follows_calendar:
        schedule.follows_calendar, schedule.rev = True, schedule.rev + 1
        schedule.save()
        columns = ("name", "description", "timezone", "layers", "follows_calendar")
        fields = {name: getattr(schedule, name) for name in columns}
        versions.add(schedule.id, schedule.rev, schedule.workspace_id, fields, Actor("system").record(), now)
    record.set_due(schedule.workspace_id, [schedule.id], now, done)
    done.publish_change("schedule", schedule.id, schedule.workspace_id, rev=schedule.rev)


def _fail(claimed: ClaimedCalendar, failure: str, now: datetime) -> None:
    """Stores why a calendar cannot be read. The shifts of its last good copy stay."""
    with db.connection_context(), work() as done:
        calendar, schedule = _locked(claimed)
        if calendar is None or schedule is None:
            return
        begins = calendar.failing_since is None
        calendar.failing_since = calendar.failing_since or now
        calendar.failure = failure
        calendar.failures += 1
        calendar.due_at = now + min(EVERY * 2 ** min(calendar.failures - 1, 10), LONGEST_PAUSE)
        calendar.save()
        if begins:
            record.set_due(schedule.workspace_id, [schedule.id], now, done)
            done.publish_change("schedule", schedule.id, schedule.workspace_id, rev=schedule.rev)
    log.info("calendar not read", schedule=str(claimed.schedule_id), failure=failure)


def _locked(claimed: ClaimedCalendar) -> tuple[OnCallCalendar | None, OnCallSchedule | None]:
    """Locks the schedule before its calendar, as edits do."""
    own = OnCallSchedule.select().where(OnCallSchedule.id == claimed.schedule_id, OnCallSchedule.deleted_at.is_null())
    schedule: OnCallSchedule | None = own.for_update("FOR NO KEY UPDATE").first()
    return calendars.locked(claimed), schedule


def set_due(calendar: OnCallCalendar, now: datetime, done: AfterCommit) -> None:
    """Lets a worker read a calendar at once, in the caller's unit of work. An open reading of it does not count."""
    calendar.due_at, calendar.attempts = now, calendar.attempts + 1
    calendar.save()
    done.wake(QueueName.ONCALL)
