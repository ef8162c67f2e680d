"""Finds workspaces whose incidents can notify somebody (specification 12.1)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from uuid import UUID

from inbox.domain.routing.profiles import steps_of
from inbox.domain.routing.rules.rule import RuleActions
from inbox.domain.workspaces.settings import DefaultRoute, effective_route
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.recipients import phones
from inbox.models.routing.profiles import RoutingProfile
from inbox.models.routing.rules import Rule
from inbox.models.senders.sources import Source
from inbox.models.workspaces.tables import Workspace
from inbox.runtime import work_budget

PEOPLE = UUID(int=0)
"""Stands for the people of a step. Their destinations are made when they are paged."""


def that_notify(workspaces: Sequence[Workspace]) -> set[UUID]:
    """Returns the workspaces among these whose incidents can notify somebody, by one of these ways:

    1. The default route names an enabled destination, or people.
    2. A member has a phone that receives notices.
    3. A profile of the default route or of a source, or an enabled rule, leads to an enabled destination or to people.
    """
    routes = {each.id: effective_route(each.default_route) for each in workspaces}
    enabled = _enabled_destinations(list(routes))
    found = {id for id, route in routes.items() if route.people or enabled[id].intersection(route.destination_ids)}
    found |= phones(rest).keys() if (rest := [id for id in routes if id not in found]) else set()
    if rest := [id for id in routes if id not in found]:
        named = _destinations_of_routes(rest, routes)
        found |= {id for id in rest if (enabled[id] | {PEOPLE}) & named[id]}
    return found


def _enabled_destinations(workspace_ids: Sequence[UUID]) -> defaultdict[UUID, set[UUID]]:
    usable = (
        Destination.enabled
        & Destination.deleted_at.is_null()
        & Destination.device_id.is_null()
        & Destination.owner_id.is_null()
    )
    rows = Destination.select(Destination.workspace, Destination.id).where(
        Destination.workspace.in_(workspace_ids), usable
    )
    return _grouped(rows.tuples())


def _destinations_of_routes(
    workspace_ids: Sequence[UUID], routes: dict[UUID, DefaultRoute]
) -> defaultdict[UUID, set[UUID]]:
    """Returns the destinations that rules and profiles name, by workspace."""
    rules = Rule.select(Rule.workspace_id, Rule.actions).where(
        Rule.workspace_id.in_(workspace_ids), Rule.enabled, Rule.deleted_at.is_null()
    )
    actions = [(id, RuleActions.of(stored)) for id, stored in work_budget.spending(rules.tuples())]
    sources = Source.select(Source.workspace, Source.routing_profile_id).where(
        Source.workspace.in_(workspace_ids), Source.deleted_at.is_null(), Source.routing_profile_id.is_null(False)
    )
    profiles = {profile for _, profile in sources.tuples()}
    profiles |= {each.routing_profile_id for _, each in actions} | {
        routes[id].routing_profile_id for id in workspace_ids
    }
    of_rules = ((id, destination) for id, each in actions for destination in each.destination_ids)
    people = ((id, PEOPLE) for id, each in actions if each.people)
    return _grouped([*of_rules, *people, *_of_profiles(profiles - {None})])


def _of_profiles(profile_ids: Iterable[UUID | None]) -> Iterator[tuple[UUID, UUID]]:
    rows = RoutingProfile.select(RoutingProfile.workspace_id, RoutingProfile.steps).where(
        RoutingProfile.id.in_(list(profile_ids)), RoutingProfile.deleted_at.is_null()
    )
    for workspace_id, steps in work_budget.spending(rows.tuples()):
        for step in steps_of(steps):
            yield from ((workspace_id, destination) for destination in step.destination_ids)
            if step.people:
                yield workspace_id, PEOPLE


def _grouped(pairs: Iterable[tuple[UUID, UUID]]) -> defaultdict[UUID, set[UUID]]:
    found: defaultdict[UUID, set[UUID]] = defaultdict(set)
    for workspace_id, id in work_budget.spending(pairs):
        found[workspace_id].add(id)
    return found
