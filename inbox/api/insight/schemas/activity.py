"""Shapes of the activity of incidents and sources (specification 7.12)."""

from __future__ import annotations

import marshmallow as ma

from inbox.api.http.schemas.base import BoundedList, Schema, Timestamp, TypeId
from inbox.models.insight.activity import MAX_OF_INCIDENT, MAX_OF_SOURCE
from inbox.services.insight.activity import MAX_INCIDENTS, MAX_PERIODS, MAX_SOURCES, Period


class ActivityQuery(Schema):
    """The periods that are counted."""

    bucket = ma.fields.Enum(Period, by_value=True, load_default=Period.HOUR)
    buckets = ma.fields.Integer(
        load_default=24,
        validate=ma.validate.Range(1, MAX_PERIODS),
        metadata={"description": "The number of periods. The last one is the present one."},
    )


def _ids(prefix: str, most: int) -> BoundedList:
    return BoundedList(
        TypeId(prefix),
        load_default=list,
        validate=ma.validate.Length(max=most),
        metadata={"description": f"Repeat it, at most {most} times."},
    )


class IncidentActivityQuery(ActivityQuery):
    """The incidents and the periods."""

    id = _ids("inc", MAX_INCIDENTS)


class SourceActivityQuery(ActivityQuery):
    """The sources and the periods."""

    id = _ids("src", MAX_SOURCES)


def _counts(most: int) -> ma.fields.List[int]:
    return ma.fields.List(
        ma.fields.Integer(),
        required=True,
        metadata={
            "description": f"The events of each period, the oldest first. {most:,} stands for {most:,} or more.",
            "example": [0, 2, 1],
        },
    )


class IncidentActivityRecord(Schema):
    """The events of an incident."""

    id = TypeId("inc", required=True)
    counts = _counts(MAX_OF_INCIDENT)


class SourceActivityRecord(Schema):
    """The events of a source."""

    id = TypeId("src", required=True)
    counts = _counts(MAX_OF_SOURCE)


class Activity(Schema):
    """The periods that were counted."""

    since = Timestamp(required=True, metadata={"description": "The start of the first period."})
    bucket = ma.fields.Enum(Period, by_value=True, required=True)


class IncidentActivity(Activity):
    """The events of incidents by period. Incidents that the caller cannot see are left out."""

    items = ma.fields.List(ma.fields.Nested(IncidentActivityRecord), required=True)


class SourceActivity(Activity):
    """The events of sources by period. Sources that the caller cannot see are left out."""

    items = ma.fields.List(ma.fields.Nested(SourceActivityRecord), required=True)
