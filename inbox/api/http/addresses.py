"""Checks path and query as text once, before any view reads them (decision 0008)."""

from __future__ import annotations

from urllib.parse import unquote_to_bytes

from flask import Flask, request

from inbox.api.http.parsing import INVALID, NUL, first
from inbox.api.http.policy import find_entry
from inbox.domain.values.jsonbody import escaped
from inbox.domain.values.refusals import Fault, NotFound, ValidationFailed

NOT_TEXT = "Must be UTF-8 text."


def install(app: Flask) -> None:
    """Installs the check of each request, before its body is read."""
    app.before_request(_check)


def _check() -> None:
    """Answers 404 for a path that is no valid text. Under `/v1`, refuses query parameters that are no valid text."""
    here = find_entry()
    if here is not None and here.own_address:
        return
    if _fault(request.environ.get("PATH_INFO", "").encode("latin-1")):
        raise NotFound()
    query = request.query_string
    if (b"%" in query or not query.isascii()) and request.path.startswith("/v1/"):
        found = first(_faults(query))
        if found:
            raise ValidationFailed(INVALID, errors=found)


def _faults(query: bytes) -> list[Fault]:
    found = []
    for part in query.replace(b"+", b" ").split(b"&"):
        name, _, value = map(unquote_to_bytes, part.partition(b"="))
        detail = _fault(name) or _fault(value)
        if detail:
            found.append(Fault(f"/query/{escaped(name.decode(errors='replace'))}", detail))
    return found


def _fault(text: bytes) -> str:
    try:
        text.decode()
    except UnicodeDecodeError:
        return NOT_TEXT
    return NUL if b"\0" in text else ""
