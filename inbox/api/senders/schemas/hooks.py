"""Shapes of the webhooks of tools (specification 19.5)."""

from __future__ import annotations

import marshmallow as ma

from inbox.api.http.schemas.base import Schema
from inbox.api.senders.schemas.events import EventReceipt


class HookFault(Schema):
    """An item of the payload that gave no event."""

    pointer = ma.fields.String(required=True, metadata={"example": "/alerts/3/fingerprint"})
    detail = ma.fields.String(required=True, metadata={"example": "is required, as a text or a number"})


class HookAccepted(Schema):
    """The stored events of a payload, which may have none."""

    events = ma.fields.List(ma.fields.Nested(EventReceipt), required=True)
    faults = ma.fields.List(ma.fields.Nested(HookFault), required=True)
