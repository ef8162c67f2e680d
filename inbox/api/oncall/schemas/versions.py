"""Shapes of the versions of on-call schedules (specification 23.5)."""

from __future__ import annotations

import marshmallow as ma

from inbox.api.http.schemas.base import Schema
from inbox.api.oncall.schemas.schedules import ScheduleRecord
from inbox.api.routing.schemas.versions import VersionRecord
from inbox.models.routing.versions import MAX_VERSIONS


class ScheduleFields(ScheduleRecord):
    """The fields of a schedule at one revision."""

    class Meta:
        unknown = ma.RAISE
        exclude = (
            "id",
            "workspace_id",
            "problems",
            "notice_destination_id",
            "calendar",
            "slack",
            "created_at",
            "rev",
            "deleted_at",
        )


class ScheduleVersionRecord(VersionRecord):
    """A revision of a schedule."""

    schedule = ma.fields.Nested(ScheduleFields, required=True)


class ScheduleVersions(Schema):
    """The last revisions of a schedule, the newest first."""

    items = ma.fields.List(
        ma.fields.Nested(ScheduleVersionRecord), required=True, metadata={"description": f"At most {MAX_VERSIONS}."}
    )
