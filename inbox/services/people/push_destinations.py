"""The destinations of phones: one for each workspace whose notices a device receives (specification 9.13)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

import peewee

from inbox.flow.delivery.changes import publish_changes
from inbox.flow.unit_of_work import AfterCommit
from inbox.models.deliveries import results as delivery_results
from inbox.models.deliveries.destinations import Destination
from inbox.models.people.devices import Device


def of_device(device_id: UUID) -> peewee.ModelSelect[Destination]:
    """Select the destinations of a device that are not deleted."""
    return Destination.select().where(Destination.device_id == device_id, Destination.deleted_at.is_null())


def of_person(user_id: UUID) -> peewee.ModelSelect[Destination]:
    """Select the destinations of all devices of a person in all workspaces."""
    devices = Device.select(Device.id).where(Device.user == user_id, Device.revoked_at.is_null())
    return Destination.select().where(Destination.device_id.in_(devices), Destination.deleted_at.is_null())


def of_member(user_id: UUID, workspace_id: UUID) -> peewee.ModelSelect[Destination]:
    """Select the destinations of a person in one workspace: of their devices, and of their contact methods."""
    devices = Device.select(Device.id).where(Device.user == user_id)
    live = (Destination.workspace == workspace_id) & Destination.deleted_at.is_null()
    own = Destination.device_id.in_(devices) | (Destination.owner_id == user_id)
    return Destination.select().where(live, own)


def of_method(user_id: UUID, method: str) -> peewee.ModelSelect[Destination]:
    """Select the destinations of one method of a person in all workspaces."""
    live = (Destination.method == method) & Destination.deleted_at.is_null()
    return Destination.select().where(Destination.owner_id == user_id, live)


def rename(device: Device) -> None:
    """Give the destinations of a renamed device its name."""
    Destination.update(name=device.name).where(Destination.device_id == device.id).execute()


def remove(selected: peewee.ModelSelect[Destination], now: datetime, done: AfterCommit) -> Sequence[Destination]:
    """Delete these destinations with their subscriptions. Waiting deliveries are skipped. Open calls finish."""
    found: list[Destination] = list(selected.order_by(Destination.id))
    if not found:
        return found
    ids = [destination.id for destination in found]
    delivery_results.lock(ids)
    Destination.update(
        deleted_at=now, sealed=None, rev=Destination.rev + 1, generation=Destination.generation + 1
    ).where(Destination.id.in_(ids)).execute()
    publish_changes(done, delivery_results.skip(ids, "deleted", now=now, due_only=False))
    return found
