"""The path of `INBOX_BASE_URL`: removed from the addresses of requests, and put before those of answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from inbox.config import settings
from inbox.domain.values.base_url import path_of


def below(path: str) -> str:
    """Returns the path of an address of this service as browsers and senders see it."""
    return path_of(settings.current().base_url) + path


class BasePath:
    """Passes a request to the app with its address below the path. A proxy may have removed the path, or not."""

    def __init__(self, app: Callable[..., Iterable[bytes]], path: str) -> None:
        self._next = app
        self._path = path

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        for name in ("PATH_INFO", "RAW_URI"):
            if name in environ:
                environ[name] = self._shortened(environ[name])
        environ["SCRIPT_NAME"] = self._path  # for addresses that Flask builds
        return self._next(environ, start_response)

    def _shortened(self, address: str) -> str:
        rest = address.removeprefix(self._path)
        if rest == address or rest[:1] not in ("", "/", "?"):
            return address
        return rest if rest.startswith("/") else f"/{rest}"
