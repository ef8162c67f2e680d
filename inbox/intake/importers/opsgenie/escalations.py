"""Escalations of Opsgenie: rules by delay become the steps of a routing profile."""

from __future__ import annotations

from collections.abc import Collection

from inbox.intake.base import Node
from inbox.intake.importers import escalations, plan
from inbox.intake.importers.answers import Answers, entries
from inbox.intake.importers.escalations import EscalationDraft
from inbox.intake.importers.opsgenie import paths
from inbox.intake.importers.opsgenie.people import minutes_of
from inbox.intake.importers.opsgenie.schedules import Teams, reference, teams_of
from inbox.intake.importers.people import People
from inbox.intake.importers.plan import Plan


def profile_reference(mark: str) -> str:
    """Returns the reference of the profile of an escalation."""
    return plan.line(f"opsgenie:escalation:{mark}", plan.REFERENCE_LIMIT)


def add(made: Plan, answers: Answers, people: People, schedules: Collection[str]) -> set[str]:
    """Adds the escalations of all pages; returns their references."""
    teams, added, in_order = teams_of(answers), set(), sorted(schedules)
    for escalation in made.reading(list(entries(answers, paths.ESCALATIONS, "data"))):
        draft = EscalationDraft(profile_reference(escalation.text("id")), plan.line(escalation.text("name")))
        for rule in escalation.items("rules"):
            _add_rule(draft, rule, people, teams, schedules)
        count = escalation.at("repeat", "count").value
        draft.repeat = count if isinstance(count, int) and not isinstance(count, bool) else 0
        if escalations.add(made, draft, in_order):
            added.add(draft.reference)
    return added


def _add_rule(draft: EscalationDraft, rule: Node, people: People, teams: Teams, schedules: Collection[str]) -> None:
    if rule.text("condition") == "if-not-closed":
        draft.warnings.append("A step for alerts that are not closed stops at the acknowledgement, too.")
    if rule.text("notifyType") not in ("", "default", "all"):
        draft.warnings.append(f"“{plan.line(rule.text('notifyType'))}” of a step is imported as all who are on call.")
    after, recipient = minutes_of(rule.at("delay")), rule.at("recipient")
    match recipient.text("type"):
        case "user":
            _notify(draft, after, recipient, people)
        case "schedule":
            found = reference(recipient.text("id"))
            if found in schedules:
                draft.notify(after, found)
            else:
                draft.warnings.append(f"The schedule {plan.line(recipient.text('name'))} is not imported.")
        case "team":
            draft.warnings.append(f"The team {plan.line(recipient.text('name'))} is imported as its present members.")
            for member in teams.get(recipient.text("id"), ()):
                _notify(draft, after, member.at("user"), people)
        case other:
            draft.warnings.append(f"A recipient of type {plan.line(other) or 'unknown'} is not imported.")


def _notify(draft: EscalationDraft, after: int, user: Node, people: People) -> None:
    name = user.text("username")
    draft.notify_person(after, people.find(user.text("id"), name), name)
