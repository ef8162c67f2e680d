"""Checks of Healthchecks, by its management API of version 3: each becomes a heartbeat monitor (specification 22.6)."""

from __future__ import annotations

from typing import Any

from inbox.domain.heartbeats import schedule
from inbox.domain.text import is_web_link
from inbox.intake.base import Node
from inbox.intake.importers import plan
from inbox.intake.importers.plan import PING_URL, Item, ItemKind, Plan, Unreadable

SOURCE = "healthchecks"
CHECKS = "/api/v3/checks/"


def read(document: Any) -> Plan:
    """The plan of the answer of `GET /api/v3/checks/`. Raises `Unreadable`."""
    checks = Node(document).items("checks")
    if not isinstance(Node(document).at("checks").value, list):
        raise Unreadable("It has no array `checks`, which the API of version 3 answers.")
    made = Plan()
    made.add(plan.source(SOURCE, "Healthchecks", "A source for the heartbeat monitors of the checks."))
    made.warn("Integrations are not imported. Destinations and rules decide who is notified.")
    for check in checks:
        _add(made, check)
    return made


def _add(made: Plan, check: Node) -> None:
    name = plan.line(check.first("name", "slug")) or "Check"
    mark = check.first("uuid", "unique_key")
    if not mark:
        made.leave_out(name, "The check has neither `uuid` nor `unique_key`.")
        return
    try:
        stored = _schedule(check)
    except ValueError as fault:
        made.leave_out(name, str(fault))
        return
    seconds = plan.grace(check.at("grace").value, 3600)
    name = made.unique(name)
    made.add(
        Item(
            ItemKind.MONITOR,
            plan.line(f"healthchecks:{mark}", plan.REFERENCE_LIMIT),
            name,
            f"{plan.words(stored)}, with {seconds // 60:,} min of grace.",
            {"name": name, "schedule": stored, "grace_seconds": seconds, "tags": plan.tags(check.text("tags").split())},
            source=SOURCE,
            is_paused=check.text("status") == "paused",
            snippet=_snippet(check.text("ping_url")),
            warnings=tuple(_warnings(check)),
        )
    )


def _schedule(check: Node) -> dict[str, Any]:
    """Raises `ValueError` with the reason why no monitor can have this schedule."""
    text = check.text("schedule")
    if not text:
        stored = plan.simple_schedule(check.at("timeout").value)
        if stored is None:
            raise ValueError("The check has neither a schedule nor a period between a minute and a year.")
        return stored
    if "\n" in text or len(text.split()) != len(schedule.FIELDS):
        raise ValueError(f"The schedule {plan.line(text)} is one of systemd (OnCalendar), which monitors do not have.")
    zone = check.text("tz") or "UTC"
    if not plan.is_zone(zone):
        raise ValueError(f"The time zone {plan.line(zone)} is unknown.")
    return {"kind": "cron", "expression": schedule.normalized(text), "timezone": zone}


def _warnings(check: Node) -> list[str]:
    found = []
    if check.text("methods"):
        found.append("Pings by GET count as well. The check accepted POST alone.")
    if check.first("start_kw", "success_kw", "failure_kw"):
        found.append("Keywords in the texts of pings are not imported.")
    if check.text("manual_resume") == "true":
        found.append("A paused monitor is resumed by a person alone, never by a ping.")
    return found


def _snippet(former: str) -> str:
    return f"sed -i 's|{former}|{PING_URL}|g' FILE" if is_web_link(former) and "'" not in former else PING_URL
