"""The report on each rule under test: its counts by clause, and its near misses.

Decision 0023.
"""

from __future__ import annotations

from typing import Any

from inbox.domain import ids
from inbox.domain.explanation import preview_text
from inbox.domain.ids import Prefix
from inbox.domain.matchers import Subject
from inbox.domain.preview.near_misses import MissGroup, NearMissReport
from inbox.domain.preview.rule_clauses import RuleClauses
from inbox.domain.rules import RuleSet
from inbox.flow.preview.event_summary import identity
from inbox.flow.preview.request import Question
from inbox.models.events import queue as event_queue
from inbox.models.events.preview_events import StoredEvent

MAX_RULES = 10
"""The limit of reported rules of a rule set. Each rule evaluates every event whose values are new."""


def tried_of(question: Question, before: RuleSet, after: RuleSet) -> list[NearMissReport[StoredEvent]]:
    """The reports for the rule under test, or for the first new or changed rules of a whole rule set.

    Disabled and invalid rules are left out.
    """
    sound = [rule for rule in after.rules if rule.error is None]
    if question.tried is not None:
        chosen = [rule for rule in sound if rule.id == question.tried]
    else:
        chosen = [rule for rule in sound if rule not in before.rules][:MAX_RULES]
    origins = event_queue.source_contexts({id for rule in chosen for id in rule.source_ids})
    names = {id: origin.source_name for id, origin in origins.items()}
    return [NearMissReport(rule, RuleClauses(rule, names)) for rule in chosen]


def record(misses: NearMissReport[StoredEvent]) -> dict[str, Any]:
    """Serialize the report of a rule in the format of the API."""
    rule = misses.rule
    return {
        "ruleId": ids.encode(Prefix.RULE, rule.id),
        "name": rule.name,
        "matched": misses.matched,
        "preempted": misses.preempted,
        "text": preview_text.of_evaluation(rule.name, misses.matched, misses.preempted),
        "clauses": [
            {"clause": text, "matched": counted.held, "soleFailure": counted.enough}
            for text, counted in zip(misses.rule_clauses.texts, misses.clauses, strict=True)
        ],
        "nearMisses": [_near(misses.rule_clauses, *near) for near in misses.nearest()],
    }


def _near(wants: RuleClauses, kind: MissGroup[StoredEvent], event: StoredEvent, subject: Subject) -> dict[str, Any]:
    return {
        **identity(event, subject),
        "failedClauses": kind.miss.missing,
        "events": kind.events,
        "clauses": wants.record(subject, event.received_at),
    }
