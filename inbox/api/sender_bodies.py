"""Bodies of senders that choose their own content type: JSON is recognized by its first character, else it is a form."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import orjson
from werkzeug.formparser import FormDataParser
from werkzeug.http import parse_options_header

from inbox.api.ingest import CAP
from inbox.domain import jsonbody
from inbox.domain.refusals import BadRequest

MAX_PARTS = 100
MULTIPART = "multipart/form-data"
IN_FORMS = ("payload", "data")
"""Members of a form that hold the JSON of GitHub and of Uptime Kuma."""


def json_or_none(body: bytes, content_type: str, opening: tuple[bytes, ...]) -> Any:
    """The JSON document of a body that begins with one of these characters; None for another body."""
    return json(body) if _begins(body, content_type, opening) else None


def form(body: bytes, content_type: str) -> dict[str, str]:
    """The fields of a form, urlencoded or in parts; empty for another body."""
    mimetype, options = parse_options_header(content_type)
    parser = FormDataParser(max_form_memory_size=CAP, max_form_parts=MAX_PARTS)
    _, found, _ = parser.parse(BytesIO(body), mimetype, len(body), options)
    return dict(found.to_dict())


def document(body: bytes, content_type: str) -> Any:
    """The payload of a tool: JSON under any content type, JSON in a member of a form, or the fields of a form.

    JSON may have as many values as a batch of events: the alerts of a large group are one payload.
    """
    if _begins(body, content_type, (b"{", b"[")):
        return large_json(body)
    fields = form(body, content_type)
    if not fields:
        raise BadRequest("The body is neither a JSON object or array nor a form.")
    held = next((fields[name] for name in IN_FORMS if fields.get(name, "").lstrip()[:1] == "{"), None)
    return fields if held is None else large_json(held.encode())


def json(body: bytes) -> Any:
    """A JSON document under any content type."""
    return _parsed(body)


def large_json(body: bytes) -> Any:
    """A JSON document with as many values as a batch of events may have."""
    return _parsed(body, max_nodes=jsonbody.MAX_BATCH_NODES)


def _begins(body: bytes, content_type: str, opening: tuple[bytes, ...]) -> bool:
    return body.lstrip()[:1] in opening and parse_options_header(content_type)[0] != MULTIPART


def _parsed(body: bytes, *, max_nodes: int = jsonbody.MAX_NODES) -> Any:
    try:
        return jsonbody.check_tree(orjson.loads(body), max_nodes=max_nodes)
    except orjson.JSONDecodeError as error:
        raise jsonbody.not_json(body, error) from None
