"""Reads Grafana OnCall: integrations become sources, and routes by labels become rules (specification 22.10)."""

from __future__ import annotations

from typing import Any

from inbox.intake.base import Node
from inbox.intake.importers import plan
from inbox.intake.importers.import_kind import ImportForm, ImportKind
from inbox.intake.importers.oncall import routes as oncall_routes
from inbox.intake.importers.plan import Plan, Unreadable

INTEGRATIONS, ROUTES = "/api/v1/integrations/", "/api/v1/routes/"


def read(documents: dict[str, Any]) -> Plan:
    """Returns the plan of the answers of both addresses. Raises `Unreadable`."""
    integrations, routes = (Node(documents[each]) for each in (INTEGRATIONS, ROUTES))
    if not isinstance(integrations.at("results").value, list):
        raise Unreadable("It answers no integrations as the API of Grafana OnCall does.")
    made = Plan()
    made.warn(
        "Escalation chains, schedules, users and chat channels are not imported. Profiles and destinations replace them."
    )
    for document in (integrations, routes):
        if document.text("next"):
            made.warn("The server answered more than one page. Only the first page is read.")
    names = {}
    for each in made.reading(integrations.items("results")):
        names[each.text("id")] = plan.line(each.text("name"))
        _add(made, each)
    for each in made.reading(sorted(routes.items("results"), key=_position)):
        if each.text("is_the_last_route") == "true":
            continue
        mark = each.text("integration_id")
        name = names.get(mark)
        if name:
            oncall_routes.add(made, each, name, _reference(mark))
        else:
            made.leave_out("Route of an integration", "Its integration is not on the first page.")
    return made


def _position(route: Node) -> tuple[str, int]:
    """Returns the sort key of an integration's routes, because the first matching route decides."""
    position = route.at("position").value
    is_number = isinstance(position, int) and not isinstance(position, bool)
    return route.text("integration_id"), position if is_number else 0


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
    "Integrations become sources, and routes by labels become rules.",
    "An API token of the settings, which show the address too.",
    (ImportForm.ADDRESS,),
    paths=(INTEGRATIONS, ROUTES),
    read_answers=read,
    position=80,
)
