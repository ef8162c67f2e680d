"""Compresses the JSON answers of reads for clients that accept gzip (specification 2.3)."""

from __future__ import annotations

import gzip

from flask import Response, request

from inbox.runtime.real_threads import RealThreads

LEAST_BYTES = 1024
LEVEL = 1
"""The fastest level: a page of a list costs less than a millisecond. Level 6 saves a fifth more, for twice the time."""

LONG = 256 * 1024
"""A longer answer is compressed in a real thread, while other requests of this process continue."""

_threads = RealThreads(1)


def compress(response: Response) -> None:
    """Compresses the answer of a read when it is long enough.

    Other sites never receive a compressed answer: they could choose a part of its content and observe its length
    (decision 0008). The `ETag` becomes weak, because the bytes differ from those without compression.
    """
    body = response.get_data()
    if len(body) <= LEAST_BYTES or not request.accept_encodings["gzip"] or _is_of_another_site():
        return
    packed = _threads.run(_packed, body) if len(body) > LONG else _packed(body)
    response.set_data(packed)
    response.content_encoding = "gzip"
    tag = response.headers["ETag"]
    response.headers["ETag"] = tag if tag.startswith("W/") else f"W/{tag}"


def _packed(body: bytes) -> bytes:
    return gzip.compress(body, LEVEL, mtime=0)


def _is_of_another_site() -> bool:
    return request.headers.get("Sec-Fetch-Site", "none") not in ("same-origin", "none")
