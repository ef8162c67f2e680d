"""The compiled rules and silences of a workspace. Unchanged ones are reused by the next revision."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar
from uuid import UUID

from inbox.domain.routing.rules import Rule, RuleSet
from inbox.domain.routing.silences import CompiledSilence
from inbox.models.routing import routing_config as stored
from inbox.models.routing.routing_config import Revision
from inbox.models.routing.rules import Rule as StoredRule
from inbox.models.routing.silences import Silence
from inbox.runtime import work_budget

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class CompiledRows:
    """Compiled rules and silences by the revision of their rows, in their order. `timezone` is the workspace's."""

    rules: Mapping[Revision, Rule]
    silences: Mapping[Revision, CompiledSilence]
    rule_set: RuleSet
    timezone: str


def of_rows(timezone: str, rules: Iterable[StoredRule], silences: Iterable[Silence]) -> CompiledRows:
    """Compiles these rows, which may be unsaved."""
    compiled_rules = {(row.id, row.rev): Rule.of(row, timezone) for row in work_budget.spending(rules)}
    compiled_silences = {(row.id, row.rev): CompiledSilence.of(row) for row in work_budget.spending(silences)}
    return CompiledRows(compiled_rules, compiled_silences, RuleSet(tuple(compiled_rules.values())), timezone)


def of_revisions(
    timezone: str, rules: Sequence[Revision], silences: Sequence[Revision], previous: CompiledRows | None
) -> CompiledRows:
    """Reuses the unchanged rows of the previous configuration, and loads and compiles all others.

    The compiled rules depend on the time zone. The rule set is reused as well if no rule changed.
    """
    compiled_rules = dict(previous.rules) if previous is not None and previous.timezone == timezone else {}
    for row in _giving_way(stored.load(StoredRule, _missing(rules, compiled_rules))):
        compiled_rules[row.id, row.rev] = Rule.of(row, timezone)
    compiled_silences = {} if previous is None else dict(previous.silences)
    for silence in _giving_way(stored.load(Silence, _missing(silences, compiled_silences))):
        compiled_silences[silence.id, silence.rev] = CompiledSilence.of(silence)
    rules_in_order = _in_order(rules, compiled_rules)
    in_order = tuple(rules_in_order.values())
    is_unchanged = previous is not None and in_order == previous.rule_set.rules
    rule_set = previous.rule_set if previous is not None and is_unchanged else RuleSet(in_order)
    return CompiledRows(rules_in_order, _in_order(silences, compiled_silences), rule_set, timezone)


def _missing(revisions: Sequence[Revision], compiled: Mapping[Revision, object]) -> list[UUID]:
    return [id for id, rev in revisions if (id, rev) not in compiled]


def _in_order(revisions: Sequence[Revision], compiled: Mapping[Revision, Row]) -> dict[Revision, Row]:
    """Returns the rows of these revisions as last loaded: a row may have changed after its revision was read."""
    latest = {revision[0]: revision for revision in compiled}
    return {latest[id]: compiled[latest[id]] for id, _ in revisions if id in latest}


def _giving_way(rows: Iterable[Row]) -> Iterator[Row]:
    """Yields the rows, and lets other requests of a web process run.

    The time is not charged to the request that loads a configuration first, because later requests use the result. If
    that request were refused, the next one would start over and be refused as well.
    """
    began = time.thread_time()
    for row in rows:
        yield row
        if time.thread_time() - began > work_budget.STEP_SECONDS:
            work_budget.rest()
            time.sleep(0)
            began = time.thread_time()
