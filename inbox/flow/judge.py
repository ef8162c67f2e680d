"""One event's way: whether it is held back or silenced, and what it does to the incident that it meets.

No database: routing and the preview call the same, each with its `World` and its `Book`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from inbox.domain.event_transition import (
    OPENED,
    Disposition,
    EventEffect,
    EventTransition,
    ReopenPolicy,
    on_event,
    reopens,
)
from inbox.domain.explanation import formatting
from inbox.domain.incident import Actor
from inbox.domain.routing import RoutingOutcome
from inbox.domain.rule_action import INCIDENT, RuleAction
from inbox.domain.severity import worse
from inbox.domain.silences import CompiledSilence, active_silence, views
from inbox.domain.state_machine import RESOLVED, SILENCED, TRIGGER, Act, Reason
from inbox.domain.subject import Subject
from inbox.domain.suppression import silenced_cause
from inbox.flow.book import Book
from inbox.flow.coverage import hush
from inbox.flow.hearing import Case
from inbox.flow.notify import News
from inbox.flow.world import World
from inbox.models.incidents.lock import IncidentRow
from inbox.models.open_after import DeferredEvent


def judge(case: Case, world: World, book: Book) -> RoutingOutcome:
    """What comes of the event in this world; what it changes is in the world and in the book afterwards."""
    event, decision = case.event, case.decision
    if decision.rules_result.matched:
        world.match(event.workspace_id, decision.rules_result, event.received_at)
    if not decision.recovers:
        return _trigger(case, world, book) if decision.target is INCIDENT else _aside(case, world, book)
    fingerprints = dict.fromkeys((case.fingerprint, event.fingerprint))
    emptied = world.recover(event.workspace_id, fingerprints)
    fate = _recover(case, fingerprints, world, book)
    if fate is None:
        fate = _UNMATCHED if decision.target is INCIDENT else _aside(case, world, book)
    return fate._replace(sentences=(*fate.sentences, EMPTIED.format(emptied))) if emptied else fate


EMPTIED = "the recovery resets the count of rules that wait for more events ({} counted so far)"


def _aside(case: Case, world: World, book: Book) -> RoutingOutcome:
    """It meets no incident."""
    target = case.decision.target
    return _inform(case, world, book) if target is RuleAction.NOTIFY else _SET_ASIDE[target]


_SET_ASIDE: Mapping[RuleAction, RoutingOutcome] = {
    RuleAction.LOG: RoutingOutcome(Disposition.LOGGED),
    RuleAction.DROP: RoutingOutcome(Disposition.DROPPED),
}
_UNMATCHED = RoutingOutcome(Disposition.UNMATCHED, None, Act.RECOVER)


def _recover(case: Case, fingerprints: Iterable[str], world: World, book: Book) -> RoutingOutcome | None:
    """A recovery ends all that it names, whatever rules say; it is counted to the first."""
    event = case.event
    found = world.unresolved(event.source_id, fingerprints, event.dedup_key)
    fates = []
    for place, incident in enumerate(found):
        by = _sender(case, book)
        occurrence = EventEffect(event.severity, event.received_at, recovers=True, by=by, counts=0 if place else 1)
        outcome = on_event(incident.state_values, occurrence, book.now, ReopenPolicy())
        _move(incident, case, outcome, book)
        fates.append(RoutingOutcome(outcome.disposition, incident.id, outcome.act, outcome.reason))
    return fates[0] if fates else None


def _inform(case: Case, world: World, book: Book) -> RoutingOutcome:
    """An event is told by itself; one that a silence covers is written down as kept from everybody."""
    silence = _silencer(case, book.now, None)
    if silence is not None:
        world.hushed[silence.id] += 1
    book.inform(_news(case, None if silence is None else silence.id))
    words = () if silence is None else ("a silence covers the event: no notification",)
    return RoutingOutcome(Disposition.NOTIFIED, None, Act.NOTIFY, Reason.INFORMATIONAL, words)


def _news(case: Case, silence: UUID | None) -> News:
    event, decision = case.event, case.decision
    return News(
        event_id=event.id,
        source_id=event.source_id,
        title=event.title,
        severity=decision.severity,
        resource=event.resource,
        at=event.received_at,
        routing_profile_id=decision.notify_target.profile_id,
        destination_ids=decision.notify_target.destination_ids,
        withheld=None if silence is None else silenced_cause(silence),
    )


def _trigger(case: Case, world: World, book: Book) -> RoutingOutcome:
    incident = world.newest(case.event.source_id, case.fingerprint)
    if incident is None or incident.state_values.state is RESOLVED:
        return _open(case, incident, world, book)
    if incident.state_values.state is not SILENCED:
        silence = _silencer(case, book.now, incident)
        if silence is not None:
            hush(incident, silence.id, book, silence.name)
    occurrence = EventEffect(case.decision.severity, case.event.received_at)
    return _moved(incident, case, on_event(incident.state_values, occurrence, book.now, _policy(case)), world, book)


def _open(case: Case, before: IncidentRow | None, world: World, book: Book) -> RoutingOutcome:
    """The event opens an incident, anew or again, unless the rule that decided waits for more like it."""
    event, decision = case.event, case.decision
    held: Sequence[DeferredEvent] = ()
    words: tuple[str, ...] = ()
    wanted = case.waits
    if wanted is not None and decision.rule_id is not None:
        this = DeferredEvent(event.received_at, event.id)
        held = world.wait(event.workspace_id, decision.rule_id, case.fingerprint, wanted, this)
        said = f"event {len(held)} of {wanted.count} within {formatting.length(wanted.within)}"
        if len(held) < wanted.count:
            name = "" if decision.rules_result.rule is None else f' "{decision.rules_result.rule.name}"'
            yet = f"{said}. No incident yet: rule{name} opens one at the {formatting.ordinal(wanted.count)}"
            return RoutingOutcome(Disposition.WAITING, sentences=(yet,))
        words = (said,)
    since = held[0].at if held else None
    occurrence = EventEffect(decision.severity, event.received_at, since=since, counts=max(1, len(held)))
    again = before if before is not None and reopens(before.state_values, occurrence, _policy(case)) else None
    if again is not None:
        _tag(again, decision.rules_result.tags)
    silence = _silencer(case, book.now, again)
    outcome = on_event(
        before.state_values if before else None,
        occurrence,
        book.now,
        _policy(case),
        silenced_by=None if silence is None else silence.id,
        snooze=decision.rules_result.snooze,
    )
    incident = _new(case, outcome, before, book) if outcome.is_new or before is None else before
    if incident is not before:
        world.know(incident)
    world.join(held[:-1], incident)
    incident.rule_id, incident.routing_profile_id = decision.rule_id, decision.notify_target.profile_id
    incident.destination_ids = list(decision.notify_target.destination_ids)
    return _moved(incident, case, outcome, world, book, words)


def _policy(case: Case) -> ReopenPolicy:
    return case.court.policies[case.decision.notify_target.profile_id]


def _moved(
    incident: IncidentRow, case: Case, outcome: EventTransition, world: World, book: Book, words: tuple[str, ...] = ()
) -> RoutingOutcome:
    _move(incident, case, outcome, book)
    if incident.state_values.silenced_by is not None:
        world.hushed[incident.state_values.silenced_by] += 1
    return RoutingOutcome(outcome.disposition, incident.id, outcome.act, outcome.reason, words)


def _tag(incident: IncidentRow, tags: Sequence[str]) -> None:
    """What opens again gets the tags that rules give, as what opens does."""
    if not set(tags) <= set(incident.tags):
        incident.tags, incident.is_renamed = list(dict.fromkeys((*incident.tags, *tags))), True


def _silencer(case: Case, now: datetime, incident: IncidentRow | None) -> CompiledSilence | None:
    """The silence that takes what the event meets, as that is with the event counted; None stands for a new incident.

    Now and not when the event was received: what a silence takes it must still be there to let go.
    """
    hushes = case.court.book.hushes
    if not hushes or case.subject is None:
        return None
    seen: tuple[Subject, ...]
    subject, severity = case.subject._replace(severity=case.decision.severity), case.decision.severity
    if incident is None:
        seen = (subject._replace(tags=_tags(case)),)
    else:
        is_over = incident.state_values.state is RESOLVED
        seen = views(incident, severity if is_over else worse(incident.state_values.severity, severity), subject)
    return active_silence(hushes, seen, case.event.source_id, now)


def _tags(case: Case) -> list[str]:
    return list(dict.fromkeys((*case.event.tags, *case.decision.rules_result.tags)))


def _new(case: Case, outcome: EventTransition, before: IncidentRow | None, book: Book) -> IncidentRow:
    assert outcome.incident is not None
    event = case.event
    return IncidentRow(
        id=book.make_id(),
        workspace_id=event.workspace_id,
        source_id=event.source_id,
        fingerprint=case.fingerprint,
        title=event.title,
        state_values=outcome.incident,
        resource=event.resource,
        type=event.type,
        tags=_tags(case) if case.decision.rules_result.tags else event.tags,
        dedup_key=event.dedup_key,
        related_incident_id=before.id if before is not None and outcome.follows else None,
        is_new=True,
    )


def _move(incident: IncidentRow, case: Case, outcome: EventTransition, book: Book) -> None:
    assert outcome.incident is not None
    event, kind = case.event, _kind(outcome)
    if kind is None:
        book.counted(incident, outcome.incident)
        return
    if book.keeps_timelines:
        book.enter(incident, kind, _sender(case, book), _details(incident, case, outcome), event_id=event.id)
    book.moved(incident, outcome.incident)
    if outcome.reason is not None:
        book.tell_of(incident, outcome.reason, escalation=outcome.escalation, event_id=event.id)


def _details(incident: IncidentRow, case: Case, outcome: EventTransition) -> dict[str, Any]:
    details: dict[str, Any] = {"severity": case.event.severity}
    if outcome.incident is not None and not outcome.is_new:
        details |= {"from": incident.state_values.state, "to": outcome.incident.state}
    if outcome.escalation is not None:
        details["escalation"] = outcome.escalation.record()
    return details


def _kind(outcome: EventTransition) -> str | None:
    """What the timeline calls it; None for a repeat that is only counted."""
    if outcome.disposition is OPENED:
        return "opened" if outcome.is_new else "reopened"
    if outcome.act is TRIGGER:
        return "reoccurred" if outcome.reason is not None else None
    return _KINDS.get(outcome.act)


_KINDS: Mapping[Act, str] = {Act.RECOVER: "resolved", Act.TRIGGER_HIGHER: "escalated"}


def _sender(case: Case, book: Book) -> Actor:
    return book.sender(case.event.id, case.court.source_name)
