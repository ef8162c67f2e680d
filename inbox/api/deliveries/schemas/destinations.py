"""Shapes of destinations (specification 9.3)."""

from __future__ import annotations

from typing import Any

import marshmallow as ma

from inbox.api.deliveries.schemas.destination_texts import TEMPLATE, TemplateSetting
from inbox.api.http.paging import page_of, page_query
from inbox.api.http.schemas.base import BoundedDict, Flag, Line, Schema, SeverityName, Timestamp, TypeId
from inbox.api.http.schemas.enumerations import LENIENT, FailureCode
from inbox.api.http.schemas.list_filters import by_name
from inbox.destinations import ROUTABLE
from inbox.domain.deliveries.delivery import REFUSAL_STATUS
from inbox.domain.deliveries.digests import Every
from inbox.domain.explaining.destination_text import HealthState
from inbox.flow.delivery.senders import AttemptOutcome

LONGEST_NAME = 100

_CONFIG = {
    "description": "The fields that `GET /v1/destination-kinds` lists for the kind. Of a `webhook`: `url`, and `secret`:"
    " `whsec_` and base64 of 24 to 64 bytes, made by the caller.",
    "example": {
        "url": "https://hooks.example.org/inbox",
        "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=",
    },
}
_PUBLIC = {
    "description": "Secrets are shown as hints only.",
    "example": {"url": "https://hooks.example.org/inbox", "secretHint": "…GKYo"},
}
_QUIET = {"description": "During quiet hours, only what is at least this severe; null: quiet hours do not apply."}
_MIN_SEVERITY = {"description": "Only incidents that are at least this severe; null: all."}
_UPDATES = {"description": "Also recoveries and changes of state; off: only when something breaks."}
_DETAILS = {"description": "Also what the newest event says: the first lines of its body, its tags and links."}
_CONTACTS = {
    "example": False,
    "description": "Members may name it in contact methods, so that pages reach them by its settings. Only for kinds with a"
    " `contactField`.",
}
_NOTES = {"description": "Also notes that people add; without effect where `sendUpdates` is off."}


_DIGEST = {
    "description": "Notices gather and are sent as one message at these times; null: each is sent at once. CRITICAL"
    " notices never wait. Only for kinds with the ability `digests`.",
}


class DigestSetting(Schema):
    """The interval of the digest of a destination."""

    every = ma.fields.String(
        required=True, validate=ma.validate.OneOf([str(each) for each in Every]), metadata={"example": "hour"}
    )
    at = ma.fields.String(
        validate=ma.validate.Regexp(r"([01][0-9]|2[0-3]):[0-5][0-9]\Z"),
        metadata={"description": "Of `day` only: the time by the clock of the workspace.", "example": "18:00"},
    )

    @ma.validates_schema
    def _check(self, fields: dict[str, Any], **_: Any) -> None:
        """Checks that a daily digest, and no other, has a time. Raises `ValidationError`."""
        if (fields.get("every") == Every.DAY) != ("at" in fields):
            raise ma.ValidationError("Give a time for `day`, and only then.", "at")


class DestinationEdit(Schema):
    """The fields that an administrator may change. Settings that `config` leaves out stay unchanged.

    A stored secret that would be sent to another address must be given again.
    """

    name = Line(LONGEST_NAME, metadata={"example": "On-call webhook"})
    config = BoundedDict(keys=ma.fields.String(), metadata=_CONFIG)
    enabled = Flag(metadata={"description": "Off: nothing is sent, and what waits never will be."})
    send_updates = Flag(metadata=_UPDATES)
    send_notes = Flag(metadata=_NOTES)
    include_details = Flag(metadata=_DETAILS)
    for_contact_methods = Flag(metadata=_CONTACTS)
    min_severity = SeverityName(allow_none=True, metadata=_MIN_SEVERITY)
    quiet_hours_threshold = SeverityName(allow_none=True, metadata=_QUIET)
    digest = ma.fields.Nested(DigestSetting, allow_none=True, metadata=_DIGEST)
    template = ma.fields.Nested(TemplateSetting, allow_none=True, metadata=TEMPLATE)


class DestinationNew(DestinationEdit):
    """A new destination."""

    workspace_id = TypeId("wsp", required=True)
    name = Line(LONGEST_NAME, required=True, metadata={"example": "On-call webhook"})
    kind = ma.fields.String(required=True, validate=ma.validate.OneOf(list(ROUTABLE)), metadata={"example": "webhook"})
    config = BoundedDict(keys=ma.fields.String(), required=True, metadata=_CONFIG)


class Stopped(Schema):
    """The time since which nothing is sent, and the answer of the receiver that caused it."""

    at = Timestamp(required=True)
    reason = ma.fields.String(
        required=True,
        metadata={
            "description": f"The status of that answer. {LENIENT}",
            "pattern": REFUSAL_STATUS,
            "example": "http_410",
        },
    )


class Named(Schema):
    """An id and its name."""

    name = ma.fields.String(required=True)


class RuleNamed(Named):
    """A rule that sends to a destination."""

    id = TypeId("rul", required=True)


class ProfileNamed(Named):
    """A routing profile that sends to a destination."""

    id = TypeId("prf", required=True)


class UsedBy(Schema):
    """The rules and routing profiles that send to a destination: up to 20, and their number."""

    default_route = ma.fields.Boolean(required=True)
    rules = ma.fields.List(ma.fields.Nested(RuleNamed), required=True)
    rules_total = ma.fields.Integer(required=True)
    routing_profiles = ma.fields.List(ma.fields.Nested(ProfileNamed), required=True)
    routing_profiles_total = ma.fields.Integer(required=True)


class LastDeliveryRecord(Schema):
    """The last message that was sent or failed permanently."""

    status = ma.fields.String(required=True, validate=ma.validate.OneOf(["none", "sent", "failed"]))
    at = Timestamp(required=True, allow_none=True)
    reason = FailureCode("Why it failed; null: it did not.", allow_none=True, example="timeout")
    delivery_id = TypeId("dlv", required=True, allow_none=True)


class DestinationHealth(Schema):
    """The health of a destination: a status and a sentence."""

    state = ma.fields.String(required=True, validate=ma.validate.OneOf([str(state) for state in HealthState]))
    text = ma.fields.String(required=True, metadata={"example": "The last delivery was accepted."})
    since = Timestamp(
        required=True, allow_none=True, metadata={"description": "When it stopped, or the time of the last delivery."}
    )
    rejections_in_a_row = ma.fields.Integer(required=True)
    rejections_allowed = ma.fields.Integer(
        required=True, metadata={"description": "With so many it stops.", "example": 5}
    )


class DestinationRecord(Schema):
    """A destination. Its secrets are never answered."""

    id = TypeId("dst", required=True)
    workspace_id = TypeId("wsp", required=True)
    name = ma.fields.String(required=True)
    kind = ma.fields.String(required=True, metadata={"example": "webhook"})
    config = ma.fields.Dict(required=True, metadata=_PUBLIC)
    enabled = ma.fields.Boolean(required=True)
    health = ma.fields.Nested(DestinationHealth, required=True)
    send_updates = ma.fields.Boolean(required=True, metadata=_UPDATES)
    send_notes = ma.fields.Boolean(required=True, metadata=_NOTES)
    include_details = ma.fields.Boolean(required=True, metadata=_DETAILS)
    for_contact_methods = ma.fields.Boolean(required=True, metadata=_CONTACTS)
    min_severity = SeverityName(required=True, allow_none=True, metadata=_MIN_SEVERITY)
    quiet_hours_threshold = SeverityName(required=True, allow_none=True, metadata=_QUIET)
    digest = ma.fields.Nested(DigestSetting, required=True, allow_none=True, metadata=_DIGEST)
    template = ma.fields.Nested(TemplateSetting, required=True, allow_none=True, metadata=TEMPLATE)
    stopped = ma.fields.Nested(
        Stopped,
        required=True,
        allow_none=True,
        metadata={"description": "Set while the receiver refuses; an edit or a successful test resumes it."},
    )
    used_by = ma.fields.Nested(UsedBy, required=True)
    last_delivery = ma.fields.Nested(LastDeliveryRecord, required=True)
    created_at = Timestamp(required=True)
    deleted_at = Timestamp(required=True, allow_none=True)
    rev = ma.fields.Integer(required=True)


class SentRequestRecord(Schema):
    """A request as it was sent, without its secrets."""

    method = ma.fields.String(required=True, metadata={"example": "POST"})
    url = ma.fields.String(required=True, metadata={"description": "Its beginning, where the address is a secret."})
    headers = ma.fields.Dict(keys=ma.fields.String(), values=ma.fields.String(), required=True)
    body = ma.fields.String(required=True, metadata={"description": "At most 16,384 characters."})


class TestReceipt(Schema):
    """The result of a test send."""

    __test__ = False

    delivery_id = TypeId("dlv", required=True)
    status = ma.fields.String(required=True, validate=ma.validate.OneOf(["sent", "failed"]))
    at = Timestamp(required=True)
    status_code = ma.fields.Integer(required=True, allow_none=True, metadata={"example": 204})
    duration_ms = ma.fields.Integer(required=True)
    error = FailureCode("Why it failed; null: it did not.", allow_none=True, example="timeout")
    response_excerpt = ma.fields.String(
        required=True,
        metadata={
            "description": "The beginning of the answer, sanitised, at most 2 KiB; empty unless it came from a public address."
        },
    )
    request = ma.fields.Nested(
        SentRequestRecord, required=True, allow_none=True, metadata={"description": "Null: nothing could be sent."}
    )


def receipt_of_test(outcome: AttemptOutcome) -> dict[str, Any]:
    """Returns the fields of `TestReceipt`. `PushReceipt` leaves out the excerpt."""
    receipt = outcome.receipt
    return {
        "delivery_id": outcome.delivery.id,
        "status": "sent" if receipt.is_accepted else "failed",
        "at": outcome.started_at,
        "status_code": receipt.status_code,
        "duration_ms": receipt.duration_ms,
        "error": None if receipt.is_accepted else receipt.reason,
        "response_excerpt": receipt.excerpt,
        "request": outcome.requests[-1] if outcome.requests else None,
    }


class ReplayRequest(Schema):
    """The period whose failed deliveries are sent again."""

    since = Timestamp(required=True, metadata={"description": "At most 14 days ago."})
    until = Timestamp(metadata={"description": "Now, when left out."})


class ReplayResponse(Schema):
    """The number of new deliveries."""

    deliveries = ma.fields.Integer(required=True)
    more = ma.fields.Boolean(required=True, metadata={"description": "Repeat the request for the rest."})
    stale = ma.fields.Integer(
        required=True,
        metadata={
            "description": "Left out, since they would set the state of an incident back. At most 1,000 are counted."
        },
    )


class RetryResponse(Schema):
    """The number of deliveries that are due now."""

    deliveries = ma.fields.Integer(required=True)


DestinationsQuery = page_query(
    "Destinations",
    ("created", "name"),
    workspace_id=TypeId("wsp"),
    deleted=ma.fields.Boolean(metadata={"description": "The deleted ones in place of the others."}),
    q=by_name(),
)
DestinationsPage = page_of(DestinationRecord, "Destination")
