"""Telling: for an incident that moved, which destinations hear of it and why, and the deliveries that follow."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

import orjson

from inbox import settings
from inbox.domain import ids, notices
from inbox.domain.ids import Prefix
from inbox.domain.incident import Actor, Escalation, Incident
from inbox.domain.moves import Reason
from inbox.domain.notices import Cause, Facts, Listener
from inbox.domain.withheld import cause_of
from inbox.domain.workspace import effective_route
from inbox.flow.work import Done
from inbox.models import telling
from inbox.models.routing import Origin
from inbox.models.standing import Standing
from inbox.models.telling import Ear, NewDelivery, NewNotice
from inbox.queue import Bell

MEANT = frozenset({Cause.SENT_TO, Cause.STOPPED})
"""The causes after which a destination counts as having heard: it is sent now, or when it resumes."""

_STATUS: Mapping[str, str] = {Cause.SENT_TO: "pending", Cause.STOPPED: "held", Cause.DISABLED: "skipped"}


@dataclass(frozen=True, slots=True)
class Telling:
    """A notice that is owed: of which incident, as it stood, why, and as its how-manieth."""

    incident: Standing
    then: Incident
    reason: Reason
    seq: int
    escalation: Escalation | None = None
    by: Actor | None = None
    event_id: UUID | None = None


def owe(
    incident: Standing,
    reason: Reason,
    *,
    escalation: Escalation | None = None,
    by: Actor | None = None,
    event_id: UUID | None = None,
) -> Telling:
    """Owe a notice of the incident as it stands now, and count it; the incident must be written before `tell`."""
    incident.notice_count += 1
    return Telling(incident, incident.now, reason, incident.notice_count, escalation, by, event_id)


def tell(
    tellings: Sequence[Telling],
    origins: Mapping[UUID, Origin],
    now: datetime,
    make_id: Callable[[], UUID],
    done: Done,
) -> None:
    """Decide for each destination of each notice and write notices and deliveries, in the order given (decision 11).

    The incidents are written already, in this transaction. `origins` are by source. A notice that nobody is sent is
    written too, with the decisions that say why.
    """
    if not tellings:
        return
    audience = _gather(tellings, origins)
    written, deliveries = [], []
    for one in tellings:
        notice, owed = _compose(one, origins[one.incident.source_id], audience, now, make_id)
        written.append(notice)
        deliveries += owed
    telling.write(written, deliveries, now)
    for delivery in deliveries:
        done.changed("delivery", delivery.id, delivery.notice.workspace_id, op="created")
    if any(delivery.status != "skipped" for delivery in deliveries):
        done.ring(Bell.DELIVERY)


@dataclass(slots=True)
class Audience:
    """The destinations of the routes and those that heard before; `heard` grows while notices are composed."""

    ears: Mapping[UUID, Ear]
    routes: Mapping[UUID, Sequence[UUID]]
    heard: set[tuple[UUID, UUID]]
    hearers: dict[UUID, list[UUID]] = field(default_factory=dict)

    def of(self, one: Telling) -> Iterable[Ear]:
        """Whom the notice concerns: the route, and for the end also whoever heard before (decision 9)."""
        incident = one.incident
        concerned = list(self.routes.get(incident.workspace_id, ()))
        if one.reason is Reason.RESOLVED:
            concerned += [id for id in self.hearers.get(incident.id, ()) if id not in concerned]
        found = (self.ears.get(id) for id in concerned)
        return [ear for ear in found if ear is not None and ear.workspace_id == incident.workspace_id]


def _gather(tellings: Sequence[Telling], origins: Mapping[UUID, Origin]) -> Audience:
    by_workspace = {origin.workspace_id: origin for origin in origins.values()}
    routes = {workspace_id: route_of(origin) for workspace_id, origin in by_workspace.items()}
    known = {one.incident.id for one in tellings if one.reason in notices.UPDATES and not one.incident.is_new}
    heard = telling.heard(sorted(known))
    hearers: dict[UUID, list[UUID]] = {}
    for incident_id, destination_id in sorted(heard):
        hearers.setdefault(incident_id, []).append(destination_id)
    wanted = {one.incident.workspace_id for one in tellings}
    destinations = {id for workspace_id in wanted for id in routes.get(workspace_id, ())}
    ears = telling.ears(sorted(destinations.union(*hearers.values())))
    return Audience(ears, routes, heard, hearers)


def route_of(origin: Origin) -> list[UUID]:
    """The destinations of the workspace's default route, in its order, each once."""
    return list(dict.fromkeys(effective_route(origin.default_route).destination_ids))


def _compose(
    one: Telling, origin: Origin, audience: Audience, now: datetime, make_id: Callable[[], UUID]
) -> tuple[NewNotice, list[NewDelivery]]:
    incident = one.incident
    verdicts = [(ear, _consider(one, ear, audience)) for ear in audience.of(one)]
    decisions = [
        notices.decision_record(ids.encode(Prefix.DESTINATION, ear.id), ear.name, cause) for ear, cause in verdicts
    ]
    notice = NewNotice(
        id=make_id(),
        workspace_id=incident.workspace_id,
        incident_id=incident.id,
        event_id=one.event_id,
        seq=one.seq,
        reason=one.reason,
        body=notices.body_text(notices.payload(one.reason, _facts(one, origin), now)),
        decisions=orjson.dumps(decisions).decode(),
    )
    owed = [
        NewDelivery(make_id(), notice, ear.id, _STATUS[cause], None if cause is Cause.SENT_TO else cause)
        for ear, cause in verdicts
        if cause in _STATUS
    ]
    return notice, owed


def _consider(one: Telling, ear: Ear, audience: Audience) -> str:
    withheld = cause_of(one.then, one.reason)
    if withheld is not None:
        return withheld
    pair = (one.incident.id, ear.id)
    listener = Listener(
        enabled=ear.enabled,
        stopped=ear.stopped,
        send_updates=ear.send_updates,
        min_severity=ear.min_severity,
        heard=pair in audience.heard,
    )
    cause = notices.consider(listener, one.reason, one.then.severity)
    if cause in MEANT and pair not in audience.heard:
        audience.heard.add(pair)
        audience.hearers.setdefault(one.incident.id, []).append(ear.id)
    return cause


def _facts(one: Telling, origin: Origin) -> Facts:
    incident, then = one.incident, one.then
    return Facts(
        title=incident.title,
        severity=then.severity,
        state=then.state,
        source_name=origin.source_name,
        workspace_name=origin.workspace_name,
        incident_id=ids.encode(Prefix.INCIDENT, incident.id),
        first_seen_at=then.first_seen_at,
        url=incident_url(origin.workspace_slug, incident.id),
        resource=incident.resource or "",
        escalation=one.escalation,
        resolved_by=then.resolved_by if one.reason is Reason.RESOLVED else None,
        by=one.by,
        snoozed_until=then.snoozed_until if one.reason is Reason.SNOOZED else None,
    )


def incident_url(slug: str, incident_id: UUID) -> str:
    """The incident's page in the dashboard (decision 4)."""
    return f"{settings.current().base_url}/w/{slug}/incidents/{ids.encode(Prefix.INCIDENT, incident_id)}"
