"""Escalation policies of GoAlert as routing profiles; services as sources, heartbeat monitors and rules."""

from __future__ import annotations

from collections.abc import Collection

from inbox.intake.base import Node
from inbox.intake.importers import escalations, plan, service_routes
from inbox.intake.importers.answers import Answers
from inbox.intake.importers.escalations import EscalationDraft
from inbox.intake.importers.goalert import queries
from inbox.intake.importers.goalert.people import TOOL
from inbox.intake.importers.goalert.schedules import reference
from inbox.intake.importers.people import People
from inbox.intake.importers.plan import PING_URL, Item, ItemKind, Plan


def profile_reference(mark: str) -> str:
    """Returns the reference of the profile of an escalation policy."""
    return plan.line(f"{TOOL}:escalation:{mark}", plan.REFERENCE_LIMIT)


def add_profiles(made: Plan, answers: Answers, people: People, schedules: Collection[str]) -> set[str]:
    """Adds the escalation policies of all pages; returns their references."""
    added, in_order = set(), sorted(schedules)
    for policy in made.reading(list(queries.nodes(answers, queries.POLICIES))):
        draft = EscalationDraft(profile_reference(policy.text("id")), plan.line(policy.text("name")))
        after = 0
        for step in policy.items("steps"):
            _add_step(draft, step, after, people, schedules)
            delay = step.at("delayMinutes").value
            after += max(1, delay) if isinstance(delay, int) and not isinstance(delay, bool) else 15
        rounds = policy.at("repeat").value
        draft.repeat = rounds if isinstance(rounds, int) and not isinstance(rounds, bool) else 0
        if escalations.add(made, draft, in_order):
            added.add(draft.reference)
    return added


def add_services(made: Plan, answers: Answers, profiles: Collection[str]) -> None:
    """Adds a source for each integration key, a monitor for each heartbeat, and a rule for each service."""
    for service in made.reading(list(queries.nodes(answers, queries.SERVICES))):
        name, mark = plan.line(service.text("name")), service.text("id")
        if not name or not mark:
            made.leave_out(name, "The service has no id or no name.")
            continue
        sources = [
            service_routes.add_source(
                made,
                f"{TOOL}:integration:{each.text('id')}",
                f"{name}: {plan.line(each.text('name')) or 'integration'}",
                each.text("type"),
            )
            for each in service.items("integrationKeys")
            if each.text("id")
        ] or [service_routes.add_source(made, f"{TOOL}:service:{mark}", name, "service")]
        for heartbeat in service.items("heartbeatMonitors"):
            _add_monitor(made, heartbeat, name, sources[0])
        target = profile_reference(service.text("escalationPolicyID"))
        if target in profiles:
            service_routes.add_rule(made, f"{TOOL}:route:{mark}", name, sources, target)
        else:
            made.leave_out(f"Route of {name}", "Its escalation policy is not imported.")


def _add_step(draft: EscalationDraft, step: Node, after: int, people: People, schedules: Collection[str]) -> None:
    for target in step.items("targets"):
        mark, kind = target.text("id"), target.text("type")
        person = people.find(mark) if kind == "user" else None
        if person is not None:
            draft.notify(after, person.reference)
        elif kind == "schedule" and reference(mark) in schedules:
            draft.notify(after, reference(mark))
        else:
            label = plan.line(target.text("name")) or mark
            draft.warnings.append(f"{label}, a target of the type {plan.line(kind)}, is not imported.")


def _add_monitor(made: Plan, heartbeat: Node, service: str, source: str) -> None:
    minutes = heartbeat.at("timeoutMinutes").value
    is_number = isinstance(minutes, int) and not isinstance(minutes, bool)
    stored = plan.simple_schedule(minutes * 60 if is_number else None)
    name = plan.line(heartbeat.text("name"))
    if not name or stored is None or not heartbeat.text("id"):
        made.leave_out(f"{service}: {name}", "The heartbeat has no name, or no time-out between a minute and a year.")
        return
    seconds = plan.grace(stored["periodSeconds"] // 10)
    unique = made.unique(f"{service}: {name}")
    made.add(
        Item(
            ItemKind.MONITOR,
            plan.line(f"{TOOL}:heartbeat:{heartbeat.text('id')}", plan.REFERENCE_LIMIT),
            unique,
            f"{plan.words(stored)}, with {seconds:,} s of grace.",
            {"name": unique, "schedule": stored, "grace_seconds": seconds},
            source=source,
            snippet=f"Senders ping {PING_URL}",
        )
    )
