"""The request of a preview, and its stored JSON (specification 6.9)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from inbox.domain.values.times import parse, rfc3339
from inbox.models.events.preview_events import Period
from inbox.models.routing.rules import Rule

_RULE = {
    **{name: name for name in ("name", "match", "active_during", "open_after")},
    "outcome": "actions",
    "goes_on": "continue_matching",
}
"""The members of a stored rule and their columns. The member names are fixed, because all versions read them."""


@dataclass(frozen=True, slots=True)
class Question:
    """The events of a preview, and the enabled rules in their order, `before` and `after` the change.

    `tried` is the id of the only rule under test; None for a whole rule set.
    """

    period: Period
    before: Sequence[Rule]
    after: Sequence[Rule]
    tried: UUID | None = None


def to_json(question: Question) -> dict[str, Any]:
    """Serializes a request with the present rules. Later changes of the rules do not affect the preview."""
    period = question.period
    return {
        "since": rfc3339(period.since),
        "until": rfc3339(period.until),
        "sourceIds": [str(id) for id in period.source_ids],
        "before": [rule_to_json(rule) for rule in question.before],
        "after": [rule_to_json(rule) for rule in question.after],
        "tried": None if question.tried is None else str(question.tried),
    }


def read(workspace_id: UUID, document: Mapping[str, Any]) -> Question:
    """Reads a request of a workspace from the JSON of `to_json`."""
    since, until = parse(document["since"]), parse(document["until"])
    assert since is not None and until is not None
    return Question(
        Period(workspace_id, since, until, tuple(UUID(id) for id in document["sourceIds"])),
        [_rule(row) for row in document["before"]],
        [_rule(row) for row in document["after"]],
        UUID(document["tried"]) if document["tried"] else None,
    )


def rule_to_json(rule: Rule) -> dict[str, Any]:
    """Serializes all members of a rule that affect its result."""
    members = {member: getattr(rule, column) for member, column in _RULE.items()}
    return {**members, "id": str(rule.id), "source_ids": [str(id) for id in rule.source_ids]}


def _rule(row: Mapping[str, Any]) -> Rule:
    fields = {_RULE.get(member, member): value for member, value in row.items()}
    return Rule(**{**fields, "id": UUID(row["id"]), "source_ids": [UUID(id) for id in row["source_ids"]]})
