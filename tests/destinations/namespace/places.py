"""Forbidden addresses, and the policies of two instances."""

from __future__ import annotations

from inbox.config.settings import Settings
from inbox.domain.deliveries.push import PushHosts
from inbox.domain.values.addresses import OutboundPolicy

HOSTED = OutboundPolicy(allow_private=False, allow_loopback=False)
SELF_HOSTED = Settings(
    database_url="postgresql://u@127.0.0.1:5432/x",
    redis_url="redis://127.0.0.1:6379",
    secret_keys="",
    signing_key="",
    push_hosts=PushHosts(("*.example.com",)),
)
TAILS = ("/", ":8080/", ":5432/", ":6379/", "/x?y=z")
ALWAYS_FORBIDDEN = ("169.254.169.254", "168.63.129.16", "100.100.100.200", "fd00:ec2::254", "fe80::1", "0.0.0.0")
OWN_PORTS, OWN_ADDRESSES = (8080, 5432, 6379), ("127.0.0.1", "127.3.2.1", "[::1]", "[::ffff:127.0.0.1]", "localhost")


def in_brackets(address: str) -> str:
    """The address as a URL has it."""
    return f"[{address}]" if ":" in address else address
