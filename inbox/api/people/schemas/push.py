"""Shapes of push: the key of the instance, a device's subscription, and the result of a test (specification 9.13)."""

from __future__ import annotations

import marshmallow as ma

from inbox.api.http.schemas.base import Flag, Schema, SeverityName, Timestamp, TypeId
from inbox.api.http.schemas.enumerations import FailureCode
from inbox.domain.deliveries.push import LONGEST_ENDPOINT, PhoneAlerts

MAX_WORKSPACES = 50
LONGEST_KEY = 128

_LEAST = {"description": "Only incidents that are at least this severe; null: all."}
_ALERTS = {
    "description": "`all`: each alert. `on_call`: only while the person is on call. Pages always come. Left out: as before, at the first time"
    " `on_call` if the workspace has an on-call schedule."
}
_HIDE = {"description": "Notifications have the severity and the workspace, and nothing that a sender wrote."}


class PushWorkspace(Schema):
    """A workspace whose alerts a device receives."""

    workspace_id = TypeId("wsp", required=True)
    min_severity = SeverityName(load_default=None, allow_none=True, metadata=_LEAST)
    alerts = ma.fields.Enum(PhoneAlerts, by_value=True, metadata=_ALERTS)


class PushStatus(Schema):
    """The push status of a device: its workspaces, and the result of the last push."""

    state = ma.fields.String(
        required=True,
        validate=ma.validate.OneOf(["none", "active", "lost", "refused"]),
        metadata={
            "description": "`none`: notifications are off. `lost`: the subscription has ended; opening the app renews it. "
            "`refused`: the push service refuses our calls."
        },
    )
    hide_content = ma.fields.Boolean(required=True, metadata=_HIDE)
    workspaces = ma.fields.List(ma.fields.Nested(PushWorkspace), required=True)
    last_delivered_at = Timestamp(required=True, allow_none=True)
    last_error = FailureCode("Why the last message failed; null: it did not.", allow_none=True, example="http_410")


class PushKeyRecord(Schema):
    """The public key of the instance."""

    public_key = ma.fields.String(
        required=True,
        metadata={
            "description": "`applicationServerKey` of a subscription, in base64url.",
            "example": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        },
    )


class PushKeys(Schema):
    """The keys of a subscription, in base64url."""

    p256dh = ma.fields.String(
        required=True,
        load_only=True,
        validate=ma.validate.Length(max=LONGEST_KEY),
        metadata={"example": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"},
    )
    auth = ma.fields.String(
        required=True,
        load_only=True,
        validate=ma.validate.Length(max=LONGEST_KEY),
        metadata={"example": "BTBZMqHH6r4Tts7J_aSIgg"},
    )


class PushSubscriptionRequest(Schema):
    """The subscription of a browser, and the workspaces of the device. Fields that are left out stay unchanged."""

    endpoint = ma.fields.String(
        required=True,
        load_only=True,
        validate=ma.validate.Length(max=LONGEST_ENDPOINT),
        metadata={"example": "https://updates.push.services.mozilla.com/wpush/v2/gAAAAABk"},
    )
    keys = ma.fields.Nested(PushKeys, required=True)
    hide_content = Flag(metadata=_HIDE)
    workspaces = ma.fields.List(
        ma.fields.Nested(PushWorkspace),
        validate=ma.validate.Length(min=1, max=MAX_WORKSPACES),
        metadata={"description": "At the first time without it: all of your workspaces."},
    )


class PushReceipt(Schema):
    """The result of a test push."""

    delivery_id = TypeId("dlv", required=True)
    status = ma.fields.String(required=True, validate=ma.validate.OneOf(["sent", "failed"]))
    at = Timestamp(required=True)
    status_code = ma.fields.Integer(required=True, allow_none=True, metadata={"example": 201})
    duration_ms = ma.fields.Integer(required=True)
    error = FailureCode("Why it failed; null: it did not.", allow_none=True, example="timeout")
