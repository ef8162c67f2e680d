"""Pings by slug: resolves each address to the token of its monitor, then stores the ping like any other.

1. `resolve` finds the keys and the monitors, and records the use of the keys, before the pings are stored.
2. `ping_groups` stores the pings of a group, and `receive` stores a single one.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from inbox.domain.values.networks import Client, network
from inbox.domain.values.refusals import NotFound, Refusal, Unauthenticated
from inbox.flow.heartbeats import ping as single
from inbox.flow.heartbeats.ping import ReceivedPing
from inbox.models.heartbeats import slugs
from inbox.models.heartbeats.slugs import SlugAddress
from inbox.models.senders import sources

USED_INTERVAL = timedelta(minutes=1)
"""The shortest interval between two updates of the last use of a key."""

UNKNOWN_SLUG = "The source has no heartbeat monitor with this slug. Set the slug of a monitor, or add `?create=1`."


def resolve(clients: Mapping[SlugAddress, Client], now: datetime) -> dict[SlugAddress, bytes | None]:
    """Returns the digest of each address's token; None for an unknown slug. Omits addresses with an unknown key.

    `clients` has the client of each address, for the last use of its key.
    """
    if not clients:
        return {}
    found = slugs.find(clients)
    used = {
        key.key_id: (network(clients[address][0]), clients[address][1])
        for address, key in found.items()
        if key.last_used_at is None or now - key.last_used_at >= USED_INTERVAL
    }
    if used:
        sources.record_use(used, now, now)
    return {address: key.token_hash for address, key in found.items()}


def refusal(address: SlugAddress, resolved: Mapping[SlugAddress, bytes | None]) -> Refusal:
    """Returns why an address was not resolved."""
    return NotFound(UNKNOWN_SLUG) if address in resolved else Unauthenticated()


def receive(address: SlugAddress, client: Client, ping: ReceivedPing, now: datetime) -> None:
    """Stores a single ping. Raises `Unauthenticated` for an unknown key, and `NotFound` for an unknown slug."""
    try:
        single.receive(_token_hash(address, client, now), ping, now)
    except Unauthenticated:
        # The key is unknown, or the token was replaced after it was found.
        single.receive(_token_hash(address, client, now), ping, now)


def _token_hash(address: SlugAddress, client: Client, now: datetime) -> bytes:
    resolved = resolve({address: client}, now)
    found = resolved.get(address)
    if found is None:
        raise refusal(address, resolved)
    return found
