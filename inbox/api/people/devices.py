"""Paired devices: show a code, pair with it, refresh tokens, and revoke devices (specification 11.10)."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from flask import Response, make_response, request, url_for

from inbox.api.http import cookies
from inbox.api.http.blueprint import Blueprint
from inbox.api.http.callers import caller
from inbox.api.http.paging import paged
from inbox.api.http.policy import NONE, SESSION, USER, EndpointPolicy
from inbox.api.http.revisions import expected_rev, tagged
from inbox.api.people.device_records import device_record, own_device
from inbox.api.people.schemas.devices import (
    LONGEST_TOKEN,
    DeviceEdit,
    DeviceRecord,
    DevicesPage,
    DevicesQuery,
    PairingCreated,
    PairingPreview,
    PairingPreviewRequest,
    PairingRecord,
    PairRequest,
    PairResponse,
    RefreshRequest,
    TokensRecord,
)
from inbox.config import settings
from inbox.domain.people import pairing as rules
from inbox.domain.people.device import HAND_OFF
from inbox.identity import qr
from inbox.models.people.devices import Device, DevicePairing
from inbox.services.people import devices, pairings

HAND_OFF_COOKIE, HAND_OFF_PATH = "inbox_hand_off", "/v1/devices"
"""Carries the hand-off token from the browser that paired a device to the app that is installed from it."""

_TOKEN_FIELDS = ("access_token", "access_expires_at", "refresh_token", "refresh_expires_at")

blp = Blueprint(
    "devices",
    __name__,
    url_prefix="/v1/devices",
    description="Paired phones, which act for their user.",
    section="11.10",
)


@blp.route("/pairings", methods=["POST"], endpoint="start_pairing")
@EndpointPolicy(SESSION, workspace_from="none")
@blp.response(201, PairingCreated)
@blp.refuses("conflict")
def start_pairing() -> tuple[dict[str, Any], int, dict[str, str]]:
    """Start device pairing

    The code is valid for five minutes, for one device, and until the fifth wrong attempt. A new code replaces the earlier
    code of this session.
    """
    now, who = datetime.now(UTC), caller()
    pairing, code = pairings.start(who.user_id, who.session_id, now)
    uri = rules.address(settings.current().base_url, code)
    location = url_for("devices.read_pairing", pairing_id=pairing.id)
    return (
        {**_pairing_response(pairing, now), "code": code, "uri": uri, "qr_svg": qr.svg(uri)},
        201,
        {"Location": location},
    )


@blp.route("/pairings/<typeid(dev):pairing_id>", methods=["GET"], endpoint="read_pairing")
@EndpointPolicy(SESSION, workspace_from="none")
@blp.response(200, PairingRecord)
def read_pairing(pairing_id: UUID) -> dict[str, Any]:
    """Get device pairing status

    Only in the session that shows the code. Other sessions get 404.
    """
    return _pairing_response(pairings.of_session(pairing_id, caller().session_id), datetime.now(UTC))


@blp.route("/pairings/preview", methods=["POST"], endpoint="preview_pairing")
@EndpointPolicy(NONE, workspace_from="none")
@blp.arguments(PairingPreviewRequest)
@blp.response(200, PairingPreview)
@blp.refuses("pairing_invalid", "rate_limited")
def preview_pairing(fields: dict[str, Any]) -> dict[str, Any]:
    """Preview a device pairing

    The device sends it before it pairs, and learns the account. The code stays valid. An attempt counts as an attempt
    to pair.
    """
    user, expires_at = pairings.preview(fields["code"], datetime.now(UTC), address=request.remote_addr or "")
    return {"name": user.name, "email": user.email, "expires_at": expires_at}


@blp.route("/pair", methods=["POST"], endpoint="pair")
@EndpointPolicy(NONE, workspace_from="none")
@blp.arguments(PairRequest)
@blp.response(201, PairResponse)
@blp.refuses("pairing_invalid", "rate_limited", "conflict")
def pair(fields: dict[str, Any]) -> Response:
    """Pair a device

    The device sends the code that its person sees. Every refused code has the same answer. Twenty attempts from an
    address are allowed in an hour. With `handOff` the answer has no tokens. A cookie of this browser, which installing
    the app copies, is exchanged for them once.
    """
    now = datetime.now(UTC)
    claim = pairings.claim(**fields, now=now, address=request.remote_addr or "")
    tokens = asdict(claim.tokens) if claim.tokens is not None else dict.fromkeys(_TOKEN_FIELDS)
    token, expires_at = claim.hand_off or ("", None)
    shown = {**tokens, "device_id": claim.device_id, "hand_off_expires_at": expires_at, "user": claim.user}
    location = {"Location": url_for("devices.edit", device_id=claim.device_id)}
    answer = make_response(PairResponse().dump(shown), 201, location)
    if token:
        cookies.set_cookie(answer, HAND_OFF_COOKIE, token, HAND_OFF, path=HAND_OFF_PATH, same_site="Strict")
    return answer


@blp.route("/token", methods=["POST"], endpoint="refresh")
@EndpointPolicy(NONE, workspace_from="none")
@blp.arguments(RefreshRequest)
@blp.response(200, TokensRecord)
@blp.refuses("unauthenticated", "rate_limited")
def refresh(fields: dict[str, Any]) -> Response:
    """Refresh device tokens

    Answers a new pair and ends the old one at once. A device that lost the answer sends the same refresh token again
    within a minute. It gets another pair, which ends the lost one. A later use of an old refresh token revokes the
    device, because another client may hold the newer pair. Without a refresh token, the hand-off cookie of a paired
    device is exchanged for its first pair. The device must be paired with `handOff`.
    """
    now = datetime.now(UTC)
    if "refresh_token" in fields:
        return make_response(TokensRecord().dump(devices.refresh(fields["refresh_token"], now)))
    token = cookies.read(HAND_OFF_COOKIE, path=HAND_OFF_PATH)
    answer = make_response(TokensRecord().dump(devices.take_over(token[:LONGEST_TOKEN], now)))
    cookies.delete_cookie(answer, HAND_OFF_COOKIE, path=HAND_OFF_PATH)
    return answer


@blp.route("/", methods=["GET"], endpoint="list")
@EndpointPolicy(USER, workspace_from="none")
@blp.arguments(DevicesQuery, location="query")
@blp.response(200, DevicesPage)
def list_devices(args: dict[str, Any]) -> dict[str, Any]:
    """List your devices"""
    return paged(
        devices.of_person(caller().user_id),
        args,
        sorts={"created": Device.created_at, "name": Device.name},
        id=Device.id,
        dump=lambda row: DeviceRecord().dump(device_record(row)),
    )


@blp.route("/<typeid(dev):device_id>", methods=["PATCH"], endpoint="edit")
@EndpointPolicy(USER, workspace_from="none")
@blp.arguments(DeviceEdit)
@blp.response(200, DeviceRecord)
def edit(fields: dict[str, Any], device_id: UUID) -> dict[str, Any]:
    """Rename a device

    A device can rename itself only.
    """
    device = own_device(device_id)
    name = fields.get("name", device.name)
    return tagged(device_record(devices.rename(device, name, expected_rev=expected_rev(), now=datetime.now(UTC))))


@blp.route("/<typeid(dev):device_id>", methods=["DELETE"], endpoint="remove")
@EndpointPolicy(USER, workspace_from="none")
@blp.response(204)
def remove(device_id: UUID) -> None:
    """Revoke a device

    Its tokens are refused from the next request on, and its streams end. A device can revoke itself only.
    """
    devices.revoke(own_device(device_id), expected_rev=expected_rev(), now=datetime.now(UTC))


def _pairing_response(pairing: DevicePairing, now: datetime) -> dict[str, Any]:
    device = pairing.device if pairing.device_id is not None else None
    return {
        "id": pairing.id,
        "status": pairings.status(pairing, now),
        "expires_at": pairing.expires_at,
        "device": device_record(device) if device is not None else None,
    }
