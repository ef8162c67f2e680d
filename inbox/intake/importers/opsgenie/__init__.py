"""Reads Opsgenie: integrations become sources, and heartbeats become heartbeat monitors (specification 22.9)."""

from __future__ import annotations

from typing import Any

from inbox.intake.base import Node
from inbox.intake.importers import plan
from inbox.intake.importers.import_kind import ImportForm, ImportKind
from inbox.intake.importers.plan import PING_URL, Item, ItemKind, Plan, Unreadable

INTEGRATIONS, HEARTBEATS = "/v2/integrations", "/v2/heartbeats"
HEARTBEATS_SOURCE = "opsgenie:heartbeats"

_SECONDS = {"minutes": 60, "hours": 3600, "days": 86_400}


def read(documents: dict[str, Any]) -> Plan:
    """Returns the plan of the answers of both addresses. Raises `Unreadable`."""
    integrations = Node(documents[INTEGRATIONS]).at("data").value
    heartbeats = Node(documents[HEARTBEATS]).at("data", "heartbeats").value
    if not isinstance(integrations, list) or not isinstance(heartbeats, list):
        raise Unreadable("It answers no integrations and heartbeats as the Opsgenie API does.")
    made = Plan()
    made.warn("Teams, schedules, escalations, policies and maintenance are not imported.")
    for each in made.reading(Node(integrations).items()):
        _add_source(made, each)
    if heartbeats:
        made.add(plan.source(HEARTBEATS_SOURCE, "Opsgenie heartbeats", "A source for the heartbeat monitors."))
    for each in made.reading(Node(heartbeats).items()):
        _add_monitor(made, each)
    return made


def _add_source(made: Plan, integration: Node) -> None:
    name, mark = plan.line(integration.text("name")), integration.text("id")
    if not mark or not name:
        made.leave_out(name, "The integration has no id or no name.")
        return
    if integration.text("enabled") == "false":
        made.leave_out(name, "The integration is disabled.")
        return
    kind = plan.line(integration.text("type")) or "unknown"
    made.add(
        plan.source(
            plan.line(f"opsgenie:{mark}", plan.REFERENCE_LIMIT),
            made.unique(name),
            f"A source for the integration of type {kind}. Senders of the Opsgenie API change the address and the key.",
        )
    )


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
    "Integrations become sources, and heartbeats become heartbeat monitors.",
    "An API key of the settings with access to the configuration.",
    (ImportForm.ADDRESS,),
    paths=(INTEGRATIONS, HEARTBEATS),
    read_answers=read,
    header=("Authorization", "GenieKey "),
    default_address="https://api.opsgenie.com",
    position=70,
)
