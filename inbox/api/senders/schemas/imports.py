"""Shapes of imports (specification 22)."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Any

import marshmallow as ma

from inbox.api.http.schemas.base import BoundedList, Flag, Schema, TypeId
from inbox.api.http.schemas.windows import TimeZone
from inbox.intake.importers.import_kind import ImportForm
from inbox.intake.importers.plan import MAX_SETUP_ITEMS, PING_URL, REFERENCE_LIMIT, ItemKind
from inbox.intake.importers.registry import KINDS
from inbox.services.senders.import_reading import MAX_FILE, MAX_TEXT
from inbox.services.senders.imports import ItemStatus

LONGEST_ADDRESS = 1000
LONGEST_TOKEN = 500

_PREFIXES = {
    ItemKind.SOURCE: "src",
    ItemKind.MONITOR: "mon",
    ItemKind.RULE: "rul",
    ItemKind.SILENCE: "sil",
    ItemKind.PERSON: "usr",
    ItemKind.SCHEDULE: "sch",
    ItemKind.PROFILE: "prf",
}
_KIND = {"description": "The tool whose set-up is read (`GET /v1/import-kinds`).", "example": "crontab"}
_REFERENCE = {"description": "The entry of the other tool. It stays the same in later imports.", "example": "crontab"}
_TIME = {"format": "date-time", "example": "2026-11-30T09:00:00Z"}
_SNIPPET = {"description": f"A text for the other machine. `{PING_URL}` stands for the address of pings."}


class FileContent(ma.fields.Field[bytes]):
    """The bytes of a file in base64."""

    def _serialize(self, value: bytes | None, attr: str | None, obj: object, **kwargs: Any) -> str | None:
        return None if value is None else base64.b64encode(value).decode()

    def _deserialize(self, value: object, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> bytes:
        if not isinstance(value, str):
            raise ma.ValidationError("Must be a text in base64.")
        try:
            content = base64.b64decode(value, validate=True)
        except (binascii.Error, ValueError):
            raise ma.ValidationError("Must be a text in base64.") from None
        if len(content) > MAX_FILE:
            raise ma.ValidationError(f"Must have at most {MAX_FILE:,} bytes. `bin/inbox import` reads larger files.")
        return content


class ImportKindRecord(Schema):
    """A tool whose set-up can be imported."""

    kind = ma.fields.String(required=True, metadata={"example": "healthchecks"})
    label = ma.fields.String(required=True, metadata={"example": "Healthchecks"})
    summary = ma.fields.String(required=True)
    setup = ma.fields.String(required=True, metadata={"description": "Which file or token is needed."})
    forms = ma.fields.List(
        ma.fields.String(validate=ma.validate.OneOf([str(form) for form in ImportForm])),
        required=True,
        metadata={"description": "The fields of a request of which one is given.", "example": ["address", "document"]},
    )
    default_address = ma.fields.String(required=True, metadata={"example": "https://healthchecks.io"})
    has_schedules = ma.fields.Boolean(
        required=True, metadata={"description": "Whether `timezone` and `hasUserField` are read."}
    )


class ImportKinds(Schema):
    """All kinds of import."""

    items = ma.fields.List(ma.fields.Nested(ImportKindRecord), required=True)


class ImportDraft(Schema):
    """A set-up of another tool: exactly one of `document`, `file` and `address`."""

    workspace_id = TypeId("wsp", required=True)
    kind = ma.fields.String(required=True, validate=ma.validate.OneOf(list(KINDS)), metadata=_KIND)
    document = ma.fields.String(
        validate=ma.validate.Length(1, MAX_TEXT), metadata={"example": "0 3 * * * /usr/local/bin/backup"}
    )
    file = FileContent(
        metadata={"type": "string", "format": "byte", "description": "The file in base64, at most 3 MiB."}
    )
    address = ma.fields.String(
        validate=ma.validate.Length(1, LONGEST_ADDRESS), metadata={"example": "https://healthchecks.example.org"}
    )
    token = ma.fields.String(
        validate=ma.validate.Length(max=LONGEST_TOKEN),
        metadata={"description": "The token for the API of the tool. It is used for this request and never stored."},
    )
    timezone = TimeZone(metadata={"description": "The time zone of a crontab without `CRON_TZ`; UTC by default."})
    has_user_field = Flag(metadata={"description": "The lines of the crontab name a user, as in /etc/crontab."})


class ImportNew(ImportDraft):
    """A set-up, and the items to create."""

    references = BoundedList(
        ma.fields.String(validate=ma.validate.Length(1, REFERENCE_LIMIT), metadata=_REFERENCE),
        validate=ma.validate.Length(1, MAX_SETUP_ITEMS),
        metadata={"description": "Without it, every item is created. The source of an item is created with it."},
    )


class ShiftDifference(Schema):
    """A period in which other people are on call here than in the other tool."""

    starts_at = ma.fields.String(required=True, metadata=_TIME)
    ends_at = ma.fields.String(required=True, metadata=_TIME)
    theirs = ma.fields.List(ma.fields.String(), required=True, metadata={"description": "Names in the other tool."})
    ours = ma.fields.List(
        ma.fields.String(), required=True, metadata={"description": "Names in the imported schedule."}
    )


class ShiftComparison(Schema):
    """The shifts of the next 60 days beside those that the other tool computed. All people count as members."""

    starts_at = ma.fields.String(required=True, metadata=_TIME)
    ends_at = ma.fields.String(required=True, metadata=_TIME)
    total = ma.fields.Integer(required=True, metadata={"description": "The number of differences."})
    differences = ma.fields.List(
        ma.fields.Nested(ShiftDifference), required=True, metadata={"description": "The first 50."}
    )


class ImportPlanItem(Schema):
    """A record that the import would create."""

    reference = ma.fields.String(required=True, metadata=_REFERENCE)
    type = ma.fields.String(required=True, validate=ma.validate.OneOf([str(kind) for kind in ItemKind]))
    name = ma.fields.String(required=True)
    text = ma.fields.String(required=True, metadata={"description": "What becomes of the entry, as a sentence."})
    status = ma.fields.String(
        required=True,
        validate=ma.validate.OneOf([str(status) for status in ItemStatus]),
        metadata={
            "description": "`imported`: its record exists. `same_name`: another record has its name. "
            "`unmatched`: a person who is no member, or a profile that would page nobody. It is not created."
        },
    )
    source = ma.fields.String(
        required=True, allow_none=True, metadata={"description": "The reference of the item that is its source."}
    )
    snippet = ma.fields.String(required=True, metadata=_SNIPPET)
    email = ma.fields.String(
        required=True, allow_none=True, metadata={"description": "The mail address of a person.", "example": None}
    )
    comparison = ma.fields.Nested(
        ShiftComparison,
        required=True,
        allow_none=True,
        metadata={"description": "Of a schedule whose shifts the other tool answered.", "example": None},
    )
    warnings = ma.fields.List(ma.fields.String(), required=True)


class LeftOutRecord(Schema):
    """An entry that is not imported."""

    name = ma.fields.String(required=True)
    reason = ma.fields.String(required=True)


class ImportPlan(Schema):
    """The plan of an import: items to create, items left out, and notes for people."""

    kind = ma.fields.String(required=True, metadata=_KIND)
    items = ma.fields.List(ma.fields.Nested(ImportPlanItem), required=True)
    left_out = ma.fields.List(ma.fields.Nested(LeftOutRecord), required=True)
    warnings = ma.fields.List(ma.fields.String(), required=True)


class ImportedItem(Schema):
    """A record of an import."""

    reference = ma.fields.String(required=True, metadata=_REFERENCE)
    type = ma.fields.String(required=True, validate=ma.validate.OneOf([str(kind) for kind in ItemKind]))
    id = ma.fields.String(required=True, metadata={"example": "mon_01jgzfwx00e008000000000001"})
    name = ma.fields.String(required=True)
    created = ma.fields.Boolean(
        required=True, metadata={"description": "False for a record that an earlier import created."}
    )
    ping_url = ma.fields.String(
        required=True,
        allow_none=True,
        metadata={
            "description": "Of a new monitor. Of a new source with a ping key: the address before a slug. It is answered this once."
        },
    )
    snippet = ma.fields.String(required=True, metadata={"description": "The text with the address of pings."})


class ImportResult(Schema):
    """The records of an import, in the order of its plan."""

    items = ma.fields.List(ma.fields.Nested(ImportedItem), required=True)


def prefix_of(kind: ItemKind) -> str:
    """Returns the prefix of the ids of the records of a kind."""
    return _PREFIXES[kind]
