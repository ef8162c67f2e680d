"""Shapes of the versions of rules and routing profiles (specification 6.11)."""

from __future__ import annotations

import marshmallow as ma

from inbox.api.http.schemas.base import Schema, StrictInteger, Timestamp
from inbox.api.incidents.schemas.incidents import ActorRecord
from inbox.api.routing.schemas.profiles import ProfileRecord
from inbox.api.routing.schemas.rules import RuleRecord
from inbox.models.routing.versions import MAX_VERSIONS

_MOST = f"At most {MAX_VERSIONS}."

NO_RULE_FIELDS = (
    "id",
    "workspace_id",
    "position",
    "matched_last_24h",
    "last_matched_at",
    "too_costly",
    "created_at",
    "rev",
    "deleted_at",
)
NO_PROFILE_FIELDS = ("id", "workspace_id", "used_by", "created_at", "rev", "deleted_at")


class RuleFields(RuleRecord):
    """The fields of a rule at one revision."""

    class Meta:
        unknown = ma.RAISE
        exclude = NO_RULE_FIELDS


class ProfileFields(ProfileRecord):
    """The fields of a routing profile at one revision."""

    class Meta:
        unknown = ma.RAISE
        exclude = NO_PROFILE_FIELDS


class VersionRecord(Schema):
    """A saved revision."""

    rev = ma.fields.Integer(required=True, metadata={"example": 3})
    at = Timestamp(required=True)
    actor = ma.fields.Nested(ActorRecord, required=True, metadata={"description": "The actor who saved it."})


class RuleVersionRecord(VersionRecord):
    """A revision of a rule."""

    rule = ma.fields.Nested(RuleFields, required=True)


class ProfileVersionRecord(VersionRecord):
    """A revision of a routing profile."""

    routing_profile = ma.fields.Nested(ProfileFields, required=True)


class RevertRequest(Schema):
    """The version to save again."""

    rev = StrictInteger(required=True, validate=ma.validate.Range(min=1), metadata={"example": 3})


class RuleVersions(Schema):
    """The last revisions of a rule, the newest first."""

    items = ma.fields.List(ma.fields.Nested(RuleVersionRecord), required=True, metadata={"description": _MOST})


class ProfileVersions(Schema):
    """The last revisions of a routing profile, the newest first."""

    items = ma.fields.List(ma.fields.Nested(ProfileVersionRecord), required=True, metadata={"description": _MOST})
