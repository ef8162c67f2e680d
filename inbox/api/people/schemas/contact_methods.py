"""Shapes of contact methods and notification rules (specification 23.11)."""

from __future__ import annotations

from typing import Any

import marshmallow as ma

from inbox.api.http.paging import page_of, page_query
from inbox.api.http.schemas.base import BoundedList, Line, Schema, StrictInteger, Timestamp, TypeId
from inbox.api.people.schemas.accounts import Email
from inbox.destinations import PERSONAL_KINDS
from inbox.domain.people.notification_rules import MAX_MINUTES, MAX_RULES, RulesProblem
from inbox.services.people.contact_methods import EMAIL
from inbox.services.people.notification_rules import is_method

LONGEST_ADDRESS = 254
_CODE = r"[0-9]{6}\Z"


class ContactMethodNew(Schema):
    """A further address by which the caller is paged."""

    kind = ma.fields.String(
        required=True,
        validate=ma.validate.OneOf([EMAIL, *PERSONAL_KINDS]),
        metadata={"example": EMAIL, "description": "`email`, or the kind of the provider."},
    )
    address = Line(
        LONGEST_ADDRESS, required=True, metadata={"example": "mia@example.net", "description": "An address or number."}
    )
    provider_id = TypeId("dst", metadata={"description": "The destination that reaches the address; not for `email`."})

    @ma.validates_schema
    def _check(self, fields: dict[str, Any], **_: Any) -> None:
        """Checks the address of a mail. Raises `ValidationError`."""
        if fields.get("kind") == EMAIL and "address" in fields:
            try:
                Email().deserialize(fields["address"])
            except ma.ValidationError as wrong:
                raise ma.ValidationError(wrong.messages, "address") from None


class ContactMethodRecord(Schema):
    """A contact method of the caller."""

    id = TypeId("cme", required=True)
    kind = ma.fields.String(required=True, metadata={"example": EMAIL})
    address = ma.fields.String(required=True, metadata={"example": "mia@example.net"})
    provider_id = TypeId("dst", required=True, allow_none=True, metadata={"description": "Null: mail."})
    confirmed_at = Timestamp(required=True, allow_none=True, metadata={"description": "Null: it is not used yet."})
    disabled_at = Timestamp(
        required=True, allow_none=True, metadata={"description": "When the address refused messages; null: it is used."}
    )
    created_at = Timestamp(required=True)


class ContactProvider(Schema):
    """A destination that contact methods can name, with the field that a person enters."""

    id = TypeId("dst", required=True)
    kind = ma.fields.String(required=True, metadata={"example": "twilio_sms"})
    name = ma.fields.String(required=True, metadata={"example": "Text messages"})
    label = ma.fields.String(required=True, metadata={"example": "SMS"})
    workspace_id = TypeId("wsp", required=True)
    workspace_name = ma.fields.String(required=True, metadata={"example": "Shop"})
    field_label = ma.fields.String(required=True, metadata={"example": "To"})
    help = ma.fields.String(required=True, metadata={"example": "The phone number with its country code."})
    example = ma.fields.String(required=True, metadata={"example": "+491700000000"})
    pattern = ma.fields.String(
        required=True, allow_none=True, metadata={"description": "A regular expression for the whole address."}
    )


class ContactProviders(Schema):
    """What contact methods can be added beside mail."""

    items = ma.fields.List(ma.fields.Nested(ContactProvider), required=True)


class ContactCode(Schema):
    """The code that was sent to the address."""

    code = ma.fields.String(
        required=True,
        load_only=True,
        validate=ma.validate.Regexp(_CODE, error="A code has six digits."),
        metadata={"example": "012345"},
    )


ContactMethodsQuery = page_query("ContactMethods", ("created",))
ContactMethodsPage: Any = page_of(ContactMethodRecord, "ContactMethod")


def _is_method(text: str) -> None:
    if not is_method(text):
        raise ma.ValidationError("Name push, email or the id of a contact method.")


class NotificationRuleFields(Schema):
    """A rule: by which method a page is sent, and how long after it began."""

    after_minutes = StrictInteger(
        required=True, validate=ma.validate.Range(0, MAX_MINUTES), metadata={"example": 5, "description": "0: at once."}
    )
    method = ma.fields.String(
        required=True,
        validate=_is_method,
        metadata={
            "example": "push",
            "description": "`push`: all paired devices; `email`: the address of the account; or a contact method.",
        },
    )


def _rules(description: str) -> BoundedList:
    return BoundedList(
        ma.fields.Nested(NotificationRuleFields),
        required=True,
        validate=ma.validate.Length(max=MAX_RULES),
        metadata={"description": description},
    )


class NotificationRulesFields(Schema):
    """Both lists of the caller's notification rules."""

    default = _rules("Empty: push and mail to the account at once.")
    critical = _rules("For incidents that are `CRITICAL`. Empty: the default list.")


class NotificationRulesRecord(NotificationRulesFields):
    """The notification rules of the caller."""

    rev = StrictInteger(required=True, metadata={"example": 1, "description": "0 before the first change."})
    offered = ma.fields.Nested(
        NotificationRulesFields,
        required=True,
        allow_none=True,
        metadata={"description": "Rules of another tool that an import offers. No page uses them.", "example": None},
    )
    problems = ma.fields.List(
        ma.fields.Enum(RulesProblem, by_value=True),
        required=True,
        metadata={"description": "Why pages may reach you late or not at all.", "example": ["no_phone"]},
    )
