"""What a batch of events does: decided and moved in memory, in their order, then written by a few statements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import orjson

from inbox.domain import ids
from inbox.domain.ids import Prefix
from inbox.domain.incident import Actor
from inbox.domain.moves import Act
from inbox.domain.occurrence import Disposition, Occurrence, Outcome, Policy, on_event
from inbox.domain.routing import Decision, DefaultRoute, decide
from inbox.domain.target import Target
from inbox.domain.workspace import effective_settings
from inbox.flow.ledger import Ledger
from inbox.flow.work import Done
from inbox.live.feed import STORM
from inbox.models import routing, standing
from inbox.models.routing import Origin, Routed, Unrouted
from inbox.models.standing import Standing

Known = dict[tuple[UUID, str], Standing]


@dataclass(frozen=True, slots=True)
class Terms:
    """By what the events of a source are decided."""

    route: DefaultRoute
    policy: Policy
    resolve_by: str
    name: str
    is_deleted: bool

    @classmethod
    def of(cls, origin: Origin) -> Terms:
        """From what its workspace and source have stored; what they do not say is as shipped."""
        chosen = effective_settings(origin.settings)
        return cls(
            route=DefaultRoute.of(origin.default_route.get("dispositions") or {}),
            policy=Policy.of_minutes(chosen.reoccur_quiet_minutes, chosen.reopen_window_minutes),
            resolve_by=origin.resolve_by,
            name=origin.source_name,
            is_deleted=origin.is_deleted,
        )


def apply(events: Sequence[Unrouted], now: datetime, done: Done) -> None:
    """Route events of one shard, in their order, in the caller's transaction; who calls holds the shard."""
    origins = routing.origins({event.source_id for event in events})
    terms = {id: Terms.of(origin) for id, origin in origins.items()}
    decided = [(event, _decide(event, terms[event.source_id])) for event in events]
    known = standing.newest({(e.source_id, e.fingerprint) for e, d in decided if d.target is Target.INCIDENT})
    ledger = Ledger(now, done, origins)
    routed = [_take(event, decision, terms[event.source_id], known, ledger) for event, decision in decided]
    routing.finish(routed)
    ledger.write()
    _announce(routed, done)


def _announce(routed: Sequence[Routed], done: Done) -> None:
    """Events are told as they are routed; beyond a storm, which is told as one `resync`, no more need be listed."""
    told: Counter[UUID] = Counter()
    for one in routed:
        told[one.workspace_id] += 1
        if told[one.workspace_id] <= STORM + 1:
            done.changed("event", UUID(one.event_id), one.workspace_id, op="created")


def _decide(event: Unrouted, terms: Terms) -> Decision:
    if terms.is_deleted:
        return Decision(Target.LOG, "default", False, ("the workspace is deleted",))
    return decide(event, terms.route, terms.resolve_by)


def _take(event: Unrouted, decision: Decision, terms: Terms, known: Known, ledger: Ledger) -> Routed:
    if decision.target is Target.LOG:
        return _routed(event, decision, Disposition.DROPPED if terms.is_deleted else Disposition.LOGGED)
    incident = known.get((event.source_id, event.fingerprint))
    occurrence = Occurrence(
        severity=event.severity,
        at=event.received_at,
        recovers=decision.recovers,
        by=_actor(event, terms) if decision.recovers else None,
    )
    outcome = on_event(incident.now if incident else None, occurrence, ledger.now, terms.policy)
    if outcome.incident is None:
        return _routed(event, decision, outcome.disposition, act=outcome.act)
    if outcome.is_new or incident is None:
        incident = _new(event, outcome, incident, ledger)
        known[incident.key] = incident
    _move(incident, event, outcome, terms, ledger)
    return _routed(event, decision, outcome.disposition, incident.id, outcome.act, outcome.reason)


def _new(event: Unrouted, outcome: Outcome, before: Standing | None, ledger: Ledger) -> Standing:
    assert outcome.incident is not None
    return Standing(
        id=ledger.make_id(),
        workspace_id=event.workspace_id,
        source_id=event.source_id,
        fingerprint=event.fingerprint,
        title=event.title,
        now=outcome.incident,
        resource=event.resource,
        type=event.type,
        tags=event.tags,
        dedup_key=event.dedup_key,
        related_incident_id=before.id if before is not None and outcome.follows else None,
        is_new=True,
    )


def _move(incident: Standing, event: Unrouted, outcome: Outcome, terms: Terms, ledger: Ledger) -> None:
    assert outcome.incident is not None
    kind = _kind(outcome)
    if kind is None:
        ledger.counted(incident, outcome.incident)
        return
    details: dict[str, Any] = {"severity": event.severity}
    if not outcome.is_new:
        details |= {"from": incident.now.state, "to": outcome.incident.state}
    if outcome.escalation is not None:
        details["escalation"] = outcome.escalation.record()
    ledger.enter(incident, kind, _actor(event, terms), details, event_id=event.id)
    ledger.moved(incident, outcome.incident)
    if outcome.reason is not None:
        ledger.tell_of(incident, outcome.reason, escalation=outcome.escalation, event_id=event.id)


def _kind(outcome: Outcome) -> str | None:
    """What the timeline calls it; None for a repeat that is only counted."""
    if outcome.disposition is Disposition.OPENED:
        return "opened" if outcome.is_new else "reopened"
    match outcome.act:
        case Act.RECOVER:
            return "resolved"
        case Act.TRIGGER_HIGHER:
            return "escalated"
        case _:
            return "reoccurred" if outcome.reason is not None else None


def _actor(event: Unrouted, terms: Terms) -> Actor:
    return Actor("event", ids.encode(Prefix.EVENT, event.id), terms.name)


def _routed(
    event: Unrouted,
    decision: Decision,
    disposition: str,
    incident_id: UUID | None = None,
    act: str | None = None,
    reason: str | None = None,
) -> Routed:
    incident = None if incident_id is None else ids.encode(Prefix.INCIDENT, incident_id)
    record = decision.record(incident_id=incident, act=act, reason=reason, outcome=disposition)
    return Routed(event.workspace_id, event.id_text, disposition, incident_id, orjson.dumps(record).decode())
