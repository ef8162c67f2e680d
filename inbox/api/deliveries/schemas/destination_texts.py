"""Shapes of the templates of a destination and of their preview (specification 9.17)."""

from __future__ import annotations

import marshmallow as ma

from inbox.api.http.schemas.base import Schema, TypeId
from inbox.destinations.templates import LONGEST_TEMPLATE, VARIABLES

TEMPLATE = {
    "description": "The title and the body of messages; null: the standard text. Only for kinds with the ability"
    f" `templates`. The variables are {', '.join(f'`{name}`' for name in VARIABLES)},"
    " and members such as `metadata.annotations.summary` and `labels.instance`.",
}
_TITLE = {"description": "Empty: the standard title.", "example": "{{ resource }}: {{ title }}"}
_BODY = {"description": "Empty: the standard sentence.", "example": "{{ sentence }} Runbook: https://wiki.example.org"}


class TemplateSetting(Schema):
    """The templates of a destination."""

    title = ma.fields.String(validate=ma.validate.Length(max=LONGEST_TEMPLATE), metadata=_TITLE)
    body = ma.fields.String(validate=ma.validate.Length(max=LONGEST_TEMPLATE), metadata=_BODY)


class TextPreviewRequest(Schema):
    """Templates to try on the newest notice of an incident."""

    workspace_id = TypeId("wsp", required=True)
    template = ma.fields.Nested(TemplateSetting, required=True)
    incident_id = TypeId("inc", required=True)


class TemplateVariable(Schema):
    """A variable of templates as a template writes it, with the beginning of its value in the notice."""

    name = ma.fields.String(required=True, metadata={"example": "labels.instance"})
    value = ma.fields.String(required=True, metadata={"example": "db-1:9100"})


class TextPreview(Schema):
    """The message that the templates produce."""

    headline = ma.fields.String(required=True, metadata={"example": "CRITICAL · db-1: Disk full"})
    body = ma.fields.String(required=True, metadata={"example": "Incident opened.\n/var has 3 % left."})
    variables = ma.fields.List(ma.fields.Nested(TemplateVariable), required=True)
