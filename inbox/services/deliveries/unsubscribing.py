"""Unsubscribing: a mail program or its reader ends the mails of a destination (specification 9.20)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from inbox.destinations import MAIL
from inbox.destinations.email import recipients
from inbox.domain.values.refusals import TokenInvalid
from inbox.flow.delivery.unsubscribe_links import are_enabled
from inbox.flow.unit_of_work import work
from inbox.identity import unsubscribe_links
from inbox.identity.tickets import TicketRefused
from inbox.models.deliveries.destinations import Destination
from inbox.models.workspaces.tables import Workspace
from inbox.services.deliveries import destinations
from inbox.services.records import audit


@dataclass(frozen=True, slots=True)
class Subscription:
    """The mails of a destination to one address."""

    destination: Destination
    workspace: Workspace
    address: str

    @property
    def is_ended(self) -> bool:
        """Whether the destination is disabled already."""
        return not self.destination.enabled


def find(token: str, now: datetime, *, signing_key: str) -> Subscription:
    """Return the subscription of this link.

    Raises `TokenInvalid` for a token that is wrong or too old. It also does after the destination got another address,
    lost its links or was deleted. The same holds for a deleted workspace.
    """
    try:
        permitted = unsubscribe_links.verify(signing_key, token, now)
    except TicketRefused:
        raise TokenInvalid from None
    destination = destinations.find(permitted.destination_id)
    if destination is None or destination.kind != MAIL or not are_enabled(destination.config):
        raise TokenInvalid
    workspace = Workspace.get_by_id(destination.workspace_id)
    address = next(filter(permitted.is_for, recipients.of_config(destination.config)), None)
    if workspace.deleted_at is not None or address is None:
        raise TokenInvalid
    return Subscription(destination, workspace, address)


def end(subscription: Subscription, now: datetime) -> None:
    """End the mails to the address. Without another address the destination is disabled, and waiting mails are skipped.

    An administrator can turn them on again.
    """
    if subscription.is_ended:
        return
    destination = subscription.destination
    with work():
        audit.record(
            "destination.link_used",
            target=audit.target("destination", destination.id, destination.name),
            now=now,
            workspace_id=destination.workspace_id,
            details={"act": "unsubscribe"},
        )
    if others := recipients.without(destination.config, subscription.address):
        destinations.edit(destination, {"config": {"to": others}}, expected_rev=None, now=now)
    else:
        destinations.edit(destination, {"enabled": False}, expected_rev=None, now=now)
