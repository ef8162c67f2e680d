"""The network of a client's address, by which rate limits count."""

from __future__ import annotations

import ipaddress
from typing import TypeAlias

Client: TypeAlias = tuple[str, str]
"""The address and the user agent of a sender, as sent."""


def network(address: str) -> str:
    """The address, or the /64 network of an IPv6 address, which one household has; `unknown` for an invalid address."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return UNKNOWN
    if isinstance(parsed, ipaddress.IPv6Address):
        mapped = parsed.ipv4_mapped
        return str(mapped) if mapped else str(ipaddress.ip_network((parsed, 64), strict=False).network_address)
    return str(parsed)


UNKNOWN = "unknown"
