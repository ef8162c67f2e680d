"""Reads Opsgenie: integrations, heartbeats, and the whole on-call set-up (specification 22.9)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from inbox.intake.base import Node
from inbox.intake.importers import answers as of_api
from inbox.intake.importers import people as of_import
from inbox.intake.importers import plan
from inbox.intake.importers.import_kind import ImportForm, ImportKind
from inbox.intake.importers.opsgenie import escalations, paths, people, routes, schedules
from inbox.intake.importers.opsgenie.paths import HEARTBEATS, INTEGRATIONS
from inbox.intake.importers.plan import PING_URL, Item, ItemKind, Plan, Unreadable

HEARTBEATS_SOURCE = "opsgenie:heartbeats"

_SECONDS = {"minutes": 60, "hours": 3600, "days": 86_400}


def read(answers: dict[str, Any], at: datetime) -> Plan:
    """Returns the plan of the answers of all addresses, which were read at this time. Raises `Unreadable`."""
    heartbeats = Node(answers.get(HEARTBEATS)).at("data", "heartbeats").value
    if not isinstance(Node(answers.get(INTEGRATIONS)).at("data").value, list) or not isinstance(heartbeats, list):
        raise Unreadable("It answers no integrations and heartbeats as the Opsgenie API does.")
    made = Plan(most_items=plan.MAX_SETUP_ITEMS)
    made.warn("Alert policies, maintenance and forwarding of users are not imported.")
    of_api.warn_refused(made, answers)
    sources: dict[str, list[str]] = {}
    for each in made.reading(list(of_api.entries(answers, INTEGRATIONS, "data"))):
        _add_source(made, each, sources)
    if heartbeats:
        made.add(plan.source(HEARTBEATS_SOURCE, "Opsgenie heartbeats", "A source for the heartbeat monitors."))
    for each in made.reading(Node(heartbeats).items()):
        _add_monitor(made, each)
    _add_on_call(made, answers, sources, at)
    return made


def _add_on_call(made: Plan, answers: dict[str, Any], sources: dict[str, list[str]], at: datetime) -> None:
    """Adds people, schedules, profiles and rules. Schedules name people whom the users do not list, so these come last."""
    found, on_call = people.read(answers), Plan(most_items=plan.MAX_SETUP_ITEMS)
    known = schedules.add(on_call, answers, found, at)
    known |= escalations.add(on_call, answers, found, known)
    of_import.add(made, found)
    made.extend(on_call)
    routes.add(made, answers, sources, known)


def _add_source(made: Plan, integration: Node, sources: dict[str, list[str]]) -> None:
    name, mark = plan.line(integration.text("name")), integration.text("id")
    if not mark or not name:
        made.leave_out(name, "The integration has no id or no name.")
        return
    if integration.text("enabled") == "false":
        made.leave_out(name, "The integration is disabled.")
        return
    kind = plan.line(integration.text("type")) or "unknown"
    item = plan.source(
        plan.line(f"opsgenie:{mark}", plan.REFERENCE_LIMIT),
        made.unique(name),
        f"A source for the integration of type {kind}. Senders of the Opsgenie API change the address and the key.",
    )
    made.add(item)
    sources.setdefault(integration.text("teamId"), []).append(item.reference)


def _add_monitor(made: Plan, heartbeat: Node) -> None:
    name, count = plan.line(heartbeat.text("name")), heartbeat.at("interval").value
    unit = _SECONDS.get(heartbeat.text("intervalUnit"), 0)
    stored = plan.simple_schedule(count * unit if isinstance(count, int) else None)
    if not name or stored is None:
        made.leave_out(name, "The heartbeat has no name, or no interval between a minute and a year.")
        return
    seconds = plan.grace(stored["periodSeconds"] // 10)
    made.add(
        Item(
            ItemKind.MONITOR,
            plan.line(f"opsgenie:heartbeat:{name}", plan.REFERENCE_LIMIT),
            name,
            f"{plan.words(stored)}, with {seconds:,} s of grace.",
            {"name": name, "schedule": stored, "grace_seconds": seconds},
            source=HEARTBEATS_SOURCE,
            is_paused=heartbeat.text("enabled") == "false",
            snippet=f"Senders that ping by name change the address and the key. Others ping {PING_URL}",
        )
    )


IMPORT = ImportKind(
    "opsgenie",
    "Opsgenie",
    "Integrations, heartbeats, users, schedules, escalations and routing rules become records here.",
    "An API key of the settings with access to the configuration, or the file that bin/inbox import --save wrote.",
    (ImportForm.ADDRESS, ImportForm.FILE),
    paths=(INTEGRATIONS, HEARTBEATS),
    first_paths=paths.first,
    further_paths=paths.further,
    read_setup=read,
    header=("Authorization", "GenieKey "),
    default_address="https://api.opsgenie.com",
    position=70,
)
