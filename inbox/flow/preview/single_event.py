"""The preview of one event: the result of each rule, and the resulting incident and notices.

Specification 6.9.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from inbox.domain.deliveries.notices import Cause
from inbox.domain.deliveries.pages import Page
from inbox.domain.events.subject import Subject
from inbox.domain.explaining import preview_text
from inbox.domain.explaining.recipient_text import DestinationDecision, TextContext
from inbox.domain.routing.matchers import evaluation_cost
from inbox.domain.routing.matchers.index import CompiledMatch
from inbox.domain.routing.preview.clauses import clauses
from inbox.domain.routing.rules import Rule
from inbox.domain.values import ids, wallclock
from inbox.domain.values.ids import Prefix
from inbox.flow.notices.notice import EventNotice, IncidentNotice, RecipientDecision
from inbox.flow.notices.paging import paged_steps
from inbox.flow.oncall.pages import expected_pages
from inbox.flow.preview.configs import configs_of, recipients_of
from inbox.flow.preview.event_summary import identity
from inbox.flow.preview.recorder import Listener
from inbox.flow.preview.request import Question
from inbox.flow.preview.simulation import SimulatedEvent, Simulation
from inbox.flow.preview.summary import is_other, outcome
from inbox.flow.routing.evaluate import evaluate, subject_of
from inbox.flow.routing.routing_config import RoutingConfig
from inbox.models.events import queue as event_queue
from inbox.models.events.preview_events import StoredEvent
from inbox.models.routing.rules import Rule as StoredRule
from inbox.runtime import work_budget


class RuleResult(StrEnum):
    """The result of a rule for one event."""

    DECIDED = "decided"
    """The rule matches and decides the disposition."""

    MATCHED = "matched"
    """The rule matches and contributes. Another rule or the default route decides."""

    NO_MATCH = "no_match"
    """The rule does not match."""

    OTHER_SOURCE = "other_source"
    """The rule applies to other sources."""

    OUTSIDE_HOURS = "outside_hours"
    """The rule is not active at this time."""

    NOT_EVALUATED = "not_evaluated"
    """An earlier rule ended the evaluation."""

    DISABLED = "disabled"
    """The rule is disabled."""

    TOO_COSTLY = "too_costly"
    """The rule costs too much for this event, so that it is left out."""

    INVALID = "invalid"
    """The rule cannot be evaluated. The server log names the error."""


def run_single_event(
    question: Question, rules: Sequence[StoredRule], event: StoredEvent, *, is_stored: bool
) -> dict[str, Any]:
    """Returns the result for an event that is the first with its fingerprint, in the format of the API.

    `rules` are all rules of `after`, with the disabled ones.
    """
    [origin] = event_queue.source_contexts([event.source_id]).values()
    recipients, configs = recipients_of(event.workspace_id), configs_of(question)
    notices: list[list[dict[str, Any]]] = [[], []]
    simulated, subject = [], None
    for config, notice_texts in zip(configs, notices, strict=True):
        simulation = Simulation(
            event.workspace_id,
            config,
            recipients,
            event.received_at,
            listener=_into(notice_texts, event.received_at, config),
        )
        routing = config.source(origin)
        subject = subject_of(event, routing)
        simulated.append(simulation.process(evaluate(event, subject, routing)))
    assert subject is not None
    before, after = simulated
    return {
        "event": _event_summary(event, subject, is_stored=is_stored),
        "rules": _rule_results(rules, configs[1], after, subject, event.received_at),
        "changed": is_other(before, after),
        "before": outcome(before, subject),
        "after": outcome(after, subject),
        "notices": {"before": notices[0], "after": notices[1]},
    }


def _into(notice_texts: list[dict[str, Any]], at: datetime, config: RoutingConfig) -> Listener:
    """Returns a listener that appends each notice with its sentences. Times are in the time zone of the workspace."""

    def listen(notice: IncidentNotice | EventNotice) -> None:
        severity = str(notice.then.severity) if isinstance(notice, IncidentNotice) else ""
        context = TextContext(at, severity, wallclock.zone_of(config.timezone), notice.reason)
        decided = [destination_decision(each) for each in notice.recipients]
        pages = _pages(notice)
        people = [DestinationDecision(page.name, Cause(page.cause or Cause.NOTIFY)) for page in pages]
        destinations = [
            {**each.record(), "text": preview_text.of_destination(one, context)}
            for each, one in zip(notice.recipients, decided, strict=True)
        ]
        shown = {"reason": str(notice.reason), "text": preview_text.of_notice(notice.reason, people + decided, context)}
        records = [_person(page) for page in pages]
        notice_texts.append({**shown, "destinations": destinations, "people": records})

    return listen


def _person(page: Page) -> dict[str, Any]:
    shown = page.record()
    cause = shown.pop("cause")
    return {**shown, "decision": str(cause or Cause.NOTIFY)}


def _pages(notice: IncidentNotice | EventNotice) -> tuple[Page, ...]:
    """Returns whom the notice would page now."""
    steps = paged_steps(notice) if isinstance(notice, IncidentNotice) else ()
    targets = [target for step in steps for target in step.people]
    if not targets or not isinstance(notice, IncidentNotice):
        return ()
    return expected_pages(notice.workspace_id, targets, notice.then.severity, datetime.now(UTC))


def destination_decision(decided: RecipientDecision) -> DestinationDecision:
    """Returns the decision about a destination, for the sentences of a preview."""
    cause = Cause(decided.cause.partition(":")[0])
    return DestinationDecision(decided.recipient.name, cause, decided.until, min_severity=decided.min_severity)


def _event_summary(event: StoredEvent, subject: Subject, *, is_stored: bool) -> dict[str, Any]:
    shown = identity(event, subject)
    return shown if is_stored else {**shown, "eventId": None}


def _rule_results(
    rules: Sequence[StoredRule], config: RoutingConfig, simulated: SimulatedEvent, subject: Subject, at: datetime
) -> list[dict[str, Any]]:
    ready = {rule.id: rule for rule in config.rules.rules}
    verdict = simulated.evaluated.decision.rules_result
    last = next((rule.id for rule in verdict.matched if not rule.continues), None)
    shown, is_over = [], False
    for place, row in enumerate(rules, 1):
        work_budget.spend("Preview fewer or simpler rules, or a smaller event.")
        match = _compiled(row, ready.get(row.id))
        is_costly = ready.get(row.id) in verdict.left_out or (match is not None and _is_too_costly(match, subject))
        is_shown = match is not None and not is_costly
        part = _rule_result(ready.get(row.id), simulated, subject, at, is_over=is_over, is_costly=is_costly)
        shown.append(
            {
                "ruleId": ids.encode(Prefix.RULE, row.id),
                "name": row.name,
                "position": place,
                "result": str(part),
                "matched": match is not None and not is_costly and match.test(subject),
                "clauses": (found := clauses(row.match, subject) if is_shown else []),
                "text": preview_text.of_rule(row.name, part, found),
            }
        )
        is_over = is_over or row.id == last
    return shown


def _compiled(row: StoredRule, rule: Rule | None) -> CompiledMatch | None:
    """Compiles the match like routing; None if it is invalid. The size is not checked: an earlier version may have stored it.

    A disabled rule has no compiled `rule`.
    """
    if rule is not None:
        return rule.compiled
    try:
        return CompiledMatch.of_stored(row.match)
    except (LookupError, ValueError, TypeError):
        return None


def _is_too_costly(match: CompiledMatch, subject: Subject) -> bool:
    """Returns whether this match alone costs too much for the event.

    Disabled rules and rules of other sources are shown, too.
    """
    return match.cost.of(subject) > evaluation_cost.EVENT_BUDGET


def _rule_result(
    rule: Rule | None,
    simulated: SimulatedEvent,
    subject: Subject,
    at: datetime,
    *,
    is_over: bool,
    is_costly: bool,
) -> RuleResult:
    verdict = simulated.evaluated.decision.rules_result
    if rule is None:
        return RuleResult.DISABLED
    if rule.error is not None:
        return RuleResult.INVALID
    if is_over:
        return RuleResult.NOT_EVALUATED
    if rule in verdict.matched:
        return RuleResult.DECIDED if rule is verdict.rule else RuleResult.MATCHED
    if rule.source_ids and _source(simulated) not in rule.source_ids:
        return RuleResult.OTHER_SOURCE
    if is_costly:
        return RuleResult.TOO_COSTLY
    if not rule.matches(subject):
        return RuleResult.NO_MATCH
    assert rule.active_during is not None and not rule.active_during.covers(at)
    return RuleResult.OUTSIDE_HOURS


def _source(simulated: SimulatedEvent) -> UUID:
    return simulated.evaluated.event.source_id
