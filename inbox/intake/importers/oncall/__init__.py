"""Reads Grafana OnCall: integrations, routes, and the whole on-call set-up (specification 22.10)."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any

from inbox.intake.base import Node
from inbox.intake.importers import answers as of_api
from inbox.intake.importers import people as of_import
from inbox.intake.importers import plan
from inbox.intake.importers.import_kind import ImportForm, ImportKind
from inbox.intake.importers.oncall import chains, paths, people, schedules
from inbox.intake.importers.oncall import routes as oncall_routes
from inbox.intake.importers.oncall.paths import INTEGRATIONS, ROUTES
from inbox.intake.importers.plan import Plan, Unreadable


def read(answers: dict[str, Any], at: datetime) -> Plan:
    """Returns the plan of the answers of all addresses, which were read at this time. Raises `Unreadable`."""
    if not isinstance(Node(answers.get(INTEGRATIONS)).at("results").value, list):
        raise Unreadable("It answers no integrations as the API of Grafana OnCall does.")
    made, on_call = (Plan(most_items=plan.MAX_SETUP_ITEMS) for _ in range(2))
    made.warn("Teams, chat channels, outgoing webhooks and shift swaps are not imported.")
    of_api.warn_refused(made, answers)
    names = {}
    for each in made.reading(list(of_api.entries(answers, INTEGRATIONS, "results"))):
        names[each.text("id")] = plan.line(each.text("name"))
        _add(made, each)
    found = people.read(answers)
    known = schedules.add(on_call, answers, found, at)
    profiles = chains.add(on_call, answers, found, known)
    of_import.add(made, found)
    made.extend(on_call)
    _add_routes(made, answers, names, profiles)
    return made


def _add_routes(made: Plan, answers: dict[str, Any], names: dict[str, str], profiles: Collection[str]) -> None:
    """Adds the routes. The default route of an integration needs no rule without a profile."""
    for each in made.reading(sorted(of_api.entries(answers, ROUTES, "results"), key=_position)):
        mark = each.text("integration_id")
        name = names.get(mark)
        target = chains.profile_reference(each.text("escalation_chain_id"))
        is_default = each.text("is_the_last_route") == "true"
        if is_default and target not in profiles:
            if each.text("escalation_chain_id"):
                made.leave_out(f"Default route of {name}", "Its escalation chain is not imported.")
            continue
        if name:
            oncall_routes.add(made, each, name, _reference(mark), target if target in profiles else None)
        else:
            made.leave_out("Route of an integration", "Its integration was not answered.")


def _position(route: Node) -> tuple[str, bool, int]:
    """Returns the sort key of an integration's routes, because the first matching route decides."""
    position = route.at("position").value
    is_number = isinstance(position, int) and not isinstance(position, bool)
    is_default = route.text("is_the_last_route") == "true"
    return route.text("integration_id"), is_default, position if is_number else 0


def _reference(mark: str) -> str:
    return plan.line(f"oncall:{mark}", plan.REFERENCE_LIMIT)


def _add(made: Plan, integration: Node) -> None:
    name, mark = plan.line(integration.text("name")), integration.text("id")
    if not mark or not name:
        made.leave_out(name, "The integration has no id or no name.")
        return
    kind = plan.line(integration.text("type")) or "unknown"
    made.add(
        plan.source(
            _reference(mark),
            made.unique(name),
            f"A source for the integration of type {kind}.",
        )
    )


IMPORT = ImportKind(
    "oncall",
    "Grafana OnCall",
    "Integrations, routes, users, schedules and escalation chains become records here.",
    "An API token of the settings, which show the address too, or the file that bin/inbox import --save wrote.",
    (ImportForm.ADDRESS, ImportForm.FILE),
    paths=(INTEGRATIONS, ROUTES),
    first_paths=paths.first,
    further_paths=paths.further,
    read_setup=read,
    position=80,
)
