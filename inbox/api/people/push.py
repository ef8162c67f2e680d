"""Push: the key of the instance, the subscription of a paired device, and a test of it (specification 9.13)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from inbox.api.deliveries.schemas.destinations import receipt_of_test
from inbox.api.http.blueprint import Blueprint
from inbox.api.http.callers import caller
from inbox.api.http.policy import DEVICE, USER, EndpointPolicy, without_required_mfa
from inbox.api.people.device_records import device_record, own_device
from inbox.api.people.schemas.devices import DeviceRecord
from inbox.api.people.schemas.push import PushKeyRecord, PushReceipt, PushSubscriptionRequest
from inbox.domain.deliveries.push import PhoneChoice
from inbox.domain.values.refusals import Fault, MfaRequired, ValidationFailed
from inbox.models.people.devices import Device
from inbox.services.people import devices, push, push_destinations
from inbox.services.people.push import PushSubscription

blp = Blueprint(
    "push", __name__, url_prefix="/v1/devices", description="Notifications on paired phones.", section="9.13"
)


@blp.route("/push-key", methods=["GET"], endpoint="key")
@EndpointPolicy(USER, workspace_from="none")
@blp.response(200, PushKeyRecord)
def key() -> dict[str, str]:
    """Get the push key

    Browsers subscribe with it. It never changes, because a change would end all subscriptions.
    """
    return {"public_key": push.public_key(datetime.now(UTC))}


@blp.route("/current/push-subscription", methods=["PUT"], endpoint="subscribe")
@EndpointPolicy(DEVICE, workspace_from="none")
@blp.arguments(PushSubscriptionRequest)
@blp.response(200, DeviceRecord)
@blp.refuses("conflict", "mfa_required")
def subscribe(fields: dict[str, Any]) -> dict[str, Any]:
    """Subscribe this device to push

    Also renews a lost subscription, so the app sends it at every start. The endpoint must be at a known push service.
    """
    device = _current()
    existing = {each.workspace_id: each for each in push_destinations.of_device(device.id)}
    hidden = any(each.config.get("hideContent") for each in existing.values())
    push.subscribe(
        device,
        PushSubscription(
            endpoint=fields["endpoint"],
            p256dh=fields["keys"]["p256dh"],
            auth=fields["keys"]["auth"],
            hide_content=fields.get("hide_content", hidden),
            workspaces=_workspaces(fields, {id: PhoneChoice(each.min_severity) for id, each in existing.items()}),
        ),
        datetime.now(UTC),
    )
    return device_record(device)


@blp.route("/current/push-subscription", methods=["DELETE"], endpoint="unsubscribe")
@EndpointPolicy(DEVICE, workspace_from="none")
@blp.response(204)
def unsubscribe() -> None:
    """Unsubscribe this device from push"""
    push.unsubscribe(_current(), datetime.now(UTC))


@blp.route("/<typeid(dev):device_id>/test-push", methods=["POST"], endpoint="test")
@EndpointPolicy(USER, workspace_from="none")
@blp.response(200, PushReceipt)
@blp.refuses("conflict", "rate_limited")
def test(device_id: UUID) -> dict[str, Any]:
    """Send a test push

    Sends one message at once and answers the push service's response. A device tests itself only.
    """
    return receipt_of_test(push.test(own_device(device_id)))


def _current() -> Device:
    who = caller()
    assert who.device_id is not None, "the policy lets devices in alone"
    return devices.own(who.device_id, who.user_id)


def _workspaces(fields: dict[str, Any], existing: dict[UUID, PhoneChoice]) -> dict[UUID, PhoneChoice]:
    """Returns the requested workspaces, else the stored choice, else all workspaces of the person.

    A stored workspace stays even while it requires a second factor that the person lacks, but sends no notices. Such a
    workspace is never added. A device without any choice gets all other workspaces. Raises `MfaRequired` when it is
    named and was not stored.
    """
    own, barred = caller().roles, without_required_mfa()
    if "workspaces" not in fields:
        if existing:
            return {id: choice for id, choice in existing.items() if id in own}
        return dict.fromkeys((id for id in own if id not in barred), PhoneChoice())
    faults = [
        Fault(f"/workspaces/{index}/workspaceId", "You are not a member of this workspace.")
        for index, each in enumerate(fields["workspaces"])
        if each["workspace_id"] not in own
    ]
    if faults:
        raise ValidationFailed(errors=faults)
    if any(each["workspace_id"] in barred and each["workspace_id"] not in existing for each in fields["workspaces"]):
        raise MfaRequired()
    return {
        each["workspace_id"]: PhoneChoice(each["min_severity"], each.get("alerts")) for each in fields["workspaces"]
    }
