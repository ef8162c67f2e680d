"""Shapes of the mapping of a source, and of its preview (specification 19.17)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import marshmallow as ma

from inbox.api.http.schemas.base import BoundedDict, BoundedList, Schema, Timestamp
from inbox.api.http.schemas.event_rows import EventWarning
from inbox.domain.events.fields import Action
from inbox.domain.events.time_meaning import TimeMeaning
from inbox.domain.values.severity import Severity
from inbox.intake import paths

MOST_WORDS, LONGEST_WORD = 50, 100
MOST_TAGS, MOST_METADATA = 20, 20
LONGEST_DEFAULT = 500
MOST_SHOWN = 20
"""The most events that a preview answers."""

_SEVERITIES = [str(severity) for severity in Severity]
_SEVERITY = ma.fields.String(validate=ma.validate.OneOf(_SEVERITIES))
_ACTIONS = [str(action) for action in Action]


class StorableText(ma.fields.String):
    """A text without U+0000, which PostgreSQL cannot store in JSON."""

    def _deserialize(self, value: object, attr: str | None, data: object, **kwargs: Any) -> str:
        text = str(super()._deserialize(value, attr, data, **kwargs))
        if "\x00" in text:
            raise ma.ValidationError("Must not have U+0000.")
        return text


_WORD = StorableText(validate=ma.validate.Length(1, LONGEST_WORD))


class PathText(StorableText):
    """A path to the items of a payload."""

    def _deserialize(self, value: object, attr: str | None, data: object, **kwargs: Any) -> str:
        text = super()._deserialize(value, attr, data, **kwargs)
        try:
            if text:
                paths.parse_path(text, most_stars=2)
        except paths.BadPath as fault:
            raise ma.ValidationError(str(fault)) from None
        return text


class TemplateText(StorableText):
    """A text with paths in braces."""

    def _deserialize(self, value: object, attr: str | None, data: object, **kwargs: Any) -> str:
        text = super()._deserialize(value, attr, data, **kwargs)
        try:
            paths.parse_template(text)
        except paths.BadPath as fault:
            raise ma.ValidationError(str(fault)) from None
        return text


_TEMPLATE = {"description": "A text with paths in braces.", "example": "{labels.alertname} on {labels.instance}"}


class MappedText(Schema):
    """The source of a text field. `default` is used when no path leads to a text."""

    template = TemplateText(required=True, metadata=_TEMPLATE)
    default = StorableText(validate=ma.validate.Length(max=LONGEST_DEFAULT), metadata={"example": "Alarm"})


class MappedSeverity(Schema):
    """The source of the severity. A word outside `table` is read as tools write it, else the severity is `default`."""

    template = TemplateText(required=True, metadata={**_TEMPLATE, "example": "{labels.severity}"})
    table = BoundedDict(
        keys=_WORD,
        values=_SEVERITY,
        validate=ma.validate.Length(max=MOST_WORDS),
        metadata={"description": "Words, without case, and their severity.", "example": {"page": "CRITICAL"}},
    )
    default = ma.fields.String(
        validate=ma.validate.OneOf(_SEVERITIES),
        metadata={"description": "Missing: the default severity of the source."},
    )


class MappedAction(Schema):
    """The source of the action. A word outside `table` means `default`, else `trigger`."""

    template = TemplateText(required=True, metadata={**_TEMPLATE, "example": "{status}"})
    table = BoundedDict(
        keys=_WORD,
        values=ma.fields.String(validate=ma.validate.OneOf(_ACTIONS)),
        validate=ma.validate.Length(max=MOST_WORDS),
        metadata={"description": "Words, without case, and their action.", "example": {"ok": "resolve"}},
    )
    default = ma.fields.String(validate=ma.validate.OneOf(_ACTIONS))


class SourceMapping(Schema):
    """The mapping of payloads at `POST /v1/hooks/custom` to events."""

    items = PathText(
        metadata={
            "description": "The path to the items, one event for each. Empty: the whole body.",
            "example": "alerts[*]",
        }
    )
    title = ma.fields.Nested(MappedText)
    severity = ma.fields.Nested(MappedSeverity)
    action = ma.fields.Nested(MappedAction)
    dedup_key = ma.fields.Nested(MappedText)
    resource = ma.fields.Nested(MappedText)
    type = ma.fields.Nested(MappedText)
    body = ma.fields.Nested(MappedText)
    url = ma.fields.Nested(MappedText)
    occurred_at = ma.fields.Nested(MappedText)
    time_meaning = ma.fields.String(
        validate=ma.validate.OneOf([str(TimeMeaning.BEGINNING), str(TimeMeaning.MOMENT)]),
        metadata={
            "description": "Whether `occurredAt` is the beginning of the problem, which each report repeats, or the moment"
            " of the report. Missing: `beginning`.",
            "example": "beginning",
        },
    )
    external_id = ma.fields.Nested(MappedText)
    tags = BoundedList(
        TemplateText(metadata={**_TEMPLATE, "example": "env:{labels.env}"}),
        validate=ma.validate.Length(max=MOST_TAGS),
        metadata={"description": "A text that is one path gives a tag for each value."},
    )
    metadata = BoundedDict(
        keys=_WORD,
        values=TemplateText(metadata={**_TEMPLATE, "example": "{labels}"}),
        validate=ma.validate.Length(max=MOST_METADATA),
        metadata={
            "description": "A text that is one path may lead to an object or an array.",
            "example": {"labels": "{labels}"},
        },
    )

    def get_attribute(self, obj: Mapping[str, Any], attr: str, default: object) -> object:
        """Returns the stored field. Otherwise `items` would be read as the method of the dict."""
        return obj.get(attr, default)


class MappingPreviewNew(Schema):
    """A mapping and a payload to try it on."""

    mapping = ma.fields.Nested(SourceMapping, required=True)
    sample = ma.fields.Raw(
        required=True,
        metadata={"type": ["object", "array"], "example": {"status": "firing", "labels": {"alertname": "DiskFull"}}},
    )


class MappedEvent(Schema):
    """An event as it would be stored."""

    title = ma.fields.String(required=True)
    severity = ma.fields.String(required=True)
    action = ma.fields.String(required=True, validate=ma.validate.OneOf(_ACTIONS))
    dedup_key = ma.fields.String(required=True, allow_none=True)
    resource = ma.fields.String(required=True, allow_none=True)
    type = ma.fields.String(required=True, allow_none=True)
    body = ma.fields.String(required=True, allow_none=True)
    url = ma.fields.String(required=True, allow_none=True)
    external_id = ma.fields.String(required=True, allow_none=True)
    occurred_at = Timestamp(required=True)
    tags = ma.fields.List(ma.fields.String(), required=True)
    metadata = ma.fields.Dict(keys=ma.fields.String(), required=True, allow_none=True)
    warnings = ma.fields.List(ma.fields.Nested(EventWarning), required=True)


class MappingFault(Schema):
    """An item that gave no event."""

    pointer = ma.fields.String(required=True, metadata={"example": "/alerts/3"})
    detail = ma.fields.String(required=True, metadata={"example": "no path of the mapping leads to a value"})


class MappingPreview(Schema):
    """The events that the mapping makes of the payload. Nothing is stored."""

    total = ma.fields.Integer(required=True, metadata={"description": "The number of all events."})
    events = ma.fields.List(
        ma.fields.Nested(MappedEvent), required=True, metadata={"description": f"The first {MOST_SHOWN}."}
    )
    faults = ma.fields.List(
        ma.fields.Nested(MappingFault), required=True, metadata={"description": f"The first {MOST_SHOWN}."}
    )
