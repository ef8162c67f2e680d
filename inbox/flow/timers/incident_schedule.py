"""The notification plans of incidents in a unit of work, and the timers that follow from their values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from inbox.domain.deliveries import notification_plan as rules
from inbox.domain.deliveries.notification_plan import NotificationPlan, plan_of
from inbox.domain.incidents.incident import Incident
from inbox.domain.incidents.state_machine import State
from inbox.domain.routing.people import PageTarget
from inbox.domain.routing.profiles import Profile
from inbox.flow.routing.routing_config import RoutingConfig, routing_configs
from inbox.flow.unit_of_work import AfterCommit
from inbox.models.incidents import timers
from inbox.models.incidents.lock import IncidentRow
from inbox.models.incidents.timers import TimerSpec
from inbox.runtime.queue import QueueName

SNOOZE_END = "incident.snooze_end"
"""The kind of timer that ends a snooze; `domain.deliveries.notification_plan.TIMERS` has the other kinds."""

DEPARTED = "workspace.departed"
"""The kind of timer that releases a workspace's incidents of persons who can no longer act there."""


class Plans:
    """The plans of some workspaces by their routing configurations, at `now`."""

    def __init__(self, configs: Mapping[UUID, RoutingConfig], now: datetime) -> None:
        self.now = now
        self.has_quiet_hours = any(config.quiet.enabled for config in configs.values())
        self._configs = configs
        self._incident_plans: dict[tuple[Any, ...], NotificationPlan] = {}
        self._quiet_ends: dict[UUID, tuple[datetime, datetime | None]] = {}

    @classmethod
    def at(cls, revisions: Mapping[UUID, int], now: datetime) -> Plans:
        """Loads the plans of workspaces at their `routing_rev`, as read in this transaction."""
        return cls(routing_configs(revisions, now), now)

    def config(self, workspace_id: UUID) -> RoutingConfig:
        """Returns the routing configuration of one of the workspaces."""
        return self._configs[workspace_id]

    def quiet_until(self, workspace_id: UUID) -> datetime | None:
        """Returns the end of the quiet hours of the workspace, if they cover `now`. It is computed once for each `now`."""
        cached = self._quiet_ends.get(workspace_id)
        if cached is None or cached[0] != self.now:
            cached = self._quiet_ends[workspace_id] = (self.now, self._configs[workspace_id].quiet.until(self.now))
        return cached[1]

    def of(self, incident: IncidentRow) -> NotificationPlan:
        """Returns the plan by the incident's profile and its rule's existing recipients, else by the default route."""
        return self.by(
            incident.workspace_id, incident.routing_profile_id, incident.destination_ids, tuple(incident.people)
        )

    def by(
        self,
        workspace_id: UUID,
        profile_id: UUID | None,
        destination_ids: Sequence[UUID],
        people: tuple[PageTarget, ...] = (),
    ) -> NotificationPlan:
        """Does the same as `of`, for a profile, destinations and people; a deleted profile counts as none."""
        key = (workspace_id, profile_id, tuple(destination_ids), people)
        plan = self._incident_plans.get(key)  # one lookup: the hashes of the ids cost more than the rest
        if plan is None:
            route = self._route(workspace_id, profile_id, destination_ids, people)
            plan = self._incident_plans[key] = plan_of(self._configs[workspace_id].settings, *route)
        return plan

    def profile(
        self,
        workspace_id: UUID,
        profile_id: UUID | None,
        destination_ids: Sequence[UUID],
        people: tuple[PageTarget, ...] = (),
    ) -> Profile | None:
        """Returns the routing profile of the plan, as in `by`."""
        return self._route(workspace_id, profile_id, destination_ids, people)[0]

    def _route(
        self,
        workspace_id: UUID,
        profile_id: UUID | None,
        destination_ids: Sequence[UUID],
        people: tuple[PageTarget, ...],
    ) -> tuple[Profile | None, Sequence[UUID], tuple[PageTarget, ...]]:
        config = self._configs[workspace_id]
        profile = None if profile_id is None else config.profiles.get(profile_id)
        destination_ids = config.existing(destination_ids)
        if profile is None and not destination_ids and not people:
            route = config.route
            default = None if route.routing_profile_id is None else config.profiles.get(route.routing_profile_id)
            return default, route.destination_ids, route.people
        return profile, destination_ids, people


def timers_of(plan: NotificationPlan, incident: Incident) -> dict[str, datetime]:
    """Returns the timers of an incident by kind, with their due times. A past time is due at once."""
    needed = rules.due(plan, incident)
    if incident.snoozed_until is not None:
        needed[SNOOZE_END] = incident.snoozed_until
    return needed


def schedule_timers(
    changed: Iterable[tuple[IncidentRow, Incident | None]], plans: Plans, more: Sequence[TimerSpec], done: AfterCommit
) -> None:
    """Sets the timers of changed incidents, given their earlier values, and `more`; wakes a worker when the first is due.

    Deletes timers that an incident no longer needs. A timer left behind by a change of settings does nothing. The
    assignee of a reopened incident may have left, because a departure releases only unresolved incidents.
    """
    needed, removed, departed = list(more), dict[UUID, set[str]](), set[UUID]()
    for incident, before in changed:
        plan = plans.of(incident)
        now = timers_of(plan, incident.state_values)
        needed += [TimerSpec(kind, incident.id, incident.workspace_id, at) for kind, at in now.items()]
        if before is not None and incident.assignee_id is not None and _reopens(before, incident):
            departed.add(incident.workspace_id)
        if before is not None and (obsolete_kinds := timers_of(plan, before).keys() - now.keys()):
            removed[incident.id] = obsolete_kinds
    needed += [TimerSpec(DEPARTED, workspace_id, workspace_id, plans.now) for workspace_id in departed]
    timers.delete_many(removed, done.statements)
    timers.set_many(needed, done.statements)
    if needed:
        first = min(one.due_at for one in needed)
        done.wake(QueueName.TIMERS, at=first if first > plans.now else None)


def _reopens(before: Incident, incident: IncidentRow) -> bool:
    return before.state is State.RESOLVED and incident.state_values.state is not State.RESOLVED
