"""Escalations of other tools as routing profiles of a plan (specification 22.12)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from inbox.domain.routing.people import MAX_PEOPLE
from inbox.intake.importers import plan
from inbox.intake.importers.plan import Item, ItemKind, Plan

MAX_STEPS, MAX_ROUNDS, LATEST_STEP = 10, 5, 7 * 24 * 60


@dataclass(slots=True)
class EscalationDraft:
    """An escalation to be a profile: by minutes since the incident opened, the references of people and schedules."""

    reference: str
    name: str
    steps: dict[int, list[str]] = field(default_factory=dict)
    repeat: int = 0
    warnings: list[str] = field(default_factory=list)

    def notify(self, after_minutes: int, *references: str) -> None:
        """Adds people and schedules to the step of a time."""
        self.steps.setdefault(after_minutes, []).extend(references)


def add(made: Plan, draft: EscalationDraft, schedules: Sequence[str]) -> bool:
    """Adds the item of a profile, or the reason why there is none. `schedules` are the references of the schedules."""
    steps = [
        {"afterMinutes": minutes, "people": _people(draft, found)} for minutes, found in sorted(draft.steps.items())
    ]
    steps = [each for each in steps if each["people"] and 0 <= int(str(each["afterMinutes"])) <= LATEST_STEP]
    if len(steps) > MAX_STEPS:
        draft.warnings.append(f"A profile has at most {MAX_STEPS} steps. Those after them are not imported.")
    if not plan.line(draft.name) or not steps:
        made.leave_out(draft.name, "No step of the escalation names people or schedules that are imported.")
        return False
    kept = steps[:MAX_STEPS]
    named = {each for step in kept for each in _references(step)}
    made.add(
        Item(
            ItemKind.PROFILE,
            draft.reference,
            made.unique(draft.name),
            _text(kept, draft.repeat),
            {"steps": kept, "repeat": max(0, min(draft.repeat, MAX_ROUNDS))},
            needs=tuple(each for each in schedules if each in named),
            warnings=plan.notes(draft.warnings),
        )
    )
    return True


def _people(draft: EscalationDraft, found: Sequence[str]) -> list[str]:
    people = list(dict.fromkeys(found))
    if len(people) > MAX_PEOPLE:
        draft.warnings.append(f"A step has at most {MAX_PEOPLE} people and schedules. The others are not imported.")
    return people[:MAX_PEOPLE]


def _references(step: dict[str, Any]) -> list[str]:
    return list(step["people"])


def _text(steps: Sequence[dict[str, Any]], repeat: int) -> str:
    after = ", ".join(f"{step['afterMinutes']} min" if step["afterMinutes"] else "at once" for step in steps)
    again = f" Repeated {repeat} times." if repeat else ""
    return f"{len(steps)} {'step' if len(steps) == 1 else 'steps'}: {after}.{again}"
