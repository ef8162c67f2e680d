"""Takes the address of a way in with a slash too many for the same address without it (specification 2.1)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import unquote_to_bytes

from flask import Flask
from werkzeug.exceptions import HTTPException

from inbox.api.http.policy import ALIAS_TOKEN, HEARTBEAT_TOKEN, PING_KEY, POLICY, SIGNATURE, SOURCE_KEY

SENDERS = frozenset({SOURCE_KEY, ALIAS_TOKEN, HEARTBEAT_TOKEN, PING_KEY, SIGNATURE})
"""The credentials of senders."""

LEGACY = "legacy."
"""The endpoints of the legacy format. Its clients ask for the version before they send."""

_SLASHES = re.compile("/{2,}")


class SenderAddresses:
    """Passes a request to the app, with the address that its sender means. The address of no way in is left as it is."""

    def __init__(self, app: Flask) -> None:
        self._next = app.wsgi_app
        self._routes = app.url_map

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        path = environ["PATH_INFO"]
        if path.endswith("/") or "//" in path:
            meant = without_surplus(_sent(environ))
            if self._is_way_in(meant, environ["REQUEST_METHOD"]):
                environ["PATH_INFO"] = meant
        return self._next(environ, start_response)

    def _is_way_in(self, path: str, method: str) -> bool:
        try:
            routes = self._routes.bind("inbox")
            endpoint, _ = routes.match(path.encode("latin-1").decode("utf-8", "replace"), method=method)
        except HTTPException:
            return False
        found = POLICY.get(endpoint)
        return found is not None and (found.credential in SENDERS or endpoint.startswith(LEGACY))


def without_surplus(path: str) -> str:
    """Returns the decoded path without a slash at its end and without doubled ones. An encoded slash is no separator."""
    single = _SLASHES.sub("/", path).rstrip("/")
    return unquote_to_bytes(single.encode("latin-1")).decode("latin-1")


def _sent(environ: dict[str, Any]) -> str:
    """Returns the path with its encoded characters. The alias of an alert may contain `%2F`."""
    target = str(environ.get("RAW_URI", "")).partition("?")[0]
    return target if target.startswith("/") and "%" in target else environ["PATH_INFO"].replace("%", "%25")
