"""Saved answers of an API: all of them with the time of reading, as one file (specification 22.12)."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

import orjson

from inbox.intake.base import Node
from inbox.intake.importers.plan import Plan, Unreadable

MOST_BYTES = 32 * 1024**2
"""The most bytes of all answers together."""

NO_SETUP = "It is no file of saved answers. `bin/inbox import` writes it with --save."

_GZIP = 16 + zlib.MAX_WBITS

Answers = Mapping[str, Any]


def written(kind: str, answers: Mapping[str, bytes], at: datetime) -> bytes:
    """Returns the file of the answers, compressed. An empty answer was refused."""
    found = {path: orjson.Fragment(answer or b"null") for path, answer in answers.items()}
    content = orjson.dumps({"kind": kind, "readAt": at.isoformat(), "answers": found})
    pressing = zlib.compressobj(wbits=_GZIP)
    return pressing.compress(content) + pressing.flush()


def read(kind: str, content: bytes) -> tuple[dict[str, Any], datetime]:
    """Returns the answers of a file, and the time at which they were read. Raises `Unreadable`."""
    try:
        document = orjson.loads(_unpacked(content))
        at = datetime.fromisoformat(document["readAt"]).astimezone(UTC)
        answers = document["answers"]
        if document["kind"] != kind or not isinstance(answers, dict):
            raise Unreadable(NO_SETUP)
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, zlib.error):
        raise Unreadable(NO_SETUP) from None
    return answers, at


def entries(answers: Answers, path: str, *members: str) -> Iterator[Node]:
    """Yields the entries of all pages of a collection, in the order in which they were read."""
    for key, answer in answers.items():
        if urlsplit(key).path == path:
            yield from Node(answer).items(*members)


def next_page(path: str, link: object) -> list[str]:
    """Returns the path of the next page of the same collection, from a link of the server. Another host is ignored."""
    if not isinstance(link, str) or not link:
        return []
    try:
        place = urlsplit(link)
    except ValueError:
        return []
    return [f"{urlsplit(path).path}?{place.query}"] if place.query else []


def warn_refused(made: Plan, answers: Answers, limit: int = 20) -> None:
    """Warns about the paths that the server refused, since their entries are missing."""
    refused: Sequence[str] = [urlsplit(path).path for path, answer in answers.items() if answer is None]
    for path in dict.fromkeys(refused[:limit]):
        made.warn(f"The server refused {path[:200]}. Its entries are not imported.")
    if len(refused) > limit:
        made.warn(f"The server refused {len(refused)} addresses. The first {limit} are listed.")


def _unpacked(content: bytes) -> bytes:
    if not content.startswith(b"\x1f\x8b"):
        return content
    unpacking = zlib.decompressobj(wbits=_GZIP)
    found = unpacking.decompress(content, MOST_BYTES + 1)
    if len(found) > MOST_BYTES:
        raise Unreadable(f"It has more than {MOST_BYTES:,} bytes when it is unpacked.")
    return found
