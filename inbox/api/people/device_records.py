"""Devices in answers, and the device that a path names."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from inbox.api.http.callers import caller
from inbox.domain.deliveries.push import LOST, PhoneAlerts
from inbox.domain.values.refusals import Forbidden
from inbox.models.deliveries import reports
from inbox.models.deliveries.destinations import Destination
from inbox.models.people.devices import Device
from inbox.services.people import devices, push_destinations


def own_device(device_id: UUID) -> Device:
    """Returns the person's device. A device finds only itself, so that a stolen phone cannot lock out the others."""
    who = caller()
    device = devices.own(device_id, who.user_id)
    if who.by_device and who.device_id != device.id:
        raise Forbidden("A device can change only itself.")
    return device


def device_record(device: Device) -> dict[str, Any]:
    """Returns the fields of `DeviceRecord`."""
    return {**device.__data__, "current": caller().device_id == device.id, "push": _push(device)}


def _push(device: Device) -> dict[str, Any]:
    found = list(push_destinations.of_device(device.id).order_by(Destination.id))
    last = [each for each in reports.last_deliveries([each.id for each in found]).values() if each.at is not None]
    newest = max(last, key=lambda each: each.at or device.created_at, default=None)
    sent = [each.at for each in last if each.status == "sent" and each.at is not None]
    stopped = next((each.stopped_reason for each in found if each.stopped_reason), None)
    return {
        "state": _state(found, stopped),
        "hide_content": any(each.config.get("hideContent") for each in found),
        "workspaces": [
            {
                "workspace_id": each.workspace_id,
                "min_severity": each.min_severity,
                "alerts": PhoneAlerts(each.alerts),
            }
            for each in found
        ],
        "last_delivered_at": max(sent, default=None),
        "last_error": stopped or (newest.reason if newest is not None else None),
    }


def _state(found: list[Destination], stopped: str | None) -> str:
    if not found:
        return "none"
    if stopped is None:
        return "active"
    return "lost" if stopped in LOST else "refused"
