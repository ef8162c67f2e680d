"""Services of other tools: a source for each integration, and a rule that names the escalation (specification 22.12)."""

from __future__ import annotations

from collections.abc import Sequence

from inbox.intake.importers import plan
from inbox.intake.importers.plan import Item, ItemKind, Plan


def add_source(made: Plan, reference: str, name: str, kind: str) -> str:
    """Adds the source of an integration; returns its reference."""
    label = plan.line(kind) or "unknown"
    item = plan.source(
        plan.line(reference, plan.REFERENCE_LIMIT), made.unique(name), f"A source for the integration of type {label}."
    )
    made.add(item)
    return item.reference


def add_rule(made: Plan, reference: str, name: str, sources: Sequence[str], target: str) -> None:
    """Adds the rule of a service: all its events open incidents, which the profile or schedule handles."""
    unique = made.unique(name)
    made.add(
        Item(
            ItemKind.RULE,
            plan.line(reference, plan.REFERENCE_LIMIT),
            unique,
            f"Events of {len(sources)} {'source' if len(sources) == 1 else 'sources'} open incidents.",
            {
                "name": unique,
                "match": {"all": []},
                "then": {"disposition": "incident"},
                "continue_matching": False,
                "target": target,
                "sources": list(sources),
            },
            needs=(*sources, target),
        )
    )
