"""Action links: the action that a link offers, and its execution (specification 9.15)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from inbox.domain.incidents import state_machine
from inbox.domain.incidents.incident import Act, Actor, ActorType, State
from inbox.domain.incidents.state_machine import NoChange
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.domain.values.refusals import TokenInvalid
from inbox.flow.delivery.action_links import are_enabled
from inbox.flow.people import incidents
from inbox.flow.people.incidents import ActRequest
from inbox.flow.unit_of_work import retry_on_conflict, work
from inbox.identity import action_links
from inbox.identity.tickets import TicketRefused
from inbox.models.deliveries.destinations import Destination
from inbox.models.incidents import read as incident_read
from inbox.models.workspaces.tables import Workspace
from inbox.services.records import audit


@dataclass(frozen=True, slots=True)
class Offer:
    """The present offer of a link. `is_done`: the incident is in this state already."""

    act: Act
    incident: Any
    destination: Destination
    is_done: bool


def find(token: str, now: datetime, *, signing_key: str) -> Offer:
    """Return the offer of this link.

    Raises `TokenInvalid` for a token that is wrong or too old. It also does after the destination was deleted or lost
    its links. The same holds for a deleted incident or workspace.
    """
    try:
        permitted = action_links.verify(signing_key, token, now)
    except TicketRefused:
        raise TokenInvalid from None
    destination = Destination.get_or_none(
        (Destination.id == permitted.destination_id) & Destination.deleted_at.is_null()
    )
    if destination is None or not are_enabled(destination.kind, destination.config):
        raise TokenInvalid
    incident = incident_read.find([destination.workspace_id], permitted.incident_id)
    if incident is None or Workspace.get_by_id(destination.workspace_id).deleted_at is not None:
        raise TokenInvalid
    is_done = isinstance(state_machine.lookup(State(incident.state), permitted.act), NoChange)
    return Offer(permitted.act, incident, destination, is_done)


def accept(offer: Offer, now: datetime) -> None:
    """Execute the action of the link, in the name of its destination. Raises `InvalidTransition`."""
    if offer.is_done:
        return
    destination = offer.destination
    actor = Actor(
        ActorType.DESTINATION, ids.encode(Prefix.DESTINATION, destination.id), f"Someone in {destination.name}"
    )
    request = ActRequest(offer.act, by=actor)

    def once() -> None:
        with work() as done:
            incidents.act(offer.incident.id, request, now, done)
            audit.record(
                "destination.link_used",
                target=audit.target("destination", destination.id, destination.name),
                now=now,
                workspace_id=destination.workspace_id,
                details=_details(offer),
            )

    retry_on_conflict(once)


def _details(offer: Offer) -> Mapping[str, Any]:
    return {"act": str(offer.act), "incidentId": ids.encode(Prefix.INCIDENT, offer.incident.id)}
