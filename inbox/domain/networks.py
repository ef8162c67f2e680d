"""By what the address of a client is counted."""

from __future__ import annotations

import ipaddress


def network(address: str) -> str:
    """The address itself, or for IPv6 its /64, which one household has for itself; `unknown` for what is no address."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return UNKNOWN
    if isinstance(parsed, ipaddress.IPv6Address):
        mapped = parsed.ipv4_mapped
        return str(mapped) if mapped else str(ipaddress.ip_network((parsed, 64), strict=False).network_address)
    return str(parsed)


UNKNOWN = "unknown"
