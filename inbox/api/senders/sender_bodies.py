"""Reads bodies of senders that choose their own content type. A first character of JSON decides; else it is a form."""

from __future__ import annotations

import re
from functools import partial
from io import BytesIO
from typing import Any
from urllib.parse import unquote_to_bytes

import orjson
from werkzeug.formparser import FormDataParser
from werkzeug.http import parse_options_header

from inbox.api.senders.ingest import CAP, GUESSED, in_utf8
from inbox.domain.values import body_text, jsonbody
from inbox.domain.values.refusals import BadRequest, PayloadTooLarge
from inbox.runtime import work_budget

MAX_PARTS = 100
MAX_FIELDS = 1_000
LONGEST_HEAD = 16_384
"""The most bytes of the headers of a part."""

MULTIPART, URLENCODED = "multipart/form-data", "application/x-www-form-urlencoded"
STEP = 64 * 1024
"""The bytes of a form that are decoded before other requests may run."""

SMALLER_FORM, FEWER_VALUES = "Send a smaller form.", "Send fewer values."
_BLANK_LINE = re.compile(rb"\r\n\r\n|\r\r|\n\n")

IN_FORMS = ("payload", "data")
"""The members of a form that hold the JSON of GitHub and of Uptime Kuma."""


Environ = dict[str, Any]


def json_or_none(body: bytes, environ: Environ, opening: tuple[bytes, ...]) -> Any:
    """Returns the JSON document of a body that begins with one of these characters; None for another body."""
    return json(body, environ) if _begins(body, environ, opening) else None


def query(environ: Environ) -> dict[str, str]:
    """Returns the parameters of the query, decoded as a form."""
    return _urlencoded(environ.get("QUERY_STRING", "").encode("latin-1"), environ)


def form(body: bytes, environ: Environ) -> dict[str, str]:
    """Returns the fields of a form, urlencoded or in parts; empty for another body. The first of a name counts."""
    mimetype, options = parse_options_header(environ.get("CONTENT_TYPE", ""))
    if mimetype == URLENCODED:
        return _urlencoded(body, environ)
    if mimetype != MULTIPART:
        return {}
    if len(body) > CAP:
        raise PayloadTooLarge("A form of parts may have at most 2 MiB.")
    if b"filename" not in body:
        body = in_utf8(environ, body)
    _check_heads(body, options.get("boundary", ""))
    parser = FormDataParser(max_form_memory_size=CAP, max_form_parts=MAX_PARTS)
    _, found, _ = parser.parse(BytesIO(body), mimetype, len(body), options)
    return dict(found.to_dict())


def document(body: bytes, environ: Environ) -> Any:
    """Returns the payload of a tool: JSON under any content type, JSON in a form field, or form fields.

    JSON may have as many values as a batch, because the alerts of a large group are one payload.
    """
    if _begins(body, environ, (b"{", b"[")):
        return large_json(body, environ)
    fields = form(body, environ)
    if not fields:
        raise BadRequest("The body is neither a JSON object or array nor a form.")
    held = next((fields[name] for name in IN_FORMS if fields.get(name, "").lstrip()[:1] == "{"), None)
    return fields if held is None else _parsed(held.encode(), jsonbody.MAX_BATCH_NODES)


def json(body: bytes, environ: Environ) -> Any:
    """Returns a JSON document under any content type."""
    return _parsed(in_utf8(environ, body), jsonbody.MAX_NODES)


def large_json(body: bytes, environ: Environ) -> Any:
    """Returns a JSON document with as many values as a batch of events may have."""
    return _parsed(in_utf8(environ, body), jsonbody.MAX_BATCH_NODES)


def _urlencoded(body: bytes, environ: Environ) -> dict[str, str]:
    """Returns the fields of a form. The parser of the standard library decodes a large form in one long step."""
    if body.count(b"&") >= MAX_FIELDS:
        raise BadRequest(f"The form has more than {MAX_FIELDS:,} fields.")
    found: dict[str, str] = {}
    for pair in filter(None, body.split(b"&")):
        name, _, value = pair.partition(b"=")
        found.setdefault(_decoded(name, environ), _decoded(value, environ))
    return found


def _decoded(encoded: bytes, environ: Environ) -> str:
    """Returns the text of a part of a form. Its bytes have the character set of the form."""
    encoded, decoded, at = encoded.replace(b"+", b" "), bytearray(), 0
    while at < len(encoded):
        work_budget.spend(SMALLER_FORM)
        end = at + STEP
        if (escape := encoded.find(b"%", end - 2, end)) >= 0:
            end = escape  # `%` and its two digits are decoded together
        decoded += unquote_to_bytes(encoded[at:end])
        at = end
    if decoded.isascii():
        return decoded.decode("ascii")
    label = body_text.charset(environ.get("CONTENT_TYPE", ""))
    read = body_text.in_utf8(bytes(decoded), label, partial(work_budget.spend, SMALLER_FORM))
    if read.is_guessed:
        environ[GUESSED] = True
    return read.body.decode("utf-8", "replace")


def _check_heads(body: bytes, boundary: str) -> None:
    """Raises `BadRequest` for a part with long headers, because each header takes a step of Python."""
    for part in body.split(b"--" + boundary.encode("utf-8", "replace"), MAX_PARTS + 1):
        if len(part) > LONGEST_HEAD and _BLANK_LINE.search(part, 0, LONGEST_HEAD) is None:
            raise BadRequest(f"The headers of a part of the form have more than {LONGEST_HEAD:,} bytes.")


def _begins(body: bytes, environ: Environ, opening: tuple[bytes, ...]) -> bool:
    first = body_text.beginning(body)
    return first in opening and parse_options_header(environ.get("CONTENT_TYPE", ""))[0] != MULTIPART


def _parsed(body: bytes, max_nodes: int) -> Any:
    if len(body) > CAP:
        max_nodes = jsonbody.MAX_HOOK_NODES
        _refuse_many_values(body, max_nodes)
    pause = partial(work_budget.spend, FEWER_VALUES)
    try:
        return jsonbody.check_tree(orjson.loads(body), max_nodes=max_nodes, pause=pause)
    except orjson.JSONDecodeError as error:
        raise jsonbody.not_json(body, error) from None


def _refuse_many_values(body: bytes, most: int) -> None:
    """Raises `BadRequest` before parsing, because parsing gives way to nobody. Texts may have as many commas again."""
    if body.count(b",") + body.count(b"[") + body.count(b"{") > 2 * most:
        raise BadRequest(f"The body holds more than {most:,} values.")
