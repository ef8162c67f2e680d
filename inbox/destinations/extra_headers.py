"""Headers that a person adds to the requests of a destination: their rules, and their stored form (specification 9.3)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

MAX_HEADERS = 10
LONGEST_NAME, LONGEST_VALUE = 100, 4_096

OWN = frozenset(
    {
        *("accept-encoding", "connection", "content-encoding", "content-length", "content-type", "expect", "host"),
        *("http2-settings", "idempotency-key", "keep-alive", "proxy-authenticate", "proxy-authorization"),
        *("proxy-connection", "te", "trailer", "transfer-encoding", "upgrade", "user-agent"),
        *("webhook-id", "webhook-signature", "webhook-timestamp"),
    }
)
"""The names that this service or the connection sets, in lower case."""

_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_VALUE = re.compile(r"[!-~](?:[ -~]*[!-~])?")


def fault(value: object) -> str | None:
    """Returns what is wrong with entered headers; None when they can be stored. The text repeats no value."""
    if not isinstance(value, dict):
        return 'must be an object of names and values, such as {"X-Tenant": "shop"}'
    if len(value) > MAX_HEADERS:
        return f"must have at most {MAX_HEADERS} headers"
    seen = set[str]()
    for name, text in value.items():
        found = _fault_of(name, text)
        if found is None and name.lower() in seen:
            found = f"{name} is there twice: names of headers have no case"
        if found is not None:
            return found
        seen.add(name.lower())
    return None


def to_text(headers: Mapping[str, str]) -> str:
    """Returns the text that is sealed."""
    return json.dumps(dict(headers), separators=(",", ":"))


def hint(headers: Mapping[str, str]) -> str:
    """Returns the names, which are shown: `Authorization, X-Tenant`."""
    return ", ".join(headers)


def _fault_of(name: str, text: object) -> str | None:
    if len(name) > LONGEST_NAME or not _NAME.fullmatch(name):
        return f"the name of a header must have 1 to {LONGEST_NAME} letters, digits and hyphens"
    if name.lower() in OWN:
        return f"{name} cannot be set, because this service sets it for each request"
    if not isinstance(text, str) or len(text) > LONGEST_VALUE or not _VALUE.fullmatch(text):
        return (
            f"the value of {name} must be 1 to {LONGEST_VALUE:,} printable ASCII characters, without spaces around them"
        )
    return None
