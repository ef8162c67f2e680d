"""The address at which browsers and senders reach this service, and the path in it."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

OWN = (
    "account act admin api assets chat-account docs email-change forgot health healthz icons invite login message metrics"
    " pair problems readyz reset setup signup unsubscribe v1 verify-email version w wall welcome"
)
"""The first segments of the service's own addresses. A path of the base URL that begins with one would be ambiguous."""

_PATH = re.compile(r"(?:/[A-Za-z0-9_~-][A-Za-z0-9_.~-]*)*")


def path_of(base_url: str) -> str:
    """Returns the path, without a slash at its end; empty at the root of a host."""
    return urlsplit(base_url).path.rstrip("/")


def fault_of(base_url: str) -> str:
    """Returns why this is no address for the service; empty when it is one."""
    url = urlsplit(base_url)
    if url.scheme not in ("http", "https") or not url.hostname:
        return "must be an http or https address"
    if url.query or url.fragment or not _PATH.fullmatch(path_of(base_url)):
        return "must end with its host, or with a path of letters, digits, - _ . and ~, such as /inbox"
    if url.path[1:].partition("/")[0] in OWN.split():
        return "must not have a path that the service itself has; choose another one, such as /inbox"
    return ""
