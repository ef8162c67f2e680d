"""Explanations of why destinations were notified of an incident or an event, or not (specification 7.7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple
from uuid import UUID

import orjson

from inbox.domain import explaining
from inbox.domain.deliveries.delivery import Status
from inbox.domain.deliveries.fallback_reasons import FallbackReason
from inbox.domain.deliveries.notices import Cause, SeverityFloor, decision_record
from inbox.domain.deliveries.storms import SUMMARY
from inbox.domain.explaining import notice_text, recipient_text
from inbox.domain.explaining.recipient_text import DeliveryRef, DestinationDecision, DigestRef, SilenceRef, TextContext
from inbox.domain.incidents.state_machine import Reason
from inbox.domain.routing.decision import with_incident
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.domain.workspaces.settings import effective_settings
from inbox.flow.timers.incident_schedule import Plans
from inbox.models.deliveries import gathering
from inbox.models.deliveries.tables import Notice
from inbox.models.events.tables import Event
from inbox.models.incidents.tables import Incident
from inbox.models.insight import explanations
from inbox.models.insight.explanations import DestinationSettings
from inbox.models.routing import routing_config
from inbox.models.workspaces.tables import Workspace
from inbox.runtime import work_budget

MAX_DECISIONS = 10_000
"""The most decisions of a page of explanations: its items times the destinations of the workspace."""

FEWER = "Ask for fewer notices at a time: each has a decision for every destination of the workspace."


class PageContext(NamedTuple):
    """The data that the sentences of a page need beside its events and notices.

    `receivers` are all destinations of the workspace by the text of their id, and `stop_causes` by their id. `on_route`
    has the destinations of the present routes: of incidents, and of profiles for events without an
    incident. Its key is the incident, or the event without one.
    """

    quiet_minutes: int
    receivers: Mapping[str, DestinationSettings]
    on_route: Mapping[UUID | None, frozenset[UUID]]
    deliveries: Mapping[tuple[UUID, UUID], tuple[Any, ...]]
    digests: Mapping[UUID, DigestRef]
    silence_refs: Mapping[UUID, SilenceRef]
    profiles: Mapping[UUID, str]
    stop_causes: Mapping[UUID, str | None]


def explained_event(event: Event) -> list[dict[str, Any]]:
    """Explain the event and its notices, each with the decisions and reasons, in the order of time."""
    return explained(event.workspace_id, [event.id, *explanations.notices_caused_by(event)])


def explained(workspace_id: UUID, item_ids: Sequence[UUID]) -> list[dict[str, Any]]:
    """Explain these events and notices of the workspace, with decisions and reasons, in the order of `item_ids`.

    Purged items are left out.
    """
    events, notices = explanations.events(workspace_id, item_ids), explanations.notices(workspace_id, item_ids)
    context = _page_context(workspace_id, events, notices)
    entries = {id: _of_event(event, context) for id, event in events.items()}
    entries |= {id: _of_notice(notice, context) for id, notice in notices.items()}
    return [entries[id] for id in item_ids if id in entries]


def longest_page(workspace_id: UUID, most: int = MAX_DECISIONS) -> int:
    """Return the number of notices that have at most this many decisions together."""
    return max(1, most // max(1, explanations.count_destinations(workspace_id)))


def silence_refs_of(workspace_id: UUID, silence_ids: set[UUID]) -> dict[UUID, SilenceRef]:
    """Return silences with the data that sentences need."""
    found = explanations.silences(workspace_id, silence_ids)
    return {id: SilenceRef(silence.comment, maker) for id, (silence, maker) in found.items()}


def _page_context(workspace_id: UUID, events: Mapping[UUID, Event], notices: Mapping[UUID, Notice]) -> PageContext:
    silences = {_silence_of(each) for notice in notices.values() for each in notice.decisions}
    profiles = {_profile_of(event) for event in events.values()}
    workspace: Workspace = Workspace.get_by_id(workspace_id)
    deliveries = explanations.deliveries(notices) if notices else {}
    receivers = explanations.destinations(workspace_id) if notices else []
    return PageContext(
        quiet_minutes=effective_settings(workspace.settings).reoccur_quiet_minutes,
        receivers={ids.encode(Prefix.DESTINATION, each.id): each for each in receivers},
        on_route=_on_route(workspace_id, list(notices.values())),
        deliveries=deliveries,
        digests=_digests(deliveries),
        silence_refs=silence_refs_of(workspace_id, {id for id in silences if id is not None}),
        profiles=explanations.profiles(workspace_id, {id for id in profiles if id is not None}),
        stop_causes={each.id: each.stopped_reason for each in receivers},
    )


def _of_event(event: Event, context: PageContext) -> dict[str, Any]:
    routing = event.routing
    profile_id = _profile_of(event)
    act, reason = (routing.get("act"), routing.get("reason")) if routing else (None, None)
    return {
        "kind": "event",
        "at": event.received_at,
        "event_id": event.id,
        "title": event.title,
        "severity": event.severity,
        "text": explaining.of_event(event.disposition, act, reason, context.quiet_minutes),
        "reasons": explaining.reasons(routing, context.profiles.get(profile_id) if profile_id else None),
        "routing": with_incident(routing, event.incident_id),
    }


def _of_notice(notice: Notice, context: PageContext) -> dict[str, Any]:
    data = orjson.loads(notice.body)["data"]
    escalation = data.get("escalation", {})
    step = escalation["to"] if escalation.get("kind") == "step" else None
    text_context = TextContext(notice.created_at, data["severity"], None, notice.reason, step)
    decisions = [*notice.decisions, *_others(notice, context)]
    decided = [(each, _recipient_decision(notice, each, context)) for each in work_budget.spending(decisions, FEWER)]
    reason_text = notice_text.of_reason(Reason(notice.reason), data, text_context)
    entries = recipient_text.of_notice([one for _, one in decided], text_context)
    return {
        "kind": "notice",
        "at": notice.created_at,
        "notice_id": notice.id,
        "event_id": notice.event_id,
        "seq": notice.seq,
        "reason": notice.reason,
        "text": f"{reason_text} {entries}".strip(),
        "decisions": [
            _of_destination(notice, each, one, text_context, context)
            for each, one in work_budget.spending(decided, FEWER)
        ],
    }


def _of_destination(
    notice: Notice,
    decision: Mapping[str, Any],
    one: DestinationDecision,
    text_context: TextContext,
    context: PageContext,
) -> dict[str, Any]:
    delivery = context.deliveries.get((notice.id, destination)) if (destination := _destination_of(decision)) else None
    return {
        "destination_id": decision["destinationId"],
        "name": one.name,
        "decision": decision["decision"],
        "cause": one.cause,
        "silence_id": _silence_of(decision),
        "delivery_id": delivery[0] if delivery else None,
        "status": one.delivery.status if one.delivery else None,
        "text": recipient_text.of_destination(one, text_context),
        **{name: decision[key] for name, key in _NO_DELIVERY.items() if key in decision},
    }


_NO_DELIVERY = {"until": "until", "fallback_reason": "fallbackReason", "min_severity": "minSeverity", "step": "step"}
"""The fields that a stored decision may have beside its cause."""


def _recipient_decision(notice: Notice, decision: Mapping[str, Any], context: PageContext) -> DestinationDecision:
    destination, silence = _destination_of(decision), _silence_of(decision)
    delivery = context.deliveries.get((notice.id, destination)) if destination else None
    because, until = decision.get("fallbackReason"), decision.get("until")
    min_severity = decision.get("minSeverity")
    return DestinationDecision(
        name=decision["name"],
        cause=Cause(decision["decision"].partition(":")[0]),
        until=datetime.fromisoformat(until) if until else None,
        fallback_reason=FallbackReason(because) if because else None,
        silence=context.silence_refs.get(silence) if silence else None,
        delivery=_delivery_ref(delivery, context) if delivery else None,
        min_severity=SeverityFloor(min_severity, decision.get("step")) if min_severity else None,
        stop_cause=context.stop_causes.get(destination) if destination else None,
    )


def _delivery_ref(delivery: tuple[Any, ...], context: PageContext) -> DeliveryRef:
    _, status, cause, due_at, settled_at, replayed_at, digest_id = delivery
    digest = context.digests.get(digest_id)
    if digest is not None and cause == SUMMARY:
        digest = digest._replace(word=SUMMARY)
    return DeliveryRef(Status(status), cause, due_at, settled_at, replayed_at, digest)


def _digests(deliveries: Mapping[tuple[UUID, UUID], tuple[Any, ...]]) -> dict[UUID, DigestRef]:
    """Return the digests that have the notices of these deliveries."""
    found = gathering.digests({each[-1] for each in deliveries.values() if each[-1] is not None})
    return {
        id: DigestRef(at, Status(status), cause, settled_at) for id, (status, cause, at, settled_at) in found.items()
    }


def _others(notice: Notice, context: PageContext) -> list[dict[str, Any]]:
    """Return the decisions for all other destinations that the workspace had then, on the route or not."""
    named = {each["destinationId"] for each in notice.decisions}
    on_route = context.on_route[notice.incident_id or notice.event_id]
    return [
        decision_record(id, each.name, Cause.NOT_ADDRESSED if each.id in on_route else Cause.NOT_ROUTED)
        for id, each in context.receivers.items()
        if id not in named
        and not each.is_personal
        and (each.created_at <= notice.created_at or (notice.id, each.id) in context.deliveries)
    ]


def _on_route(workspace_id: UUID, found: Sequence[Notice]) -> dict[UUID | None, frozenset[UUID]]:
    """Return the destinations on each route, by incident, or by event for notices without an incident.

    They are the destinations of all steps of the present route, and the destinations that were notified before.
    """
    plans = Plans.at(routing_config.revisions([workspace_id]), datetime.now(UTC)) if found else None
    routes: dict[UUID | None, frozenset[UUID]] = {}
    for notice in found:
        key = notice.incident_id or notice.event_id
        if plans is None or key in routes:
            continue
        profile_id, destination_ids, before = _route_of(notice)
        plan = plans.by(workspace_id, profile_id, destination_ids)
        routes[key] = frozenset(before).union(*(step.destination_ids for step in plan.steps))
    return routes


def _route_of(notice: Notice) -> tuple[UUID | None, Sequence[UUID], set[UUID]]:
    """Return the profile, the destinations, and the previously notified destinations of the notice's subject."""
    if notice.incident_id is not None:
        incident: Incident = Incident.get_by_id(notice.incident_id)
        return incident.routing_profile_id, incident.destination_ids, explanations.notified_by_route(incident.id)
    event: Event | None = Event.get_or_none(Event.id == notice.event_id)
    decided = [_destination_of(each) for each in notice.decisions]
    return _profile_of(event) if event else None, [id for id in decided if id is not None], set()


def _destination_of(decision: Mapping[str, Any]) -> UUID | None:
    return ids.decode(Prefix.DESTINATION, decision["destinationId"]) if decision["destinationId"] else None


def _silence_of(decision: Mapping[str, Any]) -> UUID | None:
    cause, _, id = decision["decision"].partition(":")
    return ids.decode(Prefix.SILENCE, id) if cause == Cause.SILENCED else None


def _profile_of(event: Event) -> UUID | None:
    named = (event.routing or {}).get("profileId")
    return ids.decode(Prefix.PROFILE, named) if named else None
