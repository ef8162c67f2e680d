"""The summary of a preview: counts before and after, and a sample of events whose result differs.

Specification 6.9.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice, zip_longest
from typing import Any
from uuid import UUID

import orjson

from inbox.domain import explaining
from inbox.domain.events.subject import Subject
from inbox.domain.explaining import preview_text
from inbox.domain.routing import decision
from inbox.domain.routing.preview.clauses import clauses
from inbox.domain.routing.rules import Rule
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.domain.values.severity import Severity
from inbox.flow.preview.event_summary import identity
from inbox.flow.preview.recorder import Totals
from inbox.flow.preview.simulation import SimulatedEvent
from inbox.models.events.preview_events import StoredEvent

Kind = tuple[str, Severity, bool, str, str]
"""The source id (TypeID), the severity, whether a rule matched, and the dispositions before and after."""

SAMPLE = 20
"""The limit of events in the sample. Each kind of change gets about the same number."""


class Summary:
    """Counts the results of events by the rules after the change.

    `tried` is the id of the only rule under test; None for a whole rule set.
    """

    def __init__(self, rules: Sequence[Rule], tried: UUID | None) -> None:
        self._rules = rules
        self._tried_rule = next((rule for rule in rules if rule.id == tried), None)
        self._tried = tried
        self._counted: dict[Kind, int] = defaultdict(int)
        self._changed = 0
        self._samples: dict[tuple[str, str], list[dict[str, Any]]] = {}

    def count(self, event: StoredEvent, subject: Subject, before: SimulatedEvent, after: SimulatedEvent) -> None:
        """Counts one event with its results before and after."""
        matched = after.evaluated.decision.rules_result.matched
        is_matched = bool(matched) and (self._tried is None or self._tried_rule in matched)
        was, is_now = before.outcome.disposition, after.outcome.disposition
        self._counted[subject.source_id, event.severity, is_matched, was, is_now] += 1
        if before is not after and is_other(before, after):
            self._changed += 1
            samples = self._samples.setdefault((was, is_now), [])
            if len(samples) < SAMPLE:
                samples.append(self._sample(event, subject, before, after))

    def record(self, sources: Mapping[str, str], before: Totals, after: Totals) -> dict[str, Any]:
        """Serializes the summary in the format of the API; `sources` are the names by id."""
        both_totals, own = (before, after), self._of()
        notices = (before.notices, after.notices)
        return {
            **own,
            "changed": self._changed,
            "text": preview_text.of_preview(own["events"], own["matched"], self._changed, notices),
            "bySource": [
                {"sourceId": id, "sourceName": sources[id], **self._of(source_id=id)}
                for id in sorted(sources, key=lambda id: (sources[id], id))
            ],
            "bySeverity": [{"severity": str(each), **self._of(severity=each)} for each in reversed(Severity)],
            "byDisposition": {
                "before": _summed((was, n) for (*_, was, _), n in self._counted.items()),
                "after": _summed((is_now, n) for (*_, is_now), n in self._counted.items()),
            },
            "incidents": {"before": before.incidents, "after": after.incidents},
            "reopened": {"before": before.reopened, "after": after.reopened},
            "notices": {
                **_both(*(each.notices for each in both_totals)),
                "atNight": _both(*(each.at_night for each in both_totals)),
                "held": _both(*(each.held for each in both_totals)),
                "byReason": _both(*(_summed(each.reasons.items()) for each in both_totals)),
            },
            "deliveries": _both(*(each.deliveries for each in both_totals)),
            "pages": _both(*(each.pages for each in both_totals)),
            "sample": list(islice(_round_robin(self._samples), SAMPLE)),
        }

    def _of(self, source_id: str | None = None, severity: Severity | None = None) -> dict[str, int]:
        found = [
            (is_matched, n)
            for (source, level, is_matched, *_), n in self._counted.items()
            if source_id in (None, source) and severity in (None, level)
        ]
        return {"events": sum(n for _, n in found), "matched": sum(n for is_matched, n in found if is_matched)}

    def _sample(
        self, event: StoredEvent, subject: Subject, before: SimulatedEvent, after: SimulatedEvent
    ) -> dict[str, Any]:
        """Serializes a sample. `clauses` come from the rule under test, else from the deciding rule."""
        decided = after.evaluated.decision.rule_id
        rule = next((rule for rule in self._rules if rule.id == (self._tried or decided) and rule.error is None), None)
        return {
            **identity(event, subject),
            "before": outcome(before, subject),
            "after": outcome(after, subject),
            "ruleId": None if rule is None else ids.encode(Prefix.RULE, rule.id),
            "clauses": [] if rule is None else clauses(rule.match, subject),
        }


def is_other(before: SimulatedEvent, after: SimulatedEvent) -> bool:
    """Returns whether the results differ: in disposition, reason, severity, recipients, fingerprint or tags."""
    return (
        before.outcome.disposition != after.outcome.disposition
        or before.outcome.reason != after.outcome.reason
        or before.evaluated.decision.severity is not after.evaluated.decision.severity
        or before.evaluated.decision.notify_target != after.evaluated.decision.notify_target
        or before.evaluated.fingerprint != after.evaluated.fingerprint
        or before.evaluated.decision.rules_result.tags != after.evaluated.decision.rules_result.tags
    )


def outcome(simulated: SimulatedEvent, subject: Subject) -> dict[str, Any]:
    """Serializes the outcome in the format of an event's `routing`. No incident exists, so its id is None."""
    routing_record = orjson.loads(
        decision.record(simulated.evaluated.decision, simulated.outcome, simulated.evaluated.trace_text)
    )
    quiet = simulated.evaluated.routing.config.policies[
        simulated.evaluated.decision.notify_target.profile_id
    ].reoccur_quiet
    return {
        **routing_record,
        "incidentId": None,
        "severity": str(simulated.evaluated.decision.severity),
        "text": explaining.of_event(
            routing_record["disposition"],
            routing_record["act"],
            routing_record["reason"],
            int(quiet.total_seconds()) // 60,
        ),
        "reasons": explaining.reasons(routing_record),
    }


def _both(before: object, after: object) -> dict[str, Any]:
    return {"before": before, "after": after}


def _summed(counted: Iterable[tuple[str, int]]) -> dict[str, int]:
    found: Counter[str] = Counter()
    for name, n in counted:
        found[str(name)] += n
    return dict(sorted(found.items()))


def _round_robin(samples: Mapping[Any, list[dict[str, Any]]]) -> Iterator[dict[str, Any]]:
    """Yields one sample of each kind in turn."""
    return (each for each in chain.from_iterable(zip_longest(*samples.values())) if each is not None)
