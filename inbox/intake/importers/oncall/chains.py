"""Escalation chains of Grafana OnCall as routing profiles: the waits between its steps add up."""

from __future__ import annotations

from collections.abc import Collection

from inbox.intake.base import Node
from inbox.intake.importers import escalations, plan
from inbox.intake.importers.answers import Answers, entries
from inbox.intake.importers.escalations import EscalationDraft
from inbox.intake.importers.oncall import paths
from inbox.intake.importers.oncall.people import TOOL, minutes, position
from inbox.intake.importers.oncall.schedules import reference
from inbox.intake.importers.people import People
from inbox.intake.importers.plan import Plan

ROUNDS = 5
"""The server repeats an escalation up to five times."""


def profile_reference(mark: str) -> str:
    """Returns the reference of the profile of an escalation chain."""
    return plan.line(f"{TOOL}:escalation:{mark}", plan.REFERENCE_LIMIT)


def add(made: Plan, answers: Answers, people: People, schedules: Collection[str]) -> set[str]:
    """Adds the escalation chains of all pages; returns their references."""
    steps: dict[str, list[Node]] = {}
    for policy in entries(answers, paths.POLICIES, "results"):
        steps.setdefault(policy.text("escalation_chain_id"), []).append(policy)
    added, in_order = set(), sorted(schedules)
    for chain in made.reading(list(entries(answers, paths.CHAINS, "results"))):
        draft = EscalationDraft(profile_reference(chain.text("id")), plan.line(chain.text("name")))
        after = 0
        for policy in sorted(steps.get(chain.text("id"), ()), key=position):
            if policy.text("type") == "wait":
                after += minutes(policy)
            elif policy.text("type") == "repeat_escalation":
                draft.repeat = ROUNDS
            else:
                _add_step(draft, after, policy, people, schedules)
        if escalations.add(made, draft, in_order):
            added.add(draft.reference)
    return added


def _add_step(draft: EscalationDraft, after: int, policy: Node, people: People, schedules: Collection[str]) -> None:
    """Adds the people and schedules of a step."""
    match policy.text("type"):
        case "notify_on_call_from_schedule":
            found = reference(policy.text("notify_on_call_from_schedule"))
            if found in schedules:
                draft.notify(after, found)
            else:
                draft.warnings.append("A schedule of a step is not imported.")
        case "notify_persons" | "notify_person_next_each_time" as kind:
            if kind != "notify_persons":
                draft.warnings.append("A step that takes turns among its people pages all of them here.")
            for each in (*policy.items("persons_to_notify"), *policy.items("persons_to_notify_next_each_time")):
                draft.notify_person(after, people.find(each.text()), each.text())
        case other:
            draft.warnings.append(f"A step of the type {plan.line(other) or 'unknown'} is not imported.")
