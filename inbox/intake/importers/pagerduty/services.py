"""Escalation policies of PagerDuty as routing profiles, and services as sources and rules."""

from __future__ import annotations

from collections.abc import Collection

from inbox.intake.base import Node
from inbox.intake.importers import escalations, plan, service_routes
from inbox.intake.importers.answers import Answers, entries
from inbox.intake.importers.escalations import EscalationDraft
from inbox.intake.importers.pagerduty import paths
from inbox.intake.importers.pagerduty.schedules import TOOL, reference
from inbox.intake.importers.people import People
from inbox.intake.importers.plan import Plan


def profile_reference(mark: str) -> str:
    """Returns the reference of the profile of an escalation policy."""
    return plan.line(f"{TOOL}:escalation:{mark}", plan.REFERENCE_LIMIT)


def add_profiles(made: Plan, answers: Answers, people: People, schedules: Collection[str]) -> set[str]:
    """Adds the escalation policies of all pages; returns their references."""
    added, in_order = set(), sorted(schedules)
    for policy in made.reading(list(entries(answers, paths.POLICIES, "escalation_policies"))):
        draft = EscalationDraft(profile_reference(policy.text("id")), plan.line(policy.text("name")))
        after = 0
        for rule in policy.items("escalation_rules"):
            _add_rule(draft, rule, after, people, schedules)
            delay = rule.at("escalation_delay_in_minutes").value
            after += max(1, delay) if isinstance(delay, int) and not isinstance(delay, bool) else 30
        loops = policy.at("num_loops").value
        draft.repeat = loops if isinstance(loops, int) and not isinstance(loops, bool) else 0
        if escalations.add(made, draft, in_order):
            added.add(draft.reference)
    return added


def add_services(made: Plan, answers: Answers, profiles: Collection[str]) -> None:
    """Adds a source for each integration, and a rule for each service."""
    for service in made.reading(list(entries(answers, paths.SERVICES, "services"))):
        name, mark = plan.line(service.text("name")), service.text("id")
        if not name or not mark:
            made.leave_out(name, "The service has no id or no name.")
            continue
        integrations = [each for each in service.items("integrations") if each.text("id")]
        sources = [
            service_routes.add_source(
                made,
                f"{TOOL}:integration:{each.text('id')}",
                f"{name}: {plan.line(each.text('name') or each.text('summary')) or 'integration'}",
                each.text("type"),
            )
            for each in integrations
        ] or [service_routes.add_source(made, f"{TOOL}:service:{mark}", name, "service")]
        target = profile_reference(service.text("escalation_policy", "id"))
        if target in profiles:
            service_routes.add_rule(made, f"{TOOL}:route:{mark}", name, sources, target)
        else:
            made.leave_out(f"Route of {name}", "Its escalation policy is not imported.")


def _add_rule(draft: EscalationDraft, rule: Node, after: int, people: People, schedules: Collection[str]) -> None:
    if rule.text("escalation_rule_assignment_strategy", "type") == "round_robin" or (
        rule.text("escalation_rule_assignment_strategy") == "round_robin"
    ):
        draft.warnings.append("A step that takes turns among its targets pages all of them here.")
    for target in rule.items("targets"):
        mark = target.text("id")
        if target.text("type").startswith("schedule"):
            if reference(mark) in schedules:
                draft.notify(after, reference(mark))
            else:
                draft.warnings.append(f"The schedule {plan.line(target.text('summary')) or mark} is not imported.")
        else:
            draft.notify_person(after, people.find(mark), target.text("summary") or mark)
