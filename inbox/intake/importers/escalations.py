"""Escalations of other tools as routing profiles of a plan (specification 22.12)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from inbox.domain.routing.people import MAX_PEOPLE
from inbox.intake.importers import plan
from inbox.intake.importers.people import Person
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

    def notify_person(self, after_minutes: int, person: Person | None, name: str) -> None:
        """Adds a person to the step of a time. One whom the tool does not list is a warning with the name."""
        if person is not None:
            self.notify(after_minutes, person.reference)
        else:
            self.warnings.append(f"A step names {plan.line(name) or 'a person'}, who is not among the users.")


def add(made: Plan, draft: EscalationDraft, schedules: Sequence[str]) -> bool:
    """Adds the item of a profile, or the reason why there is none. `schedules` are the references of the schedules."""
    steps = [
        {"afterMinutes": minutes, "people": _people(draft, found)} for minutes, found in sorted(draft.steps.items())
    ]
    steps = [each for each in steps if each["people"] and _is_in_time(draft, int(str(each["afterMinutes"])))]
    if len(steps) > MAX_STEPS:
        draft.warnings.append(f"A profile has at most {MAX_STEPS} steps. Those after them are not imported.")
    if not plan.line(draft.name) or not steps:
        made.leave_out(draft.name, "No step of the escalation names people or schedules that are imported.")
        return False
    kept, repeat = steps[:MAX_STEPS], max(0, min(draft.repeat, MAX_ROUNDS))
    if draft.repeat > MAX_ROUNDS:
        draft.warnings.append(f"It is repeated {draft.repeat:,} times there, and at most {MAX_ROUNDS} times here.")
    named = {each for step in kept for each in _references(step)}
    made.add(
        Item(
            ItemKind.PROFILE,
            draft.reference,
            made.unique(draft.name),
            _text(kept, repeat),
            {"steps": kept, "repeat": repeat},
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


def _is_in_time(draft: EscalationDraft, minutes: int) -> bool:
    if 0 <= minutes <= LATEST_STEP:
        return True
    is_late = f"comes after {minutes:,} min, later than a week" if minutes > 0 else "has a delay that cannot be read"
    draft.warnings.append(f"A step {is_late}. It is not imported.")
    return False


def _references(step: dict[str, Any]) -> list[str]:
    return list(step["people"])


def _text(steps: Sequence[dict[str, Any]], repeat: int) -> str:
    after = ", ".join(f"{step['afterMinutes']} min" if step["afterMinutes"] else "at once" for step in steps)
    again = f" Repeated {repeat} times." if repeat else ""
    return f"{len(steps)} {'step' if len(steps) == 1 else 'steps'}: {after}.{again}"
