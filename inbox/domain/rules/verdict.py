"""The verdict: the merged actions of the rules that match an event (specification 6.2)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeVar
from uuid import UUID

from inbox.domain import ids
from inbox.domain.ids import Prefix
from inbox.domain.matchers import MatchSubject
from inbox.domain.rule_action import RuleAction
from inbox.domain.rules.rule import OpenAfter, Rule
from inbox.domain.severity import Severity

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True, eq=False)
class Verdict:
    """The merged result of the rules for an event. `rule` decided `target`; both are `None` if no rule decided.

    `matched` are all contributing rules in their order. Tags and destinations are those of all of them. For all other
    actions the last rule that sets them counts. `open_after` is `rule`'s. `invalid` rules could not be evaluated.
    """

    rule: Rule | None = None
    matched: tuple[Rule, ...] = ()
    target: RuleAction | None = None
    severity: Severity | None = None
    tags: tuple[str, ...] = ()
    group_by: tuple[str, ...] = ()
    destination_ids: tuple[UUID, ...] = ()
    routing_profile_id: UUID | None = None
    snooze: timedelta | None = None
    open_after: OpenAfter | None = None
    invalid: tuple[Rule, ...] = ()

    record_prefixes: tuple[str, ...] = ()
    """The start of the record of each matched rule."""
    invalid_records: str = ""
    """The records of the rules that could not be evaluated."""

    def record(self, subject: MatchSubject) -> str:
        """Each matched rule, in order, with the satisfied clauses; then the rules that could not be evaluated.

        As JSON text: `[{"ruleId", "name", "decided", "clauses": [{"clause", "matched", "value"}]}, {"ruleId", "name",
        "error"}]`. Empty if there is neither.
        """
        if not self.matched and not self.invalid_records:
            return ""
        records = [
            head + rule.record(subject) + "}" for head, rule in zip(self.record_prefixes, self.matched, strict=True)
        ]
        return "[" + ",".join([*records, self.invalid_records] if self.invalid_records else records) + "]"


def merge(matched: Sequence[Rule], invalid: tuple[Rule, ...]) -> Verdict:
    """Merge the matched rules in their order; `invalid` are the rules that could not be evaluated."""
    actions = [rule.actions for rule in matched]
    deciding = _last([rule for rule in matched if rule.actions.disposition is not None])
    return Verdict(
        rule=deciding,
        matched=tuple(matched),
        target=deciding.actions.disposition if deciding else None,
        severity=_last([then.severity for then in actions if then.severity]),
        tags=tuple(dict.fromkeys(tag for then in actions for tag in then.add_tags)),
        group_by=_last([then.group_by for then in actions if then.group_by]) or (),
        destination_ids=tuple(dict.fromkeys(each for then in actions for each in then.destination_ids)),
        routing_profile_id=_last([then.routing_profile_id for then in actions if then.routing_profile_id]),
        snooze=_last([then.snooze for then in actions if then.snooze]),
        open_after=deciding.open_after if deciding else None,
        invalid=invalid,
        record_prefixes=tuple(_record_prefix(rule, "decided", rule is deciding) + ',"clauses":' for rule in matched),
        invalid_records=",".join(_record_prefix(rule, "error", rule.error) + "}" for rule in invalid),
    )


def _last(found: Sequence[Item]) -> Item | None:
    return found[-1] if found else None


def _record_prefix(rule: Rule, name: str, value: object) -> str:
    """The start of a JSON object with the rule's id and name and one further member, without its closing brace."""
    return json.dumps({"ruleId": ids.encode(Prefix.RULE, rule.id), "name": rule.name, name: value}, ensure_ascii=False)[
        :-1
    ]
