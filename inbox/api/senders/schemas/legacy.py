"""Shapes of the legacy push format (specification 19.1)."""

from __future__ import annotations

import marshmallow as ma

from inbox.api.http.schemas.base import Schema

EXTRAS = {"description": "`inbox::event` has fields of the event that replace the others."}


class LegacyMessage(Schema):
    """A message to send."""

    message = ma.fields.String(required=True, metadata={"example": "disk 91 % on nas"})
    title = ma.fields.String(metadata={"description": "Missing: the first line of the message.", "example": "Storage"})
    priority = ma.fields.Integer(
        metadata={
            "description": "0 `DEBUG`, to 3 `INFO`, to 7 `WARNING`, to 9 `ERROR`, above `CRITICAL`.",
            "example": 8,
        }
    )
    extras = ma.fields.Dict(keys=ma.fields.String(), metadata=EXTRAS)


class LegacyPushed(Schema):
    """A message that was stored as an event."""

    id = ma.fields.Integer(required=True, metadata={"description": "Made of the id of the event."})
    appid = ma.fields.Integer(required=True, metadata={"description": "Made of the id of the source."})
    message = ma.fields.String(required=True, metadata={"example": "disk 91 % on nas"})
    title = ma.fields.String(required=True, metadata={"example": "Storage"})
    priority = ma.fields.Integer(required=True, metadata={"example": 8})
    extras = ma.fields.Dict(keys=ma.fields.String(), metadata=EXTRAS)
    date = ma.fields.String(required=True, metadata={"example": "2026-11-22T10:15:30.123456+00:00"})


class LegacyVersion(Schema):
    """The version of the service. `commit` and `buildDate` are empty."""

    version = ma.fields.String(required=True)
    commit = ma.fields.String(required=True)
    build_date = ma.fields.String(required=True)


class LegacyHealth(Schema):
    """The health of the service and its database."""

    health = ma.fields.String(required=True, validate=ma.validate.OneOf(["green", "orange"]))
    database = ma.fields.String(required=True, validate=ma.validate.OneOf(["green", "red"]))
