"""By which plan each incident of a unit of work is told, and the timers that follow from how it now stands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from inbox.domain import notification_plan as rules
from inbox.domain.incident import Incident
from inbox.domain.notification_plan import NotificationPlan, plan_of
from inbox.domain.profiles import Profile
from inbox.flow.routing.routing_config import RoutingConfig, routing_configs
from inbox.flow.unit_of_work import AfterCommit
from inbox.models import timers
from inbox.models.incidents.lock import IncidentRow
from inbox.models.timers import TimerSpec
from inbox.queue import QueueName

SNOOZE_END = "incident.snooze_end"
"""The kind of timer that ends a snooze; the others of an incident are `domain.plan.TIMERS`."""


class Plans:
    """The plans of some workspaces by their rulebooks, at `state_values`."""

    def __init__(self, configs: Mapping[UUID, RoutingConfig], now: datetime) -> None:
        self.now = now
        self.has_quiet_hours = any(config.quiet.enabled for config in configs.values())
        self._configs = configs
        self._incident_plans: dict[tuple[UUID, UUID | None, tuple[UUID, ...]], NotificationPlan] = {}

    @classmethod
    def at(cls, revisions: Mapping[UUID, int], now: datetime) -> Plans:
        """Of workspaces with their `routing_rev`, as they hold in this transaction."""
        return cls(routing_configs(revisions, now), now)

    def config(self, workspace_id: UUID) -> RoutingConfig:
        """What holds in one of the workspaces."""
        return self._configs[workspace_id]

    def of(self, incident: IncidentRow) -> NotificationPlan:
        """Of its profile and those destinations that its rule named which are there, else of the default route."""
        return self.by(incident.workspace_id, incident.routing_profile_id, incident.destination_ids)

    def by(self, workspace_id: UUID, profile_id: UUID | None, destination_ids: Sequence[UUID]) -> NotificationPlan:
        """As `of`; a profile that is no more counts as none."""
        key = (workspace_id, profile_id, tuple(destination_ids))
        if key not in self._incident_plans:
            profile, destination_ids = self._route(workspace_id, profile_id, destination_ids)
            self._incident_plans[key] = plan_of(self._configs[workspace_id].settings, profile, destination_ids)
        return self._incident_plans[key]

    def profile(self, workspace_id: UUID, profile_id: UUID | None, destination_ids: Sequence[UUID]) -> Profile | None:
        """The routing profile of which the plan is, as in `by`."""
        return self._route(workspace_id, profile_id, destination_ids)[0]

    def _route(
        self, workspace_id: UUID, profile_id: UUID | None, destination_ids: Sequence[UUID]
    ) -> tuple[Profile | None, Sequence[UUID]]:
        config = self._configs[workspace_id]
        profile = None if profile_id is None else config.profiles.get(profile_id)
        destination_ids = config.existing(destination_ids)
        if profile is None and not destination_ids:
            default = config.route.routing_profile_id
            return None if default is None else config.profiles.get(default), config.route.destination_ids
        return profile, destination_ids


def timers_of(plan: NotificationPlan, incident: Incident) -> dict[str, datetime]:
    """The timers that an incident should have, by kind, and when each is due; what is past is due at once."""
    needed = rules.due(plan, incident)
    if incident.snoozed_until is not None:
        needed[SNOOZE_END] = incident.snoozed_until
    return needed


def schedule_timers(
    changed: Iterable[tuple[IncidentRow, Incident | None]], plans: Plans, more: Sequence[TimerSpec], done: AfterCommit
) -> None:
    """Set the timers of incidents that moved, given what each was before, and `more`; ring when the first is due.

    What an incident should not have any more is taken away. One that is left by a change of settings finds nothing to do.
    """
    needed, removed = list(more), dict[UUID, set[str]]()
    for incident, before in changed:
        plan = plans.of(incident)
        now = timers_of(plan, incident.state_values)
        needed += [TimerSpec(kind, incident.id, incident.workspace_id, at) for kind, at in now.items()]
        if before is not None and (kept := timers_of(plan, before).keys() - now.keys()):
            removed[incident.id] = kept
    timers.delete_many(removed)
    timers.set_many(needed)
    if needed:
        first = min(one.due_at for one in needed)
        done.wake(QueueName.TIMERS, at=first if first > plans.now else None)
