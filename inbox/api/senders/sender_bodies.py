"""Reads bodies of senders that choose their own content type. A first character of JSON decides; else it is a form."""

from __future__ import annotations

import re
from io import BytesIO
from typing import Any
from urllib.parse import unquote_to_bytes

import orjson
from werkzeug.formparser import FormDataParser
from werkzeug.http import parse_options_header

from inbox.api.senders.ingest import CAP
from inbox.domain.values import jsonbody
from inbox.domain.values.refusals import BadRequest
from inbox.runtime import work_budget

MAX_PARTS = 100
MAX_FIELDS = 1_000
LONGEST_HEAD = 16_384
"""The most bytes of the headers of a part."""

MULTIPART, URLENCODED = "multipart/form-data", "application/x-www-form-urlencoded"
STEP = 64 * 1024
"""The bytes of a form that are decoded before other requests may run."""

LONGEST_ODD = 16_384
"""The longest text in which bytes that are not UTF-8 are encoded again, one by one."""

SMALLER_FORM = "Send a smaller form."
_BLANK_LINE = re.compile(rb"\r\n\r\n|\r\r|\n\n")

IN_FORMS = ("payload", "data")
"""The members of a form that hold the JSON of GitHub and of Uptime Kuma."""


def json_or_none(body: bytes, content_type: str, opening: tuple[bytes, ...]) -> Any:
    """Returns the JSON document of a body that begins with one of these characters; None for another body."""
    return json(body) if _begins(body, content_type, opening) else None


def form(body: bytes, content_type: str) -> dict[str, str]:
    """Returns the fields of a form, urlencoded or in parts; empty for another body. The first of a name counts."""
    mimetype, options = parse_options_header(content_type)
    if mimetype == URLENCODED:
        return _urlencoded(body)
    if mimetype != MULTIPART:
        return {}
    _check_heads(body, options.get("boundary", ""))
    parser = FormDataParser(max_form_memory_size=CAP, max_form_parts=MAX_PARTS)
    _, found, _ = parser.parse(BytesIO(body), mimetype, len(body), options)
    return dict(found.to_dict())


def document(body: bytes, content_type: str) -> Any:
    """Returns the payload of a tool: JSON under any content type, JSON in a form field, or form fields.

    JSON may have as many values as a batch, because the alerts of a large group are one payload.
    """
    if _begins(body, content_type, (b"{", b"[")):
        return large_json(body)
    fields = form(body, content_type)
    if not fields:
        raise BadRequest("The body is neither a JSON object or array nor a form.")
    held = next((fields[name] for name in IN_FORMS if fields.get(name, "").lstrip()[:1] == "{"), None)
    return fields if held is None else large_json(held.encode())


def json(body: bytes) -> Any:
    """Returns a JSON document under any content type."""
    return _parsed(body)


def large_json(body: bytes) -> Any:
    """Returns a JSON document with as many values as a batch of events may have."""
    return _parsed(body, max_nodes=jsonbody.MAX_BATCH_NODES)


def _urlencoded(body: bytes) -> dict[str, str]:
    """Returns the fields of a form. The parser of the standard library decodes a large form in one long step."""
    if body.count(b"&") >= MAX_FIELDS:
        raise BadRequest(f"The form has more than {MAX_FIELDS:,} fields.")
    found: dict[str, str] = {}
    for pair in filter(None, body.split(b"&")):
        name, _, value = pair.partition(b"=")
        found.setdefault(_decoded(name), _decoded(value))
    return found


def _decoded(encoded: bytes) -> str:
    """Returns the text of a part of a form. Bytes that are no UTF-8 stay encoded; in a long text they become U+FFFD."""
    encoded, decoded, at = encoded.replace(b"+", b" "), bytearray(), 0
    while at < len(encoded):
        work_budget.spend(SMALLER_FORM)
        end = at + STEP
        if (escape := encoded.find(b"%", end - 2, end)) >= 0:
            end = escape  # `%` and its two digits are decoded together
        decoded += unquote_to_bytes(encoded[at:end])
        at = end
    return decoded.decode("utf-8", "werkzeug.url_quote" if len(decoded) <= LONGEST_ODD else "replace")


def _check_heads(body: bytes, boundary: str) -> None:
    """Raises `BadRequest` for a part with long headers, because each header takes a step of Python."""
    for part in body.split(b"--" + boundary.encode("utf-8", "replace"), MAX_PARTS + 1):
        if len(part) > LONGEST_HEAD and _BLANK_LINE.search(part, 0, LONGEST_HEAD) is None:
            raise BadRequest(f"The headers of a part of the form have more than {LONGEST_HEAD:,} bytes.")


def _begins(body: bytes, content_type: str, opening: tuple[bytes, ...]) -> bool:
    return body.lstrip()[:1] in opening and parse_options_header(content_type)[0] != MULTIPART


def _parsed(body: bytes, *, max_nodes: int = jsonbody.MAX_NODES) -> Any:
    try:
        return jsonbody.check_tree(orjson.loads(body), max_nodes=max_nodes)
    except orjson.JSONDecodeError as error:
        raise jsonbody.not_json(body, error) from None
