"""Tells people of their shifts by mail and on phones: at lead times, and at the start (specification 23.16)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from inbox.domain.oncall import lead_times
from inbox.domain.oncall.lead_times import Reminders, reminders
from inbox.domain.oncall.person_periods import PersonPeriod, person_periods
from inbox.domain.oncall.shifts import upcoming
from inbox.domain.values import ids, wallclock
from inbox.domain.values.ids import Prefix
from inbox.flow import mail_outbox
from inbox.flow.notices.create import workspace_url
from inbox.flow.oncall import computed, shift_pushes
from inbox.flow.unit_of_work import AfterCommit
from inbox.mail import templates
from inbox.models.oncall import shift_notices
from inbox.models.oncall.schedules import OnCallSchedule
from inbox.models.oncall.shift_notices import Addressee
from inbox.models.workspaces.tables import Workspace

AHEAD = timedelta(minutes=lead_times.LONGEST)

SHOWN = timedelta(days=60)
"""The time for which the end of a shift is searched."""

STEPS = 2_000
"""The most changes and overrides that one run evaluates."""


def tell(schedule: OnCallSchedule, begun: Collection[UUID], now: datetime, done: AfterCommit) -> datetime | None:
    """Tells the people whose shifts have begun or begin soon. Returns when the next one is due, if it is known.

    The caller has locked the schedule, and writes the log in the same transaction. So each mail is written once. A person
    gets one mail in a run of several coming shifts.
    """
    made = computed.current([schedule], now, now + SHOWN)[schedule.id]
    periods = list(person_periods(upcoming(made, now, now + SHOWN, STEPS)))
    coming = [each for each in periods if now < each.starts_at <= now + AHEAD]
    users = {*begun, *(each.user_id for each in coming)}
    if not users:
        return None
    addressees = shift_notices.addressees(users)
    starting = [
        each
        for each in periods
        if each.starts_at <= now and each.user_id in begun and 0 in addressees[each.user_id].leads
    ]
    found = reminders(coming, {id: each.leads for id, each in addressees.items()}, shift_notices.told(schedule.id), now)
    shift_notices.remember(schedule, found.due, now)
    shifts = _texts(starting, found)
    _mail(schedule, addressees, shifts, done, now)
    shift_pushes.send(schedule, addressees, shifts, now, done)
    return found.following


def _texts(starting: Iterable[PersonPeriod], found: Reminders) -> list[tuple[PersonPeriod, int]]:
    """Returns the shifts of the mails, each with the number of further shifts that are due for the same person."""
    first: dict[UUID, PersonPeriod] = {}
    count: dict[UUID, int] = {}
    for period, _ in found.due:
        first.setdefault(period.user_id, period)
        count[period.user_id] = count.get(period.user_id, 0) + 1
    return [*((each, 0) for each in starting), *((each, count[user] - 1) for user, each in first.items())]


def _mail(
    schedule: OnCallSchedule,
    addressees: dict[UUID, Addressee],
    shifts: Sequence[tuple[PersonPeriod, int]],
    done: AfterCommit,
    now: datetime,
) -> None:
    if not shifts:
        return
    workspace = Workspace.get_by_id(schedule.workspace_id)
    link = f"{workspace_url(workspace.slug)}/on-call/{ids.encode(Prefix.SCHEDULE, schedule.id)}"
    for period, further in shifts:
        to = addressees[period.user_id]
        has_end = period.ends_at < now + SHOWN
        mail = templates.fill(
            "shift",
            name=to.name,
            workspace=workspace.name,
            schedule=schedule.name,
            starts="now" if period.starts_at <= now else _text(period.starts_at, to.timezone),
            ends=_text(period.ends_at, to.timezone) if has_end else "",
            further=str(further) if further else "",
            link=link,
        )
        mail_outbox.enqueue(done, mail, to.email, now)


def _text(at: datetime, timezone: str) -> str:
    zone = wallclock.zone_of(timezone)
    return f"{at.astimezone(zone):%A, %d %B %Y, %H:%M} ({zone.key})"
