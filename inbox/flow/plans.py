"""By which plan each incident of a unit of work is told, and the timers that follow from how it now stands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from inbox.domain import notification_plan as rules
from inbox.domain.incident import Incident
from inbox.domain.notification_plan import NotificationPlan, plan_of
from inbox.domain.profiles import Profile
from inbox.flow.rulebook import Rulebook, rulebooks
from inbox.flow.work import Done
from inbox.models import timers
from inbox.models.incidents.lock import IncidentRow
from inbox.models.timers import TimerSpec
from inbox.queue import Bell

WAKE = "incident.snooze_end"
"""The kind of timer that ends a snooze; the others of an incident are `domain.plan.TIMERS`."""


class Plans:
    """The plans of some workspaces by their rulebooks, at `state_values`."""

    def __init__(self, books: Mapping[UUID, Rulebook], now: datetime) -> None:
        self.now = now
        self.has_quiet_hours = any(book.quiet.enabled for book in books.values())
        self._books = books
        self._known: dict[tuple[UUID, UUID | None, tuple[UUID, ...]], NotificationPlan] = {}

    @classmethod
    def at(cls, revisions: Mapping[UUID, int], now: datetime) -> Plans:
        """Of workspaces with their `routing_rev`, as they hold in this transaction."""
        return cls(rulebooks(revisions, now), now)

    def book(self, workspace_id: UUID) -> Rulebook:
        """What holds in one of the workspaces."""
        return self._books[workspace_id]

    def of(self, incident: IncidentRow) -> NotificationPlan:
        """Of its profile and those destinations that its rule named which are there, else of the default route."""
        return self.by(incident.workspace_id, incident.routing_profile_id, incident.destination_ids)

    def by(self, workspace_id: UUID, profile_id: UUID | None, destination_ids: Sequence[UUID]) -> NotificationPlan:
        """As `of`; a profile that is no more counts as none."""
        key = (workspace_id, profile_id, tuple(destination_ids))
        if key not in self._known:
            profile, destination_ids = self._route(workspace_id, profile_id, destination_ids)
            self._known[key] = plan_of(self._books[workspace_id].settings, profile, destination_ids)
        return self._known[key]

    def profile(self, workspace_id: UUID, profile_id: UUID | None, destination_ids: Sequence[UUID]) -> Profile | None:
        """The routing profile of which the plan is, as in `by`."""
        return self._route(workspace_id, profile_id, destination_ids)[0]

    def _route(
        self, workspace_id: UUID, profile_id: UUID | None, destination_ids: Sequence[UUID]
    ) -> tuple[Profile | None, Sequence[UUID]]:
        book = self._books[workspace_id]
        profile = None if profile_id is None else book.profiles.get(profile_id)
        destination_ids = book.still_there(destination_ids)
        if profile is None and not destination_ids:
            default = book.route.routing_profile_id
            return None if default is None else book.profiles.get(default), book.route.destination_ids
        return profile, destination_ids


def timers_of(plan: NotificationPlan, incident: Incident) -> dict[str, datetime]:
    """The timers that an incident should have, by kind, and when each is due; what is past is due at once."""
    wanted = rules.due(plan, incident)
    if incident.snoozed_until is not None:
        wanted[WAKE] = incident.snoozed_until
    return wanted


def wind(
    moved: Iterable[tuple[IncidentRow, Incident | None]], plans: Plans, more: Sequence[TimerSpec], done: Done
) -> None:
    """Set the timers of incidents that moved, given what each was before, and `more`; ring when the first is due.

    What an incident should not have any more is taken away. One that is left by a change of settings finds nothing to do.
    """
    wanted, gone = list(more), dict[UUID, set[str]]()
    for incident, before in moved:
        plan = plans.of(incident)
        now = timers_of(plan, incident.state_values)
        wanted += [TimerSpec(kind, incident.id, incident.workspace_id, at) for kind, at in now.items()]
        if before is not None and (left := timers_of(plan, before).keys() - now.keys()):
            gone[incident.id] = left
    timers.delete_many(gone)
    timers.set_many(wanted)
    if wanted:
        first = min(one.due_at for one in wanted)
        done.ring(Bell.TIMERS, at=first if first > plans.now else None)
