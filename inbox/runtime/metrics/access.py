"""Access to the metrics: the token, or without a token local callers while the base URL is local."""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Callable
from urllib.parse import urlsplit


def may_read(header: Callable[[str], str | None], address: str, *, token: str, base_url: str) -> bool:
    """Return whether the caller at `address` may read the metrics. `header` returns a header of the request by name.

    A proxy on this machine that adds no header makes every caller look local. Such a proxy serves a base URL that is
    not local, so that base URL requires the token.
    """
    if token:
        scheme, _, token_sent = (header("Authorization") or "").partition(" ")
        return scheme.lower() == "bearer" and hmac.compare_digest(token_sent.strip().encode(), token.encode())
    if header("X-Forwarded-For") is not None or header("Forwarded") is not None:
        return False
    return _is_loopback(address) and is_local(base_url)


def is_local(base_url: str) -> bool:
    """Return whether only this machine can reach the base URL."""
    host = urlsplit(base_url).hostname or ""
    return host == "localhost" or host.endswith(".localhost") or _is_loopback(host)


def _is_loopback(address: str) -> bool:
    """Return whether it is an address of this machine, also as an IPv6 socket writes an IPv4 address."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return False
    return (getattr(parsed, "ipv4_mapped", None) or parsed).is_loopback
