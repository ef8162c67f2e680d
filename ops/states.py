"""Prints `docs/states.md` from the table of transitions: `python -m ops.states [--write]`."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from enum import StrEnum
from itertools import pairwise
from pathlib import Path
from types import ModuleType

from inbox.domain.incidents import alerts, state_machine
from inbox.domain.incidents.alerts import AlertState
from inbox.domain.incidents.state_machine import (
    INITIAL_TRANSITIONS,
    TRANSITIONS,
    Act,
    NoChange,
    NoticeCondition,
    Reason,
    State,
    Transition,
    lookup,
)

PAGE = Path(__file__).resolve().parent.parent / "docs" / "states.md"

INTRODUCTION = """\
# The states of an incident

Printed from `inbox/domain/incidents/state_machine.py` by `python -m ops.states --write`; do not edit. It belongs to specification 3.
"""

AFTERWORD = """\
An act whose state is already reached changes nothing and answers 200. An act that a state does not allow answers 409
`invalid_transition`. A late timer or silence changes nothing. Specification 3 has the rules beyond the table.
"""


def page() -> str:
    """Returns the whole page."""
    return "\n".join(
        [
            INTRODUCTION,
            "## States\n",
            *_words(State),
            "\n## Acts\n",
            *_words(Act),
            "\n## Transitions\n",
            *_transitions(),
            "\n## Every act in every state\n",
            *_matrix(),
            "",
            AFTERWORD,
            "## Alerts\n",
            *_words(AlertState, alerts),
            "",
            "## Reasons of notices\n",
            *_words(Reason),
            "",
        ]
    )


def _words(kind: type[StrEnum], module: ModuleType = state_machine) -> Iterator[str]:
    meanings = _meanings(kind.__name__, module)
    yield "| Word | Meaning |"
    yield "|---|---|"
    for member in kind:
        yield f"| `{member.value}` | {meanings[member.name]} |"


def _meanings(class_name: str, module: ModuleType = state_machine) -> dict[str, str]:
    """Returns the sentence under each member, which Python itself discards."""
    tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
    body = next(node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == class_name)
    found = {}
    for member, sentence in pairwise(body):
        match member, sentence:
            case ast.Assign(targets=[ast.Name(id=name)]), ast.Expr(value=ast.Constant(value=str(text))):
                found[name] = " ".join(text.split())
    return found


def _transitions() -> Iterator[str]:
    yield "| From | Act | To | Notice |"
    yield "|---|---|---|---|"
    for act, transition in INITIAL_TRANSITIONS.items():
        yield f"| none | `{act}` | {_to(None, act, transition)} | {_notice(transition)} |"
    together: dict[tuple[Act, str, str], list[str]] = {}
    for (state, act), transition in TRANSITIONS.items():
        together.setdefault((act, _to(state, act, transition), _notice(transition)), []).append(f"`{state}`")
    for (act, to, notice), origins in together.items():
        yield f"| {' '.join(origins)} | `{act}` | {to} | {notice} |"


def _to(state: State | None, act: Act, transition: Transition) -> str:
    if transition.to is None:
        return "the state before" if act is Act.SILENCE_ENDS else "none"
    return "unchanged" if transition.to is state else f"`{transition.to}`"


def _notice(transition: Transition) -> str:
    notice = "none" if transition.notice is None else f"`{transition.notice}`"
    return notice if transition.condition is NoticeCondition.ALWAYS else f"{notice} {transition.condition}"


def _matrix() -> Iterator[str]:
    yield "| Act | " + " | ".join(f"`{state}`" for state in State) + " |"
    yield "|---|" + "---|" * len(State)
    for act in Act:
        yield f"| `{act}` | " + " | ".join(_cell(state, act) for state in State) + " |"


def _cell(state: State, act: Act) -> str:
    match lookup(state, act):
        case Transition(to=to):
            return str(to or "the state before")
        case NoChange():
            return "(already)"
        case _:
            return ""


if __name__ == "__main__":
    if "--write" in sys.argv[1:]:
        PAGE.write_text(page(), encoding="utf-8")
    else:
        sys.stdout.write(page())
