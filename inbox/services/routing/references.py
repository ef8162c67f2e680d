"""The removal of deleted destinations and sources from rules and profiles, without steps that notify nobody."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.domain.values.refusals import Conflict
from inbox.flow.unit_of_work import AfterCommit
from inbox.models.routing.profiles import RoutingProfile
from inbox.models.routing.rules import Rule
from inbox.runtime import work_budget
from inbox.services.routing import profiles, rules
from inbox.services.workspaces import workspaces

LIMIT = "Shorten the matches of the rules first."


def detach_destination(destination_id: UUID, workspace_id: UUID, done: AfterCommit, now: datetime) -> None:
    """Remove a destination from the default route, all rules and profiles, in the caller's unit of work.

    The caller has locked the workspace's row (`routing_config.bump_revision`), as every new reference to a destination
    does. For a rule without destinations and profile, the next one applies: a later rule, the source's profile, the
    default route. A step of a profile has no such replacement. Raises `Conflict` with the profiles in which it is the
    only destination of a step. A profile's fallback becomes the workspace's.
    """
    refused = ids.encode(Prefix.DESTINATION, destination_id)
    _refuse_empty_steps(refused, workspace_id)
    workspaces.detach_destination(destination_id, workspace_id, done, now)
    for rule in work_budget.spending(rules.existing([workspace_id]), LIMIT):
        if refused in rule.actions["destinationIds"]:
            _change_rule(rule, {"actions": _without(rule.actions, refused)}, done, now)
    for profile in _profiles(workspace_id):
        values: dict[str, Any] = {"steps": [_without(step, refused) for step in profile.steps]}
        if profile.fallback_destination_id == destination_id:
            values["fallback_destination_id"] = None
        if any(getattr(profile, name) != value for name, value in values.items()):
            profiles.change(profile, values, done, now)


def detach_source(source_id: UUID, workspace_id: UUID, done: AfterCommit, now: datetime) -> None:
    """Remove a source from all rules, in the caller's unit of work, which has locked the workspace's row.

    A rule for this source alone is disabled, because without sources it would apply to all of them.
    """
    for rule in work_budget.spending(rules.existing([workspace_id]).order_by(Rule.position), LIMIT):
        if source_id in rule.source_ids:
            others = [each for each in rule.source_ids if each != source_id]
            _change_rule(rule, {"source_ids": others, "enabled": rule.enabled and bool(others)}, done, now)


def _refuse_empty_steps(gone: str, workspace_id: UUID) -> None:
    stuck = [
        profile
        for profile in _profiles(workspace_id)
        if any(step["destinationIds"] == [gone] and not step.get("people") for step in profile.steps)
    ]
    if stuck:
        names = ", ".join(f"“{profile.name}”" for profile in stuck)
        named = [{"id": ids.encode(Prefix.PROFILE, profile.id), "name": profile.name} for profile in stuck]
        raise Conflict(
            f"The destination is the only one of a step of the routing profile {names}; add another to that step first.",
            extra={"routingProfiles": named},
        )


def _profiles(workspace_id: UUID) -> list[RoutingProfile]:
    return list(profiles.existing([workspace_id]).order_by(RoutingProfile.id))


def _without(stored: Mapping[str, Any], gone: str) -> dict[str, Any]:
    return {**stored, "destinationIds": [each for each in stored["destinationIds"] if each != gone]}


def _change_rule(rule: Rule, values: Mapping[str, Any], done: AfterCommit, now: datetime) -> None:
    before = rules.audit_view(rule)
    for name, value in values.items():
        setattr(rule, name, value)
    rules.changed(rule, before, done, now)
