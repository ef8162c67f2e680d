"""Previews of rules on past events: the request, the inline result, and the start of a background run.

Specification 6.9.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from inbox.database.base import new_id
from inbox.domain.events import grouping, validation
from inbox.domain.routing import matchers
from inbox.domain.values.refusals import Conflict, Fault, TooCostly, ValidationFailed, collect_faults
from inbox.domain.values.severity import Severity
from inbox.flow.preview import PreviewRun, Question
from inbox.flow.preview.request import to_json
from inbox.flow.preview.single_event import run_single_event
from inbox.flow.unit_of_work import work
from inbox.models.events import preview_events
from inbox.models.events.preview_events import Period, StoredEvent
from inbox.models.routing import previews
from inbox.models.routing.previews import RESULT_TTL, RulePreview
from inbox.models.routing.rules import Rule
from inbox.models.senders.sources import Source
from inbox.runtime import work_budget
from inbox.runtime.queue import QueueName
from inbox.services.records import reference_checks
from inbox.services.routing import rules

AT_ONCE = 20_000
"""The maximum number of events that are evaluated within the request."""

INLINE_SECONDS = 10.0
"""A longer preview continues in the background. So does one that would use up the computing time of a request."""

MAX_ACTIVE = 2
"""The maximum number of waiting and running previews of a workspace."""


def start(workspace_id: UUID, fields: Mapping[str, Any], *, now: datetime) -> dict[str, Any] | RulePreview:
    """Return the result, or for many events the preview that will have it.

    Raises `ValidationFailed` with pointers, and `Conflict` when the workspace already has `MAX_ACTIVE` previews.
    """
    question = request_of(workspace_id, fields, now=now)
    if preview_events.count(question.period, AT_ONCE) > AT_ONCE:
        return _begin(question, now)
    preview, until_then = PreviewRun(question), time.monotonic() + INLINE_SECONDS
    try:
        for _ in preview.pages():
            if time.monotonic() > until_then or not work_budget.has_left():
                return _begin(question, now)
    except TooCostly:
        return _begin(question, now)
    return preview.result()


def run_single(workspace_id: UUID, fields: Mapping[str, Any], *, now: datetime) -> dict[str, Any]:
    """Preview the routing of one event, stored or not. Raises `ValidationFailed` with pointers."""
    event, question, whole = single_request_of(workspace_id, fields, now=now)
    return run_single_event(question, whole, event, is_stored="event_id" in fields)


def request_of(workspace_id: UUID, fields: Mapping[str, Any], *, now: datetime) -> Question:
    """Build the preview request. Raises `ValidationFailed` with pointers."""
    until = fields.get("until", now)
    source_ids = tuple(dict.fromkeys(fields.get("source_ids", ())))
    faults = reference_checks.sources(workspace_id, source_ids, "/sourceIds")
    if until <= fields["since"]:
        faults.append(Fault("/until", "Must be later than since."))
    with collect_faults(faults):
        question = _request(Period(workspace_id, fields["since"], until, source_ids), fields, now)[0]
    if faults:
        raise ValidationFailed(errors=faults)
    return question


def single_request_of(
    workspace_id: UUID, fields: Mapping[str, Any], *, now: datetime
) -> tuple[StoredEvent, Question, list[Rule]]:
    """Return the event, the preview request, and all rules as edited. Raises `ValidationFailed` with pointers."""
    faults: list[Fault] = []
    received_at = now
    with collect_faults(faults):
        event = _changed_fields(workspace_id, fields, now)
        received_at = event.received_at
    with collect_faults(faults):
        question, whole = _request(Period(workspace_id, received_at, received_at), fields, now)
    if faults:
        raise ValidationFailed(errors=faults)
    return event, question, whole


def check(workspace_id: UUID, fields: Mapping[str, Any]) -> None:
    """Check that references lead to this workspace, in addition to any other fault. Raises `ValidationFailed`."""
    faults = reference_checks.sources(workspace_id, fields.get("source_ids", ()), "/sourceIds")
    tried = [
        ("/rule", fields.get("rule", {})),
        *((f"/rules/{n}", one) for n, one in enumerate(fields.get("rules", ()))),
    ]
    for at, rule in tried:
        with collect_faults(faults):
            rules.check(workspace_id, rule, at)
    if faults:
        raise ValidationFailed(errors=faults)


def find(preview_id: UUID, now: datetime) -> RulePreview | None:
    """Return the preview, until it expires."""
    found: RulePreview | None = RulePreview.get_or_none(RulePreview.id == preview_id, RulePreview.expires_at > now)
    return found


def _begin(question: Question, now: datetime) -> RulePreview:
    workspace_id = question.period.workspace_id
    with work() as done:
        if previews.count_active(workspace_id) >= MAX_ACTIVE:
            raise Conflict(
                f"{MAX_ACTIVE} previews of the workspace are running: wait for one to finish, or cancel one."
            )
        preview = RulePreview.create(
            id=new_id(now),
            workspace_id=workspace_id,
            created_at=now,
            expires_at=now + RESULT_TTL,
            request=to_json(question),
        )
        done.wake(QueueName.PREVIEW)
    return preview


def _request(period: Period, fields: Mapping[str, Any], now: datetime) -> tuple[Question, list[Rule]]:
    """Build the request and all rules as edited, in their order."""
    own = period.workspace_id
    stored = list(work_budget.spending(rules.existing([own]).order_by(Rule.position, Rule.id)))
    after, tried = stored, None
    if "rule" in fields and "rules" in fields:
        raise ValidationFailed(errors=[Fault("/rules", "Cannot be combined with rule.")])
    if "rule" in fields:
        rule = _build(own, fields["rule"], stored, now, "/rule")
        after, tried = _positioned(rule, fields["rule"].get("position"), stored), rule.id
    if "rules" in fields:
        after = _build_all(own, fields["rules"], stored, now)
    costs = (matchers.stored_cost(rule.match) for rule in work_budget.spending(_enabled(after)))
    fault = matchers.total_fault(costs, rules.ENABLED_RULES)
    if fault:
        raise ValidationFailed(errors=[Fault("/rule/match" if "rule" in fields else "/rules", fault)])
    return Question(period, _enabled(stored), _enabled(after), tried), after


def _build_all(
    workspace_id: UUID, rule_fields: Sequence[Mapping[str, Any]], stored: Sequence[Rule], now: datetime
) -> list[Rule]:
    """Build all rules as edited. Raises `ValidationFailed` with all faults."""
    named = [each.get("id") for each in rule_fields]
    faults = [
        Fault(f"/rules/{n}/id", "Must be named once.")
        for n, id in enumerate(named)
        if id is not None and id in named[:n]
    ]
    drafted = []
    for n, each in enumerate(rule_fields):
        with collect_faults(faults):
            drafted.append(_build(workspace_id, each, stored, now, f"/rules/{n}"))
    if faults:
        raise ValidationFailed(errors=faults)
    return drafted


def _build(workspace_id: UUID, fields: Mapping[str, Any], stored: Sequence[Rule], now: datetime, at: str) -> Rule:
    """Build a stored rule with the given changes, or a new one. Nothing is saved."""
    base = None
    if "id" in fields:
        base = next((Rule(**rule.__data__) for rule in stored if rule.id == fields["id"]), None)
        if base is None:
            raise ValidationFailed(errors=[Fault(f"{at}/id", "No such rule in this workspace.")])
    return rules.build(
        workspace_id, {"name": "New rule", **fields} if base is None else fields, now=now, at=at, of=base
    )


def _positioned(rule: Rule, position: int | None, stored: Sequence[Rule]) -> list[Rule]:
    """Insert the rule at `position` (from 1), else at its present position, else at the end."""
    others = [each for each in stored if each.id != rule.id]
    present_index = next((place for place, each in enumerate(stored) if each.id == rule.id), len(others))
    place = present_index if position is None else position - 1
    return [*others[:place], rule, *others[place:]]


def _enabled(all_of_them: Sequence[Rule]) -> list[Rule]:
    return [rule for rule in all_of_them if rule.enabled]


def _changed_fields(workspace_id: UUID, fields: Mapping[str, Any], now: datetime) -> StoredEvent:
    if ("event_id" in fields) == ("event" in fields):
        raise ValidationFailed(errors=[Fault("/event", "Give either eventId or event.")])
    if "event" in fields:
        return _pasted(workspace_id, fields, now)
    if "source_id" in fields:
        raise ValidationFailed(errors=[Fault("/sourceId", "Cannot be combined with eventId.")])
    return _stored_event(workspace_id, fields["event_id"])


def _stored_event(workspace_id: UUID, event_id: UUID) -> StoredEvent:
    found = preview_events.find(workspace_id, event_id)
    if found is None:
        raise ValidationFailed(errors=[Fault("/eventId", "No such event in this workspace.")])
    return found


def _pasted(workspace_id: UUID, fields: Mapping[str, Any], now: datetime) -> StoredEvent:
    """Build the event as it would be stored now."""
    source = _sender(workspace_id, fields)
    faults = [] if source else [Fault("/sourceId", "Name the source of this workspace that would send the event.")]
    try:
        if "events" in fields["event"]:
            raise ValidationFailed(errors=[Fault("/events", "One event only.")])
        severity = Severity(source.default_severity) if source else Severity.INFO
        [event] = validation.accept(fields["event"], received_at=now, default_severity=severity)
    except ValidationFailed as fault:
        faults += [Fault("/event" + one.pointer, one.detail) for one in fault.errors]
    if source is None or faults:
        raise ValidationFailed(errors=faults)
    return StoredEvent(
        new_id(now), workspace_id, source.id, now, event.severity, event.action, event.title, event.type,
        event.resource, event.dedup_key, event.tags, grouping.fingerprint(source.id, event, source.group_by),
        event.body, event.url, event.external_id, event.metadata,
    )  # fmt: skip


def _sender(workspace_id: UUID, fields: Mapping[str, Any]) -> Source | None:
    """Return the named source, if it belongs to the workspace."""
    named = [fields["source_id"]] if "source_id" in fields else []
    if not named or reference_checks.sources(workspace_id, named, "/sourceId"):
        return None
    source: Source = Source.get_by_id(named[0])
    return source
