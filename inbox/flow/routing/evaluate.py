"""Evaluates rules, profile and default route for an event, without incidents and without the database."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple, Protocol
from uuid import UUID

from inbox.domain import grouping
from inbox.domain.routing import RoutingDecision
from inbox.domain.rule_action import INCIDENT
from inbox.domain.rules import OpenAfter, Verdict
from inbox.domain.severity import Severity
from inbox.domain.subject import Subject
from inbox.flow.routing.routing_config import NO_RULES, SourceRouting


class Event(grouping.Groupable, Protocol):
    """An event as it is stored."""

    @property
    def id(self) -> UUID: ...
    @property
    def workspace_id(self) -> UUID: ...
    @property
    def source_id(self) -> UUID: ...
    @property
    def received_at(self) -> datetime: ...
    @property
    def severity(self) -> Severity: ...
    @property
    def action(self) -> str: ...
    @property
    def tags(self) -> list[str]: ...
    @property
    def fingerprint(self) -> str: ...
    @property
    def body(self) -> str | None: ...
    @property
    def external_id(self) -> str | None: ...


class EvaluatedEvent(NamedTuple):
    """An event with its decision, before it is applied. `fingerprint` is the one it is grouped by.

    `rules_record` is the record of the rules' results, where routing needs it.
    """

    event: Event
    subject: Subject | None
    routing: SourceRouting
    decision: RoutingDecision
    fingerprint: str
    rules_record: str | None = None

    @property
    def trace_text(self) -> str:
        """The record of the rules' results (`Verdict.record`); empty without a result."""
        if self.rules_record is None:
            return "" if self.subject is None else self.decision.rules_result.record(self.subject)
        return self.rules_record

    @property
    def threshold(self) -> OpenAfter | None:
        """The threshold of the deciding rule before an incident opens."""
        opens = self.decision.target is INCIDENT and not self.decision.recovers
        return self.decision.rules_result.open_after if opens else None


def subject_of(event: Event, source: SourceRouting) -> Subject:
    """The event as rules and silences match it."""
    return Subject(
        severity=event.severity,
        action=event.action,
        title=event.title,
        type=event.type,
        resource=event.resource,
        dedup_key=event.dedup_key,
        tags=event.tags,
        source_id=source.source_id,
        source_name=source.source_name,
        body=event.body,
        url=event.url,
        external_id=event.external_id,
        metadata=event.metadata,
    )


def evaluate(
    event: Event, subject: Subject | None, routing: SourceRouting, result: Verdict | None = None
) -> EvaluatedEvent:
    """Evaluate rules, profile and default route for the event.

    `subject` is given where the source `has_matchers`; `result` where the result of the rules is already computed.
    """
    rules_record = None
    if subject is None:
        result = NO_RULES
    elif result is None:
        result, rules_record = routing.verdict(subject, event.received_at)
    decision = routing.config.decide(*routing.terms, result, event.severity, event.action, bool(event.dedup_key))
    grouped = (
        grouping.rule_fingerprint(event.source_id, subject, result.group_by) if subject and result.group_by else None
    )
    return EvaluatedEvent(event, subject, routing, decision, grouped or event.fingerprint, rules_record)
