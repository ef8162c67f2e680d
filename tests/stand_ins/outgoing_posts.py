"""Destinations, notices and deliveries for tests of outgoing messages."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import count
from typing import Any
from uuid import UUID

from inbox.database.base import new_id
from inbox.destinations import Config
from inbox.domain.deliveries import signing
from inbox.domain.values import ids
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.tables import Delivery, DeliveryAttempt, Notice
from inbox.models.incidents.tables import Incident
from inbox.models.routing.profiles import RoutingProfile
from inbox.models.workspaces.tables import Workspace
from inbox.runtime import sealing
from tests.cast import Cast, present
from tests.stand_ins.receivers import SECRET, Receiver

BODY = (
    '{"type":"incident.opened","timestamp":"2026-11-21T09:00:00.000Z",'
    '"data":{"v":1,"title":"Disk füll","severity":"ERROR","state":"open"}}'
)

_numbers = count(1)


def make_destination(workspace: Workspace, receiver: Receiver | str, secret: str = SECRET, **more: Any) -> Destination:
    """A destination as the API would store it, a webhook unless `kind` is another."""
    url = receiver if isinstance(receiver, str) else receiver.url
    config = Config({"url": url, "secretHint": signing.hint(secret)}, {"secret": secret})
    return store_destination(workspace, more.pop("kind", "webhook"), config, **{"name": "Receiver", **more})


def store_destination(workspace: Workspace, kind: str, config: Config, **more: Any) -> Destination:
    """A destination of a kind with these settings, as the API would store it."""
    made = new_id()
    place = sealing.associated_data("destinations", made, workspace.id, "sealed")
    destination: Destination = Destination.create(
        id=made,
        workspace=workspace,
        kind=kind,
        config=dict(config.public),
        sealed=sealing.current().seal(config.to_seal(), place),
        **{"name": "Chat", "created_at": present(), **more},
    )
    return destination


def make_profile(workspace: Workspace, *to: Destination, **more: Any) -> RoutingProfile:
    """A routing profile with one step, at once."""
    step = {"afterMinutes": 0, "minSeverity": None, "destinationIds": [ids.encode("dst", each.id) for each in to]}
    values = {"id": new_id(), "workspace_id": workspace.id, "name": "On call", "created_at": present(), "steps": [step]}
    profile: RoutingProfile = RoutingProfile.create(**{**values, **more})
    return profile


def make_incident(cast: Cast) -> Incident:
    now, number = present(), next(_numbers)
    incident: Incident = Incident.create(
        id=new_id(), workspace_id=cast.workspace.id, number=number, source_id=cast.source.id, fingerprint=f"f1:{number}",
        title="Disk full", severity="ERROR", last_severity="ERROR", state="open", first_seen_at=now, last_seen_at=now,
        opened_at=now,
    )  # fmt: skip
    return incident


def owe(
    destination: Destination, incident: Incident | None = None, seq: int = 0, *, body: str = BODY, **more: Any
) -> Delivery:
    """A delivery that is due: of its own notice, or of `seq` of an incident."""
    at: datetime = more.pop("created_at", present() - timedelta(seconds=1))
    values = {"workspace_id": destination.workspace_id, "incident_id": incident.id if incident else None, "seq": seq}
    reason = more.pop("reason", "opened")
    notice, _ = Notice.get_or_create(
        **values, reason=reason, defaults={"id": new_id(at), "created_at": at, "body": body}
    ) if incident else (Notice.create(id=new_id(at), created_at=at, body=body, reason=reason, **values), True)  # fmt: skip
    delivery: Delivery = Delivery.create(
        id=new_id(at), notice=notice, destination_id=destination.id, reason=reason, created_at=at,
        **{"status": "pending", "due_at": at, **values, **more},
    )  # fmt: skip
    return delivery


def fresh(row: Any) -> Any:
    """The row as it is now."""
    return type(row).get_by_id(row.id)


def attempts_of(delivery: Delivery) -> list[DeliveryAttempt]:
    return list(
        DeliveryAttempt.select().where(DeliveryAttempt.delivery == delivery.id).order_by(DeliveryAttempt.number)
    )


def make_due(*deliveries: Delivery) -> None:
    """Their time has come: as if they had waited."""
    ids = [delivery.id for delivery in deliveries]
    Delivery.update(due_at=present() - timedelta(seconds=1)).where(Delivery.id.in_(ids)).execute()


def statuses(destination_id: UUID) -> list[str]:
    """The statuses of a destination's deliveries, oldest first."""
    rows = Delivery.select(Delivery.status).where(Delivery.destination_id == destination_id).order_by(Delivery.id)
    return [row.status for row in rows]
