"""The shape of the data for the first page of a client (specification 11.9)."""

from __future__ import annotations

import marshmallow as ma

from inbox.api.http.schemas.base import Flag, Schema
from inbox.api.incidents.schemas.incidents import IncidentCounts
from inbox.api.instance.schemas.info import InfoRecord
from inbox.api.people.schemas.accounts import MeRecord
from inbox.api.people.schemas.preferences import PreferencesRecord
from inbox.api.workspaces.schemas.workspaces import WorkspaceRecord


class Progress(Schema):
    """The missing steps of the set-up of a new instance."""

    has_event = Flag(required=True, metadata={"description": "A workspace of the caller has received an event."})
    has_sent_delivery = Flag(required=True, metadata={"description": "A notice reached a destination there."})
    has_device = Flag(required=True, metadata={"description": "The caller has paired a device."})


class StartRecord(Schema):
    """The instance, the caller, their workspaces by name, and the counts of unresolved incidents."""

    info = ma.fields.Nested(InfoRecord, required=True)
    me = ma.fields.Nested(MeRecord, required=True)
    preferences = ma.fields.Nested(PreferencesRecord, required=True)
    workspaces = ma.fields.List(ma.fields.Nested(WorkspaceRecord), required=True)
    counts = ma.fields.Nested(IncidentCounts, required=True)
    progress = ma.fields.Nested(Progress, required=True)
