"""Use cases of calendar feeds: secret addresses by which calendars and scripts read shifts (specification 23.14)."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

import peewee

from inbox.config import settings
from inbox.database.base import new_id
from inbox.domain.oncall import feed_memory
from inbox.domain.oncall.calendar import Event
from inbox.domain.oncall.feed_memory import FeedShift
from inbox.domain.senders import keys
from inbox.domain.senders.keys import KeyKind
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.domain.values.refusals import Fault, NotFound, RateLimited, ValidationFailed
from inbox.domain.workspaces.audit_actions import AuditAction
from inbox.flow.notices.create import workspace_url
from inbox.flow.oncall import feed_shifts
from inbox.flow.unit_of_work import work
from inbox.limits.buckets import RedisBuckets
from inbox.models.oncall import feeds
from inbox.models.oncall.feeds import OnCallFeed
from inbox.models.oncall.schedules import OnCallSchedule
from inbox.models.people.accounts import User
from inbox.models.workspaces.tables import Workspace
from inbox.services.oncall import schedules
from inbox.services.records import audit
from inbox.services.records.record_limits import lock_workspace

READS_AN_HOUR = 60
"""The requests that one feed answers in an hour."""

USED_INTERVAL = timedelta(minutes=10)
"""The time within which the use of a feed is not stored again."""

NO_SCHEDULE = "No such schedule in this workspace."

_HOUR = 3600.0
_buckets = RedisBuckets(_HOUR)


@dataclass(frozen=True, slots=True)
class Served:
    """The content of a feed. `events` are its shifts with those that vanished, and `url` is the screen that shows them."""

    name: str
    url: str
    is_own: bool
    shifts: Sequence[FeedShift]
    events: Sequence[Event]


def of_person(user_id: UUID, workspace_ids: Sequence[UUID]) -> peewee.ModelSelect:
    """Select the feeds of a person."""
    return feeds.of_person(user_id, workspace_ids)


def find(feed_id: UUID, user_id: UUID) -> OnCallFeed | None:
    """Return a feed of this person, or None. The endpoint checks the access to the workspace."""
    found: OnCallFeed | None = OnCallFeed.get_or_none(id=feed_id, user_id=user_id)
    return found


def check(workspace_id: UUID, schedule_id: UUID | None) -> OnCallSchedule | None:
    """Return the schedule of a new feed. Raises `ValidationFailed` for one that the workspace does not have."""
    schedule = None if schedule_id is None else schedules.find(schedule_id)
    if schedule_id is not None and (schedule is None or schedule.workspace_id != workspace_id):
        raise ValidationFailed(errors=[Fault("/scheduleId", NO_SCHEDULE)])
    return schedule


def create(workspace_id: UUID, schedule_id: UUID | None, *, user_id: UUID, now: datetime) -> tuple[OnCallFeed, str]:
    """Create a feed with its token, which is returned once. The person's former feed of the same shifts ends.

    Raises `ValidationFailed` for a schedule that the workspace does not have.
    """
    token = keys.mint(KeyKind.CALENDAR, secrets.token_bytes(keys.ENTROPY_BYTES))
    with work() as done:
        lock_workspace(workspace_id)
        schedule = check(workspace_id, schedule_id)
        same = OnCallFeed.schedule_id.is_null() if schedule_id is None else OnCallFeed.schedule_id == schedule_id
        own = (OnCallFeed.workspace_id == workspace_id) & (OnCallFeed.user_id == user_id)
        OnCallFeed.delete().where(own, same).execute()
        made: OnCallFeed = OnCallFeed.create(
            id=new_id(now),
            workspace_id=workspace_id,
            user_id=user_id,
            schedule_id=schedule_id,
            token_hash=keys.digest(token),
            token_hint=keys.hint(token),
            created_at=now,
        )
        made.schedule_name = None if schedule is None else schedule.name
        _note("member.calendar_created", made, now)
        done.publish_change("me", user_id, None)
    return made, token


def remove(feed: OnCallFeed, *, now: datetime) -> None:
    """Delete a feed. Its address is refused from the next request on. Raises `NotFound` for one that is gone."""
    with work() as done:
        if not OnCallFeed.delete().where(OnCallFeed.id == feed.id).execute():
            raise NotFound
        _note("member.calendar_removed", feed, now)
        done.publish_change("me", feed.user_id, None)


def read(token: str, now: datetime) -> Served:
    """Return the content of a feed, and store what changed since the last time.

    Raises `NotFound` for an unknown token, for that of a former member and of a deleted schedule, and `RateLimited`.
    """
    feed = feeds.of_token(keys.digest(token)) if keys.well_formed(KeyKind.CALENDAR, token) else None
    if feed is None:
        raise NotFound
    rows = _schedules(feed)
    _count(feed)
    is_own = feed.schedule_id is None
    found = feed_shifts.shifts(rows, feed.user_id if is_own else None, now)
    named = [(each, f"On call: {each.schedule_name}{_of(each, is_own)}") for each in found]
    served = feed_memory.events(feed.events, named, now - feed_shifts.BEHIND, now)
    if feed_memory.record(served) != feed.events or _is_old(feed, now):
        with work():
            locked = feeds.locked(feed.id)
            if locked is None:
                raise NotFound
            served = feed_memory.events(locked.events, named, now - feed_shifts.BEHIND, now)
            feeds.remember(feed.id, feed_memory.record(served), now)
    url = f"{workspace_url(Workspace.get_by_id(feed.workspace_id).slug)}/on-call"
    return Served("On call" if is_own else f"On call: {rows[0].name}", url, is_own, found, served)


def _count(feed: OnCallFeed) -> None:
    if not settings.current().rate_limits:
        return
    waits = _buckets.consume([f"inbox:rate:calendar:{feed.id.hex}"], [_HOUR / READS_AN_HOUR])
    if waits and waits[0]:
        raise RateLimited("The calendar is read too often.", retry_after=waits[0])


def _of(shift: FeedShift, is_own: bool) -> str:
    return "" if is_own else f" ({shift.user_name})"


def _schedules(feed: OnCallFeed) -> list[OnCallSchedule]:
    query = schedules.existing([feed.workspace_id]).order_by(OnCallSchedule.created_at, OnCallSchedule.id)
    if feed.schedule_id is None:
        return list(query.limit(schedules.MAX_SCHEDULES))
    found = list(query.where(OnCallSchedule.id == feed.schedule_id))
    if not found:
        raise NotFound
    return found


def _is_old(feed: OnCallFeed, now: datetime) -> bool:
    return feed.last_used_at is None or now - feed.last_used_at >= USED_INTERVAL


def _note(action: AuditAction, feed: OnCallFeed, now: datetime) -> None:
    person = User.get_by_id(feed.user_id)
    schedule = None if feed.schedule_id is None else ids.encode(Prefix.SCHEDULE, feed.schedule_id)
    details = {"hint": feed.token_hint, "scheduleId": schedule}
    about = audit.target("member", feed.user_id, person.name)
    audit.record(action, target=about, now=now, workspace_id=feed.workspace_id, details=details)
