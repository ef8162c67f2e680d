"""The verdict: the merged actions of the rules that match an event (specification 6.2)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache
from typing import TypeVar
from uuid import UUID

from inbox.domain.incidents.alerts import ResolveWhen
from inbox.domain.routing.matchers import MatchSubject
from inbox.domain.routing.people import PageTarget
from inbox.domain.routing.rule_action import RuleAction
from inbox.domain.routing.rules.rule import OpenAfter, Rule
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.domain.values.severity import Severity

RECORD_LIMIT = 16 * 1024
"""The number of characters of a record after which further rules are omitted. The record of one rule has as many."""

TOO_COSTLY = (
    "it costs too much for this event. Compare fewer values with body, tags and metadata, or use simpler patterns"
)
"""The cause of leaving out a rule."""

MAX_FAILED = 10
"""The number of recorded rules that could not be evaluated, and of recorded rules that were left out."""

MAX_PREFIXES = 1_000
"""The limit of cached beginnings of records."""

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True, eq=False)
class Verdict:
    """The merged result of the rules for an event. `rule` decided `target`; both are `None` if no rule decided.

    `matched` are all contributing rules in their order. Tags, destinations and people are collected from all of them. For all
    other actions the last rule that sets them counts. `open_after` is `rule`'s. `invalid` rules could not be evaluated.
    `left_out` rules cost too much for the event (decision 0010).
    """

    rule: Rule | None = None
    matched: tuple[Rule, ...] = ()
    target: RuleAction | None = None
    severity: Severity | None = None
    tags: tuple[str, ...] = ()
    group_by: tuple[str, ...] = ()
    resolve_when: ResolveWhen = ResolveWhen.ALL
    """The value of the rule whose `group_by` counts."""
    destination_ids: tuple[UUID, ...] = ()
    people: tuple[PageTarget, ...] = ()
    routing_profile_id: UUID | None = None
    snooze: timedelta | None = None
    open_after: OpenAfter | None = None
    invalid: tuple[Rule, ...] = ()
    left_out: tuple[Rule, ...] = ()

    record_prefixes: tuple[str, ...] = ()
    """The start of the record of each matched rule."""
    invalid_records: str = ""
    """The records of the rules that could not be evaluated or were left out."""

    def record(self, subject: MatchSubject) -> str:
        """Returns each matched rule, in order, with the satisfied clauses; then the rules that could not be evaluated.

        As JSON text: `[{"ruleId", "name", "decided", "clauses": [{"clause", "matched", "value"}]}, {"ruleId", "name",
        "error"}]`. Empty if there is neither. Rules beyond `RECORD_LIMIT` are omitted, except the deciding one.
        """
        if not self.matched and not self.invalid_records:
            return ""
        records, length = list[str](), 0
        for head, rule in zip(self.record_prefixes, self.matched, strict=True):
            if length < RECORD_LIMIT or rule is self.rule:
                records.append(head + rule.record(subject) + "}")
                length += len(records[-1])
        return "[" + ",".join([*records, self.invalid_records] if self.invalid_records else records) + "]"


def merge(matched: Sequence[Rule], invalid: tuple[Rule, ...] = (), left_out: tuple[Rule, ...] = ()) -> Verdict:
    """Merges the matched rules in their order.

    `invalid` are the rules that could not be evaluated, and `left_out` the rules that cost too much for the event.
    """
    actions = [rule.actions for rule in matched]
    grouping = _last([then for then in actions if then.group_by])
    deciding = _last([rule for rule in matched if rule.actions.disposition is not None])
    return Verdict(
        rule=deciding,
        matched=tuple(matched),
        target=deciding.actions.disposition if deciding else None,
        severity=_last([then.severity for then in actions if then.severity]),
        tags=tuple(dict.fromkeys(tag for then in actions for tag in then.add_tags)),
        group_by=() if grouping is None else grouping.group_by,
        resolve_when=ResolveWhen.ALL if grouping is None else grouping.resolve_when,
        destination_ids=tuple(dict.fromkeys(each for then in actions for each in then.destination_ids)),
        people=tuple(dict.fromkeys(each for then in actions for each in then.people)),
        routing_profile_id=_last([then.routing_profile_id for then in actions if then.routing_profile_id]),
        snooze=_last([then.snooze for then in actions if then.snooze]),
        open_after=deciding.open_after if deciding else None,
        invalid=invalid,
        left_out=left_out,
        record_prefixes=tuple(_matched_prefix(rule, decided=rule is deciding) for rule in matched),
        invalid_records=_failed_records(invalid, left_out),
    )


def _failed_records(invalid: Sequence[Rule], left_out: Sequence[Rule]) -> str:
    """Returns the records of the first rules that could not be evaluated, and of the first that were left out."""
    failed = [(rule, rule.error) for rule in invalid[:MAX_FAILED]]
    failed += [(rule, TOO_COSTLY) for rule in left_out[:MAX_FAILED]]
    return ",".join(_record_prefix(rule, "error", error) + "}" for rule, error in failed)


@lru_cache(MAX_PREFIXES)
def _matched_prefix(rule: Rule, *, decided: bool) -> str:
    """Returns the start of the record of a matched rule. Verdicts share it, because a rule contributes to many of them."""
    return _record_prefix(rule, "decided", decided) + ',"clauses":'


def _last(found: Sequence[Item]) -> Item | None:
    return found[-1] if found else None


def _record_prefix(rule: Rule, name: str, value: object) -> str:
    """Returns a JSON object with the rule's id, name and one further member, without its closing brace."""
    return json.dumps({"ruleId": ids.encode(Prefix.RULE, rule.id), "name": rule.name, name: value}, ensure_ascii=False)[
        :-1
    ]
