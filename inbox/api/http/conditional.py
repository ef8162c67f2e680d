"""Answers conditional reads with 304 and no body when the client has the current answer (specification 2.7)."""

from __future__ import annotations

import hashlib

from flask import Flask, Response, request

from inbox.api.http.compression import compress
from inbox.api.http.policy import PEOPLE, find_entry

CACHE = "private, no-cache"
"""The browser may keep the answer, and asks each time whether it is current."""


def install(app: Flask) -> None:
    """Tags the JSON answers of reads. Call it after `requests.install`, whose headers are added last."""
    app.after_request(_tag)


def _tag(response: Response) -> Response:
    if not _is_taggable(response):
        return response
    digest = hashlib.blake2b(response.get_data(), digest_size=12).hexdigest()
    rev = response.headers.get("ETag", "").strip('"')
    tag = f"{rev}.{digest}" if rev else digest
    response.headers["ETag"] = f'"{tag}"' if rev else f'W/"{tag}"'
    response.headers["Cache-Control"] = CACHE
    response.headers["Vary"] = "Cookie, Authorization, Accept-Encoding"
    if request.if_none_match.contains_weak(tag):
        response.status_code = 304
        response.set_data(b"")
        for name in ("Content-Type", "Content-Length"):
            response.headers.pop(name, None)
    else:
        compress(response)
    return response


def _is_taggable(response: Response) -> bool:
    entry = find_entry()
    if entry is None or request.method not in ("GET", "HEAD") or response.status_code != 200:
        return False
    if entry.credential not in PEOPLE and not entry.tagged:
        return False
    if "Cache-Control" in response.headers or response.direct_passthrough or response.is_streamed:
        return False
    return response.mimetype == "application/json"
