"""Bodies and answers of instance administration (specification 13.3)."""

from __future__ import annotations

import marshmallow as ma

from inbox.api.http.paging import page_of, page_query
from inbox.api.http.schemas.base import Flag, Line, Schema, StrictInteger, Timestamp, TypeId
from inbox.services.instance.system_status import State


class PersonRecord(Schema):
    """An account for administrators of the instance."""

    id = TypeId("usr", required=True)
    email = ma.fields.String(required=True, metadata={"example": "olga@example.org"})
    name = ma.fields.String(required=True, metadata={"example": "Olga"})
    is_instance_admin = Flag(required=True)
    disabled = ma.fields.Function(
        lambda user: user.disabled_at is not None, required=True, metadata={"type": "boolean", "example": False}
    )
    disabled_at = Timestamp(required=True, allow_none=True)
    mfa = Flag(required=True, metadata={"description": "Whether a second factor is set."})
    workspaces = StrictInteger(
        required=True, metadata={"description": "In how many workspaces they are.", "example": 2}
    )
    last_seen_at = Timestamp(required=True, allow_none=True)
    created_at = Timestamp(required=True)
    rev = StrictInteger(required=True, metadata={"example": 1})


class PersonEdit(Schema):
    """Changes of an account. Fields that are left out stay unchanged."""

    is_instance_admin = Flag()
    disabled = Flag(metadata={"description": "A disabled person is signed out everywhere and cannot sign in."})
    leave_gaps = Flag(metadata={"description": "Disable a person whom on-call schedules name: they get gaps (23.8)."})


class TenantRecord(Schema):
    """A workspace for administrators of the instance, without its contents."""

    id = TypeId("wsp", required=True)
    name = ma.fields.String(required=True, metadata={"example": "Acme"})
    slug = ma.fields.String(required=True, metadata={"example": "acme"})
    members = StrictInteger(required=True, metadata={"example": 4})
    sources = StrictInteger(required=True, metadata={"example": 3})
    created_at = Timestamp(required=True)
    deleted_at = Timestamp(required=True, allow_none=True, metadata={"description": "It is removed 7 days later."})


class PartRecord(Schema):
    """The status of one component of the instance."""

    status = ma.fields.String(required=True, validate=ma.validate.OneOf([str(each) for each in State]))
    value = ma.fields.Float(required=True, metadata={"example": 0.4})
    unit = ma.fields.String(required=True, metadata={"example": "seconds"})
    detail = ma.fields.String(required=True, metadata={"example": "Every queue has a worker."})


class SystemRecord(Schema):
    """The status of the instance."""

    version = ma.fields.String(required=True, metadata={"example": "1.0.0"})
    queues = ma.fields.Nested(PartRecord, required=True)
    workers = ma.fields.Nested(PartRecord, required=True)
    scheduler = ma.fields.Nested(PartRecord, required=True)
    database = ma.fields.Nested(PartRecord, required=True)
    feed = ma.fields.Nested(PartRecord, required=True)
    mail = ma.fields.Nested(PartRecord, required=True)
    quarantined_events = StrictInteger(
        required=True, metadata={"description": "Events that could not be routed and wait for a person.", "example": 0}
    )


class PurgeStarted(Schema):
    """The purge was requested; it runs in the background."""

    started = Flag(
        required=True, metadata={"description": "False: Redis is unavailable, and the purge runs within the hour."}
    )


PeopleQuery = page_query("People", ("created", "email", "name"), q=Line(200), disabled=ma.fields.Boolean())
PeoplePage = page_of(PersonRecord, "Person")
TenantsQuery = page_query("Tenants", ("created", "name"), q=Line(200))
TenantsPage = page_of(TenantRecord, "Tenant")
