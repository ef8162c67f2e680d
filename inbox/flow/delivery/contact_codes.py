"""Sends a code to an address of a person through the provider of a workspace, at once and once (specification 23.18)."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

from inbox.config import settings
from inbox.database.base import connection_released, new_id
from inbox.destinations import outbound_policy
from inbox.domain.deliveries import notices
from inbox.domain.deliveries.delivery import Receipt
from inbox.domain.explaining import code_text
from inbox.domain.explaining.notice_content import CODE
from inbox.flow.delivery.senders import Clock, send_one
from inbox.models.deliveries import contacts
from inbox.models.deliveries import results as delivery_results
from inbox.models.deliveries.claims import ClaimedDelivery
from inbox.models.workspaces.tables import Workspace


def send_code(provider_id: UUID, address: str, code: str, clock: Clock) -> Receipt:
    """Sends the code and waits for the response of the service. Nothing is stored, so that nobody else reads the code.

    The caller's connection returns to the pool during the call.
    """
    now, chosen = clock(), settings.current()
    provider = delivery_results.read(provider_id)
    config = {**provider.config, **contacts.personal_config(address)}
    contact = replace(provider, id=new_id(now), config=config, provider_id=provider.id, template=None)
    workspace = Workspace.get_by_id(provider.workspace_id)
    body = notices.body_text(code_text.body(code, workspace.name, f"{chosen.base_url}/account", now))
    delivery = ClaimedDelivery(new_id(now), workspace.id, contact.id, new_id(now), CODE, 1, now, body)
    with connection_released():
        return send_one(delivery, contact, outbound_policy.client(), clock, is_stored=False).receipt
