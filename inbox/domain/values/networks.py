"""The network of a client's address, by which rate limits count."""

from __future__ import annotations

import ipaddress
import re
from typing import TypeAlias

Client: TypeAlias = tuple[str, str]
"""The address and the user agent of a sender, as sent."""

_WITH_PORT = re.compile(r"(?:\[(?P<bracketed>[^\[\]]+)\](?::[0-9]{1,5})?|(?P<plain>[0-9.]+):[0-9]{1,5})", re.ASCII)


def without_port(address: str) -> str:
    """Returns the address of `192.0.2.1:5678` and of `[2001:db8::1]:5678`, as some proxies write it; other text unchanged."""
    matched = _WITH_PORT.fullmatch(address)
    return address if matched is None else matched["bracketed"] or matched["plain"]


def network(address: str) -> str:
    """Returns the address, or the /64 network of an IPv6 address, which one household uses; `unknown` if invalid."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return UNKNOWN
    if isinstance(parsed, ipaddress.IPv6Address):
        mapped = parsed.ipv4_mapped
        return str(mapped) if mapped else str(ipaddress.ip_network((parsed, 64), strict=False).network_address)
    return str(parsed)


UNKNOWN = "unknown"
