"""What the rules that an event meets say of it together (decision 8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeVar
from uuid import UUID

from inbox.domain import ids
from inbox.domain.ids import Prefix
from inbox.domain.matchers import Subject
from inbox.domain.rules.rule import OpenAfter, Rule
from inbox.domain.severity import Severity
from inbox.domain.target import Target

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True, eq=False)
class Verdict:
    """What the rules say of an event. `rule` decided `target`; both are `None` when no rule did.

    `matched` are all that had a say, in their order. Tags and destinations are those of all of them; of all else the
    last word counts. `open_after` is `rule`'s. `faulty` rules could not be asked.
    """

    rule: Rule | None = None
    matched: tuple[Rule, ...] = ()
    target: Target | None = None
    severity: Severity | None = None
    tags: tuple[str, ...] = ()
    group_by: tuple[str, ...] = ()
    destination_ids: tuple[UUID, ...] = ()
    routing_profile_id: UUID | None = None
    snooze: timedelta | None = None
    open_after: OpenAfter | None = None
    faulty: tuple[Rule, ...] = ()

    def trace(self, subject: Subject) -> list[dict[str, Any]]:
        """Each rule that had a say, in its order, with the clauses that held; and those that could not be asked.

        `[{"ruleId", "name", "decided", "clauses": [{"clause", "matched", "value"}]}, {"ruleId", "name", "fault"}]`.
        """
        return [
            {**_named(rule), "decided": rule is self.rule, "clauses": rule.trace(subject).record()}
            for rule in self.matched
        ] + [{**_named(rule), "fault": rule.fault} for rule in self.faulty]


def together(matched: Sequence[Rule], faulty: tuple[Rule, ...]) -> Verdict:
    """What these say together, in their order; `faulty` are those that could not be asked."""
    said = [rule.then for rule in matched]
    decided = _last([rule for rule in matched if rule.then.disposition is not None])
    return Verdict(
        rule=decided,
        matched=tuple(matched),
        target=decided.then.disposition if decided else None,
        severity=_last([then.severity for then in said if then.severity]),
        tags=tuple(dict.fromkeys(tag for then in said for tag in then.add_tags)),
        group_by=_last([then.group_by for then in said if then.group_by]) or (),
        destination_ids=tuple(dict.fromkeys(each for then in said for each in then.destination_ids)),
        routing_profile_id=_last([then.routing_profile_id for then in said if then.routing_profile_id]),
        snooze=_last([then.snooze for then in said if then.snooze]),
        open_after=decided.open_after if decided else None,
        faulty=faulty,
    )


def _last(found: Sequence[Item]) -> Item | None:
    return found[-1] if found else None


def _named(rule: Rule) -> dict[str, Any]:
    return {"ruleId": ids.recurring(Prefix.RULE, rule.id), "name": rule.name}
