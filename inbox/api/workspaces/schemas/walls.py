"""Shapes of the wall display and its link (specification 12.11)."""

from __future__ import annotations

import marshmallow as ma

from inbox.api.http.schemas.base import Schema, SeverityName, Timestamp, TypeId
from inbox.domain.heartbeats.monitor import HeartbeatStatus
from inbox.domain.incidents.state_machine import State

TOKEN = "svc_wall_0000000000000000000000000000000000000000000000000"


class WallLink(Schema):
    """The state of the link. The link itself is never answered again."""

    created_at = Timestamp(required=True, allow_none=True, metadata={"description": "Null: there is no link."})


class WallLinkCreated(WallLink):
    """The new link, answered this once."""

    link = ma.fields.String(
        required=True,
        metadata={"format": "uri", "example": f"http://127.0.0.1:8080/wall#token={TOKEN}"},
    )


class WallToken(Schema):
    """The token of the link. Any value is accepted here: all invalid tokens get the same refusal."""

    token = ma.fields.Raw(required=True, allow_none=True, load_only=True, metadata={"type": "string", "example": TOKEN})


class WallIncident(Schema):
    """An open or acknowledged incident, without its text, tags and people."""

    id = TypeId("inc", required=True)
    title = ma.fields.String(required=True)
    severity = SeverityName(required=True)
    state = ma.fields.String(required=True, validate=ma.validate.OneOf([str(each) for each in State]))
    resource = ma.fields.String(required=True, allow_none=True)
    first_seen_at = Timestamp(required=True)
    reopen_count = ma.fields.Integer(required=True)


class WallMonitor(Schema):
    """A heartbeat monitor that is down or late."""

    name = ma.fields.String(required=True)
    status = ma.fields.String(required=True, validate=ma.validate.OneOf([str(each) for each in HeartbeatStatus]))


class WallHeartbeats(Schema):
    """The monitors by status, and some that are down or late."""

    by_status = ma.fields.Dict(keys=ma.fields.String(), values=ma.fields.Integer(), required=True)
    named = ma.fields.List(ma.fields.Nested(WallMonitor), required=True)


class WallDisplay(Schema):
    """What the wall display shows."""

    at = Timestamp(required=True)
    workspace_name = ma.fields.String(required=True)
    timezone = ma.fields.String(required=True, metadata={"example": "Europe/Berlin"})
    by_state = ma.fields.Dict(keys=ma.fields.String(), values=ma.fields.Integer(), required=True)
    by_severity = ma.fields.Dict(
        keys=ma.fields.String(),
        values=ma.fields.Integer(),
        required=True,
        metadata={"description": "Of open and acknowledged ones."},
    )
    incidents = ma.fields.List(
        ma.fields.Nested(WallIncident), required=True, metadata={"description": "At most 40, the most severe first."}
    )
    heartbeats = ma.fields.Nested(WallHeartbeats, required=True)
