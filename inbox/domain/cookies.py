"""The names of cookies: bound to this host and service as far as browsers can (RFC 6265bis)."""

from __future__ import annotations

from urllib.parse import urlsplit

USUAL_PORTS = {"http": 80, "https": 443}


def cookie_name(name: str, base_url: str, *, path: str = "/") -> str:
    """The name of a cookie of the dashboard at `base_url`.

    Over https it begins with `__Host-`, which binds the cookie to this host, or with `__Secure-` where the cookie is for one
    path only. Browsers send a cookie to every port of a host. The port of the base URL is in the name, so that two
    instances on one host do not sign each other out.
    """
    parts = urlsplit(base_url)
    prefix = ("__Host-" if path == "/" else "__Secure-") if parts.scheme == "https" else ""
    is_usual = parts.port in (None, USUAL_PORTS.get(parts.scheme))
    return f"{prefix}{name}" if is_usual else f"{prefix}{name}_{parts.port}"
