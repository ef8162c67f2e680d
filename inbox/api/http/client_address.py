"""Reads the address of a client behind proxies, for limits, sessions and logs (specification 2.8)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from inbox.domain.values.networks import without_port


class ClientAddress:
    """Takes the address from `X-Forwarded-For`, counting as many entries from the right as there are proxies.

    Werkzeug's `ProxyFix` would keep the port that some proxies add to the address.
    """

    def __init__(self, app: Callable[..., Iterable[bytes]], proxies: int) -> None:
        self.app = app
        self._proxies = proxies

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        entries = environ.get("HTTP_X_FORWARDED_FOR", "").split(",")
        if len(entries) >= self._proxies:
            address = without_port(entries[-self._proxies].strip())
            environ["REMOTE_ADDR"] = address or environ.get("REMOTE_ADDR", "")
        return self.app(environ, start_response)
