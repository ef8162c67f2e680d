"""Shapes of sources and their keys (specification 5.1)."""

from __future__ import annotations

import re
from typing import Any

import marshmallow as ma

from inbox.api.http.paging import page_of, page_query
from inbox.api.http.schemas.base import BoundedList, Flag, Line, Schema, SeverityName, Timestamp, TypeId
from inbox.api.http.schemas.event_rows import FINGERPRINT, EventWarning
from inbox.api.http.schemas.list_filters import by_name
from inbox.api.incidents.schemas.incidents import ActorRecord
from inbox.api.senders.schemas.mappings import SourceMapping
from inbox.api.senders.schemas.source_figures import SourceKeyCounts, SourceWarningRecord
from inbox.domain.events import fields, grouping
from inbox.domain.incidents.alerts import ResolveWhen
from inbox.domain.senders import recovery
from inbox.domain.senders.keys import SenderKeyKind
from inbox.domain.senders.recovery_presets import RecoveryPreset
from inbox.intake.registry import SIGNING
from inbox.models.senders.source_summary import MAX_OPEN

MAX_GROUPING_FIELDS = 10
LONGEST_NAME = 100
SHORTEST_SECRET, LONGEST_SECRET = 16, 256
KEY_KINDS = [str(kind) for kind in SenderKeyKind]
_SECRET = re.compile(rf"[!-~]{{{SHORTEST_SECRET},{LONGEST_SECRET}}}")


class GroupingField(ma.fields.String):
    """An event field by which a source's events can be grouped (specification 4.6)."""

    def _deserialize(self, value: object, attr: str | None, data: object, **kwargs: Any) -> str:
        name = super()._deserialize(value, attr, data, **kwargs)
        if len(name) > 255 or not grouping.groupable(name):
            raise ma.ValidationError("Not a field to group by.")
        return str(name)


RECOVERY = (
    "RE2, searched in the title and the message of legacy push messages. A match is a recovery; with a group named"
    " `recovery`, only when that group took part. The group `key` is the `dedupKey`."
)


class RecoveryPattern(ma.fields.String):
    """A pattern by which a source recognizes recoveries (specification 19.3)."""

    def _deserialize(self, value: object, attr: str | None, data: object, **kwargs: Any) -> str:
        pattern = super()._deserialize(value, attr, data, **kwargs)
        fault = recovery.check(pattern) if pattern else "must not be empty"
        if fault is not None:
            raise ma.ValidationError(fault)
        return str(pattern)


_ENDS = ma.validate.OneOf([str(each) for each in ResolveWhen])
_PRESETS = ma.validate.OneOf([str(preset) for preset in RecoveryPreset])


class SourceEdit(Schema):
    """The fields that an administrator can set."""

    name = Line(LONGEST_NAME, metadata={"example": "Prometheus"})
    enabled = Flag(metadata={"description": "A disabled source's keys are answered 401 like revoked ones."})
    default_severity = SeverityName(metadata={"description": "For events that name none."})
    group_by = BoundedList(
        GroupingField(metadata={"example": "resource.kind"}),
        validate=ma.validate.Length(max=MAX_GROUPING_FIELDS),
        metadata={"description": "Fields that make the fingerprint of an event without `dedupKey`."},
    )
    incident_for = ma.fields.String(
        validate=ma.validate.OneOf([str(each) for each in grouping.IncidentFor]),
        metadata={"description": "For Alertmanager and Grafana: `group`, their group (default), or each `alert`."},
    )
    resolve_by = ma.fields.String(
        validate=ma.validate.OneOf(["dedupKey", "fingerprint"]),
        metadata={"description": "`fingerprint`: a recovery without `dedupKey` closes what its fingerprint opened."},
    )
    resolve_when = ma.fields.String(
        validate=ma.validate.OneOf([str(each) for each in ResolveWhen]),
        metadata={
            "description": "`any`: the first recovery of an alert resolves the incident. Default: `all` of them."
        },
    )
    routing_profile_id = TypeId(
        "prf",
        allow_none=True,
        metadata={"description": "What no rule decides is routed by it; null: the default route."},
    )
    allow_query_token = Flag(metadata={"description": "An alias token may be in the query. Proxies may log it."})
    allow_sender_acknowledge = Flag(metadata={"description": "Acknowledging in the tool acknowledges the incident."})
    keep_open_on_missing_data = Flag(metadata={"description": "An end for want of data leaves the incident open."})
    recovery_pattern = RecoveryPattern(allow_none=True, metadata={"description": RECOVERY, "example": "^RESOLVED"})
    recovery_preset = ma.fields.String(
        allow_none=True,
        validate=_PRESETS,
        metadata={"description": "A pattern of ours for the messages of a tool. `recoveryPattern` is tried first."},
    )
    mapping = ma.fields.Nested(
        SourceMapping, allow_none=True, metadata={"description": "How any payload becomes events; null: none."}
    )


class SourceNew(SourceEdit):
    """A new source."""

    workspace_id = TypeId("wsp", required=True)
    name = Line(LONGEST_NAME, required=True, metadata={"example": "Prometheus"})
    kind = ma.fields.String(load_default="events", validate=ma.validate.OneOf(["events"]))


class SourceRecord(Schema):
    """A source (specification 5.1)."""

    id = TypeId("src", required=True)
    workspace_id = TypeId("wsp", required=True)
    name = ma.fields.String(required=True)
    kind = ma.fields.String(required=True)
    enabled = ma.fields.Boolean(required=True)
    default_severity = SeverityName(required=True)
    group_by = ma.fields.List(ma.fields.String(), required=True)
    incident_for = ma.fields.String(required=True)
    resolve_by = ma.fields.String(required=True)
    resolve_when = ma.fields.String(required=True)
    routing_profile_id = TypeId("prf", required=True, allow_none=True)
    allow_query_token = ma.fields.Boolean(required=True)
    allow_sender_acknowledge = ma.fields.Boolean(required=True)
    keep_open_on_missing_data = ma.fields.Boolean(required=True)
    expect_every_seconds = ma.fields.Integer(required=True, allow_none=True)
    recovery_pattern = ma.fields.String(required=True, allow_none=True)
    recovery_preset = ma.fields.String(required=True, allow_none=True, validate=_PRESETS)
    mapping = ma.fields.Nested(SourceMapping, required=True, allow_none=True)
    last_event_at = Timestamp(required=True, allow_none=True)
    events_last_24h = ma.fields.Integer(
        required=True, data_key="eventsLast24h", metadata={"description": "Counted up to 100,000."}
    )
    warnings = ma.fields.List(
        ma.fields.Nested(SourceWarningRecord),
        required=True,
        metadata={
            "description": "Changes of its events at receipt, the latest first; a second late, stored for 30 days."
        },
    )
    warnings_last_24h = ma.fields.Integer(
        required=True,
        data_key="warningsLast24h",
        metadata={"description": "Warnings in the 24 newest hours of the clock, the present one included."},
    )
    keys = ma.fields.Nested(
        SourceKeyCounts,
        required=True,
        allow_none=True,
        attribute="key_counts",
        metadata={"description": "Null for callers who do not administer the workspace."},
    )
    open_incidents = ma.fields.Integer(required=True, metadata={"description": f"Counted up to {MAX_OPEN:,}."})
    created_at = Timestamp(required=True)
    deleted_at = Timestamp(required=True, allow_none=True)
    rev = ma.fields.Integer(required=True)


class TestEventNew(Schema):
    """A test event to send."""

    severity = SeverityName(metadata={"description": "Missing: the default severity of the source."})
    title = Line(fields.TITLE_LIMIT, metadata={"description": "Missing: `Test event`.", "example": "Try the rules"})


class TestEventAccepted(Schema):
    """The stored test event. Routing follows at once."""

    id = TypeId("evt", required=True)
    fingerprint = ma.fields.String(required=True, metadata=FINGERPRINT)
    warnings = ma.fields.List(ma.fields.Nested(EventWarning), required=True)


class SigningSecretText(ma.fields.String):
    """A signing secret that a tool made (specification 19.13)."""

    def _deserialize(self, value: object, attr: str | None, data: object, **kwargs: Any) -> str:
        text = str(super()._deserialize(value, attr, data, **kwargs))
        if _SECRET.fullmatch(text) is None:
            raise ma.ValidationError(f"Must be {SHORTEST_SECRET} to {LONGEST_SECRET} visible ASCII characters.")
        return text


class KeyNew(Schema):
    """A new key."""

    name = Line(LONGEST_NAME, load_default="Key", metadata={"example": "nightly backup"})
    kind = ma.fields.String(
        load_default=str(SenderKeyKind.SOURCE_KEY),
        validate=ma.validate.OneOf(KEY_KINDS),
        metadata={
            "description": "`alias_token`: for senders in the legacy push format. `signing_secret`: for a tool that signs."
            " `mail_address`: the part before the `@` of an address, where this instance receives mails."
            " `ping_key`: for pings of heartbeat monitors by their slugs.",
            "example": "source_key",
        },
    )
    tool = ma.fields.String(
        validate=ma.validate.OneOf(SIGNING), metadata={"description": "Required for a signing secret, and only there."}
    )
    secret = SigningSecretText(
        metadata={
            "description": "A signing secret that the tool made; required for `sentry`. Missing: the service makes one.",
            "pattern": f"^{_SECRET.pattern}$",
            "example": "0f8c1d2e3a4b5c6d7e8f9a0b1c2d3e4f",
        }
    )


class KeyClient(Schema):
    """A client that used a key."""

    network = ma.fields.String(
        required=True,
        metadata={"description": "The address, or the /64 network of an IPv6 address.", "example": "203.0.113.7"},
    )
    user_agent = ma.fields.String(
        required=True, metadata={"description": "Empty when none was sent.", "example": "curl/8.14.1"}
    )


class KeyRecord(Schema):
    """A key. Its secret was shown once, when it was created."""

    id = TypeId("key", required=True)
    source_id = TypeId("src", required=True)
    kind = ma.fields.String(required=True, validate=ma.validate.OneOf(KEY_KINDS), metadata={"example": "source_key"})
    tool = ma.fields.String(
        required=True,
        allow_none=True,
        validate=ma.validate.OneOf(SIGNING),
        metadata={"description": "The tool of a signing secret; null for the others."},
    )
    name = ma.fields.String(required=True)
    hint = ma.fields.String(required=True, metadata={"description": "Its last four characters.", "example": "x7Qd"})
    created_at = Timestamp(required=True)
    created_by = ma.fields.Nested(
        ActorRecord,
        required=True,
        allow_none=True,
        attribute="creator",
        metadata={"description": "Null: the account was removed by the purge, or the command line created the key."},
    )
    last_used_at = Timestamp(required=True, allow_none=True)
    last_used_from = ma.fields.Nested(
        KeyClient,
        required=True,
        allow_none=True,
        metadata={"description": "The client of the last use, to the minute; null before the first one."},
    )
    grace_ends_at = Timestamp(
        required=True, allow_none=True, metadata={"description": "Set when it was rotated away: it works until then."}
    )
    revoked_at = Timestamp(required=True, allow_none=True)


class KeyCreated(KeyRecord):
    """A new key. `secret` is never answered again."""

    secret = ma.fields.String(required=True, metadata={"example": "svc_src_…"})


class KeyOnScreen(KeyRecord):
    """A key on the API-keys screen, with the name of its source."""

    source_name = ma.fields.String(required=True, attribute="source.name")


SourcesQuery = page_query(
    "Sources",
    ("created", "name"),
    workspace_id=TypeId("wsp"),
    deleted=ma.fields.Boolean(metadata={"description": "The deleted ones in place of the others."}),
    q=by_name(),
)
SourcesPage = page_of(SourceRecord, "Source")
SourceKeysQuery = page_query("SourceKeys", ("created",))
KeysQuery = page_query("Keys", ("created", "source"), workspace_id=TypeId("wsp"))
KeysPage = page_of(KeyRecord, "Key")
KeysOnScreenPage = page_of(KeyOnScreen, "KeyOnScreen")
