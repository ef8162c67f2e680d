"""Resolves the people of steps when they are due: who is on call, and by which destinations they are paged.

Specification 23.13.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from inbox.config import settings
from inbox.destinations import KINDS
from inbox.domain.deliveries.notices import Cause
from inbox.domain.deliveries.pages import Page
from inbox.domain.deliveries.paid_messages import Channel
from inbox.domain.oncall.shifts import who
from inbox.domain.people.notification_rules import PUSH
from inbox.domain.routing.people import PageTarget
from inbox.domain.values.severity import Severity
from inbox.flow.oncall import computed
from inbox.models.deliveries import contacts
from inbox.models.deliveries.contacts import Contact, Reachable
from inbox.models.oncall.schedules import OnCallSchedule
from inbox.models.people import members


class OnCallNow(NamedTuple):
    """The schedules of some targets by id: their names, and who is on call."""

    names: Mapping[UUID, str]
    people: Mapping[UUID, tuple[UUID, ...]]

    def of(self, target: PageTarget) -> tuple[UUID, ...]:
        """Returns the people of a target."""
        if target.schedule_id is None:
            return () if target.user_id is None else (target.user_id,)
        return self.people.get(target.schedule_id, ())


_NO_DESTINATION = UUID(int=0)
"""The destination of all addresses in a preview."""


class PageResolver:
    """The people of the targets of one workspace at `now`, with their contacts. A preview creates no destinations."""

    def __init__(
        self, workspace_id: UUID, targets: Collection[PageTarget], now: datetime, *, is_preview: bool = False
    ) -> None:
        self._now = now
        self._on_call = on_call_now(workspace_id, targets, now)
        user_ids = {user_id for target in targets for user_id in self._on_call.of(target)}
        can_send_mail = settings.current().can_send_mail
        self._reachable = contacts.reachable(workspace_id, user_ids, can_send_mail=can_send_mail)
        self._names = {each.id: each.name for each in members.people(workspace_id, user_ids)}
        named = [
            _contact(user_id, rule.method, each)
            for user_id, each in self._reachable.items()
            for rule in {*each.rules.for_severity(Severity.CRITICAL), *each.rules.for_severity(Severity.INFO)}
            if rule.method in each.addresses
        ]
        self._destinations: Mapping[tuple[UUID, str], UUID]
        if is_preview:
            self._destinations = {(each.user_id, each.method): _NO_DESTINATION for each in named}
        else:
            self._destinations = contacts.destinations_of(workspace_id, named, now)

    def pages(self, targets: Sequence[PageTarget], severity: Severity) -> tuple[Page, ...]:
        """Returns the pages of a step: one for each person, and one for each target without anybody to page."""
        found: dict[UUID, Page] = {}
        empty: list[Page] = []
        for target in targets:
            people = self._on_call.of(target)
            if not people:
                name = self._on_call.names.get(target.schedule_id, "") if target.schedule_id else ""
                empty.append(Page(target.schedule_id, None, name, Cause.NOBODY_ON_CALL))
            for user_id in people:
                found.setdefault(user_id, self._page(target, user_id, severity))
        return (*found.values(), *empty)

    def _page(self, target: PageTarget, user_id: UUID, severity: Severity) -> Page:
        person = self._reachable.get(user_id)
        due = {} if person is None else self._due(user_id, person, severity)
        if not due:
            return Page(target.schedule_id, user_id, self._names.get(user_id, ""), Cause.UNREACHABLE)
        later = tuple((id, at) for id, at in due.items() if at > self._now)
        return Page(target.schedule_id, user_id, self._names.get(user_id, ""), None, tuple(due), later)

    def _due(self, user_id: UUID, person: Reachable, severity: Severity) -> dict[UUID, datetime]:
        """Returns the destinations of a person, with the time of their rules."""
        due: dict[UUID, datetime] = {}
        for rule in person.rules.for_severity(severity):
            for id in self._of_method(user_id, person, rule.method):
                due.setdefault(id, self._now + rule.after)
        return due

    def _of_method(self, user_id: UUID, person: Reachable, method: str) -> Iterable[UUID]:
        if method == PUSH:
            return person.phones
        id = self._destinations.get((user_id, method))
        return () if id is None else (id,)


def _contact(user_id: UUID, method: str, person: Reachable) -> Contact:
    """Returns an address of a person, with the name of the method, as the name of a contact has it: `SMS`."""
    at = person.addresses[method]
    personal = KINDS[at.kind].description.personal
    if personal is None:
        return Contact(user_id, method, person.name, "mail", at)
    return Contact(user_id, method, person.name, personal.label, at, personal.channel is not Channel.CALL)


def expected_pages(
    workspace_id: UUID, targets: Collection[PageTarget], severity: Severity, at: datetime
) -> tuple[Page, ...]:
    """Returns whom a step would page at a time, with the present schedules, members and notification rules."""
    return PageResolver(workspace_id, targets, at, is_preview=True).pages([*dict.fromkeys(targets)], severity)


def on_call_now(workspace_id: UUID, targets: Collection[PageTarget], now: datetime) -> OnCallNow:
    """Returns who is on call by the schedules of these targets. A deleted schedule has nobody."""
    schedule_ids = {each.schedule_id for each in targets if each.schedule_id is not None}
    if not schedule_ids:
        return OnCallNow({}, {})
    own = (OnCallSchedule.workspace_id == workspace_id) & OnCallSchedule.id.in_(schedule_ids)
    rows = list(OnCallSchedule.select().where(own))
    live = [row for row in rows if row.deleted_at is None]
    schedules = computed.current(live, now, now + timedelta.resolution) if live else {}
    people = {id: tuple(each.user_id for each in who(schedule, now)) for id, schedule in schedules.items()}
    return OnCallNow({row.id: row.name for row in rows}, people)
