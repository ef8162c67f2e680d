"""The report on each rule under test: its counts by clause, and its near misses.

Decision 0029.
"""

from __future__ import annotations

from typing import Any

from inbox.domain.explaining import preview_text
from inbox.domain.routing.preview.near_misses import NearMiss, RuleReport
from inbox.domain.routing.rules import RuleSet
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.flow.preview.event_summary import identity
from inbox.flow.preview.request import Question
from inbox.models.events import queue as event_queue
from inbox.models.events.preview_events import StoredEvent

MAX_RULES = 10
"""The limit of reported rules of a rule set. Each rule evaluates every event whose values are new."""


def tried_of(question: Question, before: RuleSet, after: RuleSet) -> list[RuleReport[StoredEvent]]:
    """Returns the reports for the rule under test, or for the first changed rules of a rule set.

    Disabled and invalid rules are left out.
    """
    sound = [rule for rule in after.rules if rule.error is None]
    if question.tried is not None:
        chosen = [rule for rule in sound if rule.id == question.tried]
    else:
        chosen = [rule for rule in sound if rule not in before.rules][:MAX_RULES]
    origins = event_queue.source_contexts({id for rule in chosen for id in rule.source_ids})
    names = {id: origin.source_name for id, origin in origins.items()}
    return [RuleReport(rule, names) for rule in chosen]


def record(report: RuleReport[StoredEvent]) -> dict[str, Any]:
    """Serializes the report of a rule in the format of the API."""
    rule = report.rule
    return {
        "ruleId": ids.encode(Prefix.RULE, rule.id),
        "name": rule.name,
        "matched": report.matched,
        "preempted": report.preempted,
        "text": preview_text.of_evaluation(rule.name, report.matched, report.preempted),
        "clauses": [
            {"clause": text, "matched": counters.satisfied, "soleFailure": counters.sole_failure}
            for text, counters in zip(report.texts, report.counters, strict=True)
        ],
        "nearMisses": [_near_miss(report, miss, events) for miss, events in report.nearest()],
    }


def _near_miss(report: RuleReport[StoredEvent], miss: NearMiss[StoredEvent], events: int) -> dict[str, Any]:
    return {
        **identity(miss.event, miss.subject),
        "failedClauses": miss.unmet.missing,
        "events": events,
        "clauses": report.record(miss.subject, miss.event.received_at),
    }
