"""Names of cookies, bound to the host and the service where browsers allow it (RFC 6265bis)."""

from __future__ import annotations

from urllib.parse import urlsplit

from inbox.domain.values.base_url import path_of

USUAL_PORTS = {"http": 80, "https": 443}


def cookie_path(base_url: str, path: str = "/") -> str:
    """Returns the path of a cookie of the dashboard at `base_url`: `path` below the path of the base URL."""
    return (path_of(base_url) + path).rstrip("/") or "/"


def cookie_name(name: str, base_url: str, *, path: str = "/") -> str:
    """Returns the name of a cookie of the dashboard at `base_url`.

    Over https it begins with `__Host-`, which binds the cookie to this host. A cookie for one path, such as the path of
    the base URL, begins with `__Secure-`. Browsers send a cookie to every port of a host. So the name contains the port
    of the base URL. Otherwise two instances on one host would sign each other out.
    """
    parts = urlsplit(base_url)
    prefix = ("__Host-" if cookie_path(base_url, path) == "/" else "__Secure-") if parts.scheme == "https" else ""
    is_usual = parts.port in (None, USUAL_PORTS.get(parts.scheme))
    return f"{prefix}{name}" if is_usual else f"{prefix}{name}_{parts.port}"
