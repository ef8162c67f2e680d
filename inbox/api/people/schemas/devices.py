"""Shapes of paired devices, of the codes that pair them, and of their tokens (specification 11.10)."""

from __future__ import annotations

import marshmallow as ma

from inbox.api.http.paging import page_of, page_query
from inbox.api.http.schemas.base import Flag, Line, Schema, Timestamp, TypeId
from inbox.api.people.schemas.accounts import UserRecord
from inbox.api.people.schemas.push import PushStatus
from inbox.services.people.pairings import Status

LONGEST_NAME, LONGEST_PLATFORM, LONGEST_CODE, LONGEST_TOKEN = 100, 100, 64, 128
TOKEN = "q3Yx0mC3f6o9i2l5u8x1b4e7h0k3n6q9t2w5z8c1f4i"
CODE = "K7QM-3XPD"


class DeviceRecord(Schema):
    """A paired device. Only the device itself was sent its tokens."""

    id = TypeId("dev", required=True)
    name = ma.fields.String(required=True, metadata={"example": "Olga's phone"})
    platform = ma.fields.String(required=True, metadata={"example": "Android 16, Firefox"})
    current = Flag(required=True, metadata={"description": "Whether it is the device that asks."})
    created_at = Timestamp(required=True)
    last_seen_at = Timestamp(required=True, allow_none=True, metadata={"description": "To the minute."})
    push = ma.fields.Nested(PushStatus, required=True)
    rev = ma.fields.Integer(required=True)


class DeviceEdit(Schema):
    """The fields of a device that can be changed."""

    name = Line(LONGEST_NAME, metadata={"example": "Olga's phone"})


class PairingRecord(Schema):
    """A code that waits for a device."""

    id = TypeId("dev", required=True, metadata={"description": "It becomes the device's id."})
    status = ma.fields.String(
        required=True,
        validate=ma.validate.OneOf([each.value for each in Status]),
        metadata={"description": "`expired` also when the code was tried too often, or a newer one took its place."},
    )
    expires_at = Timestamp(required=True)
    device = ma.fields.Nested(DeviceRecord, required=True, allow_none=True, metadata={"description": "Once claimed."})


class PairingCreated(PairingRecord):
    """A new code, which is never answered again."""

    code = ma.fields.String(required=True, metadata={"example": CODE})
    qr_svg = ma.fields.String(
        required=True, metadata={"description": "The QR code of `uri`, as an SVG image.", "example": "<svg …>"}
    )
    uri = ma.fields.String(
        required=True,
        metadata={
            "description": "For the QR code: the code follows the `#`, so that no server gets it.",
            "format": "uri",
            "example": f"https://inbox.example.org/pair#{CODE}",
        },
    )


class PairingPreviewRequest(Schema):
    """A code that a person sees on another screen."""

    code = ma.fields.String(
        required=True,
        load_only=True,
        validate=ma.validate.Length(max=LONGEST_CODE),
        metadata={"description": "In any case, with or without the dash.", "example": CODE},
    )


class PairingPreview(Schema):
    """The account that a code pairs with."""

    name = ma.fields.String(required=True, metadata={"example": "Olga Ivanova"})
    email = ma.fields.String(required=True, metadata={"example": "olga@example.org"})
    expires_at = Timestamp(required=True)


class PairRequest(PairingPreviewRequest):
    """The device to pair."""

    name = Line(LONGEST_NAME, required=True, metadata={"example": "Olga's phone"})
    platform = Line(LONGEST_PLATFORM, metadata={"example": "Android 16, Firefox"})
    hand_off = Flag(
        metadata={
            "description": "Keep the tokens for the app that is installed on the device next: this browser gets a cookie, "
            "with which the app requests them within ten minutes."
        }
    )


class RefreshRequest(Schema):
    """The refresh token of the newest pair. Without it, the hand-off cookie of the browser counts."""

    refresh_token = ma.fields.String(
        load_only=True, validate=ma.validate.Length(max=LONGEST_TOKEN), metadata={"example": TOKEN}
    )


class TokensRecord(Schema):
    """A pair of tokens; neither is ever answered again."""

    device_id = TypeId("dev", required=True)
    access_token = ma.fields.String(required=True, metadata={"example": TOKEN})
    access_expires_at = Timestamp(required=True)
    refresh_token = ma.fields.String(required=True, metadata={"example": TOKEN})
    refresh_expires_at = Timestamp(required=True)


class PairResponse(Schema):
    """The paired device. With `handOff` the tokens are null until the installed app requests them."""

    device_id = TypeId("dev", required=True)
    access_token = ma.fields.String(required=True, allow_none=True, metadata={"example": TOKEN})
    access_expires_at = Timestamp(required=True, allow_none=True)
    refresh_token = ma.fields.String(required=True, allow_none=True, metadata={"example": TOKEN})
    refresh_expires_at = Timestamp(required=True, allow_none=True)
    hand_off_expires_at = Timestamp(
        required=True, allow_none=True, metadata={"description": "Until when the installed app may request the tokens."}
    )
    user = ma.fields.Nested(UserRecord, required=True)


DevicesQuery = page_query("Devices", ("created", "name"))
DevicesPage = page_of(DeviceRecord, "Device")
