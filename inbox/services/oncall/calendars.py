"""Use cases of external calendars: follow one, stop following, read one for a preview (specification 23.20)."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from inbox.database.base import connection_released
from inbox.destinations import outbound_policy
from inbox.domain.oncall.followed import (
    MAX_UNMATCHED,
    CalendarShift,
    Changes,
    Matching,
    Occurrence,
    TooManyEvents,
    shifts_of,
)
from inbox.domain.values.addresses import AddressRefused, parse
from inbox.domain.values.refusals import Fault, RateLimited, Unavailable, ValidationFailed
from inbox.flow.oncall import calendar_files, calendar_reading
from inbox.flow.oncall.calendar_files import CalendarFailed
from inbox.flow.unit_of_work import AfterCommit
from inbox.limits import rates
from inbox.models.oncall import calendars
from inbox.models.oncall.calendars import OnCallCalendar
from inbox.models.oncall.schedules import OnCallSchedule
from inbox.runtime import sealing, work_budget

URL = "/calendarUrl"

PREVIEWS_A_MINUTE = 10
"""The calendars that a workspace reads for previews in a minute."""

MOST_READERS, WAIT_SECONDS = 2, 10
"""The most calendars that a web process reads at a time, and the longest wait for a turn."""

_turns = threading.BoundedSemaphore(MOST_READERS)


@dataclass(frozen=True, slots=True)
class ReadCalendar:
    """A calendar that was read for a preview: its shifts, and the names that match nobody."""

    shifts: Sequence[CalendarShift]
    unmatched: Sequence[str]


def address(given: str) -> str:
    """Return the address that is called: `webcal` is https."""
    scheme, separator, rest = given.partition("://")
    return f"https://{rest}" if separator and scheme.lower() in ("webcal", "webcals") else given


def faults(given: str | None) -> list[Fault]:
    """Return what is wrong with the address of a calendar. It is never repeated."""
    if given is None:
        return []
    try:
        with connection_released():
            outbound_policy.client().vet(address(given))
    except AddressRefused as refused:
        return [Fault(URL, f"It {refused}.")]
    return []


def of_schedule(schedule_id: UUID) -> OnCallCalendar | None:
    """Return the calendar of a schedule, also one that was not read yet."""
    found: OnCallCalendar | None = OnCallCalendar.get_or_none(schedule_id=schedule_id)
    return found


def follow(schedule: OnCallSchedule, given: str, now: datetime, done: AfterCommit) -> None:
    """Store the address of the calendar of a locked schedule. A worker reads it at once; until then nothing changes."""
    url = address(given)
    aad = calendar_reading.associated_data(schedule.id, schedule.workspace_id)
    calendar, _ = OnCallCalendar.get_or_create(
        schedule_id=schedule.id,
        defaults={"workspace_id": schedule.workspace_id, "sealed": b"", "hint": "", "due_at": now},
    )
    calendar.sealed, calendar.hint = sealing.current().seal(url.encode(), aad), parse(url).host
    calendar.etag, calendar.whole_at, calendar.read_at = "", None, None
    calendar.failing_since = calendar.failure = None
    calendar.failures, calendar.unmatched = 0, []
    calendar_reading.set_due(calendar, now, done)


def unfollow(schedule: OnCallSchedule, now: datetime) -> None:
    """Remove the calendar of a locked schedule. Its shifts end now."""
    OnCallCalendar.delete().where(OnCallCalendar.schedule_id == schedule.id).execute()
    stored = calendars.not_ended(schedule.id, now)
    ended = [each for each in stored if each.starts_at < now]
    removed = [each for each in stored if each.starts_at >= now]
    calendars.apply(schedule.id, schedule.workspace_id, Changes(ended, removed, ()), now)


def read(
    workspace_id: UUID, schedule: OnCallSchedule | None, given: str | None, zone: str, now: datetime
) -> ReadCalendar:
    """Read a calendar for a preview: the one of this address, or without one that of the schedule.

    Raises `ValidationFailed`, `RateLimited`, and `Unavailable` when other calendars are being read for too long.
    """
    wait = rates.take(f"calendar:{workspace_id}", PREVIEWS_A_MINUTE, PREVIEWS_A_MINUTE / 60, now)
    if wait:
        raise RateLimited("Too many previews of calendars.", retry_after=wait)
    members = calendars.reachable(workspace_id)
    try:
        url = stored_address(schedule) if given is None else address(given)
        matching = Matching(members)
        with connection_released():
            shifts = shifts_of(_occurrences(url, zone, now), matching)
    except (CalendarFailed, TooManyEvents) as fault:
        raise ValidationFailed(errors=[Fault(URL, str(fault))]) from None
    return ReadCalendar(shifts, list(matching.unmatched)[:MAX_UNMATCHED])


def _occurrences(url: str, zone: str, now: datetime) -> Sequence[Occurrence]:
    work_budget.rest()
    if not _turns.acquire(timeout=WAIT_SECONDS):
        raise Unavailable("Other calendars are being read. Try again.", retry_after=WAIT_SECONDS)
    try:
        return calendar_files.fetch(url, "", zone, now).occurrences or ()
    finally:
        _turns.release()


def stored_address(schedule: OnCallSchedule | None) -> str:
    """Return the address of the calendar of a schedule. Raises `CalendarFailed`."""
    calendar = of_schedule(schedule.id) if schedule else None
    if calendar is None:
        raise CalendarFailed("The schedule has no calendar. Enter its address.")
    try:
        aad = calendar_reading.associated_data(calendar.schedule_id, calendar.workspace_id)
        return sealing.current().open(calendar.sealed, aad).decode()
    except sealing.CannotUnseal:
        raise CalendarFailed(calendar_reading.UNSEALED) from None
