"""Pings by slug over HTTP: the address, and the monitor that a ping may create (specification 18.11)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from inbox.api.http.connections import borrowed
from inbox.domain.heartbeats import pings
from inbox.domain.senders import keys
from inbox.domain.senders.keys import KeyKind
from inbox.domain.values.refusals import NotFound, Unauthenticated
from inbox.models.heartbeats.slugs import SlugAddress
from inbox.services.heartbeats import slug_monitors

CREATING = "create=1"
"""The query of a ping that may create its monitor."""

NO_SLUG = f"A slug has 1 to {pings.LONGEST_SLUG} of a-z, 0-9, - and _. It is neither a number nor start, fail or log."


def is_ping_key(text: str) -> bool:
    """Returns whether a text begins like a ping key."""
    return text.startswith(KeyKind.PING)


def address_of(key: str, slug: str) -> SlugAddress:
    """Returns the sent address. Raises `NotFound` for an invalid slug, `Unauthenticated` for an invalid key."""
    if not pings.is_slug(slug):
        raise NotFound(NO_SLUG)
    if not keys.well_formed(KeyKind.PING, key):
        raise Unauthenticated()
    return SlugAddress(keys.digest(key), slug)


def receive_or_create(store: Callable[[], None], address: SlugAddress, now: datetime) -> bool:
    """Stores a ping, and creates its monitor if there is none. Returns whether it was created.

    Raises `Unauthenticated`, and `Conflict` where no monitor may be created.
    """
    try:
        store()
    except NotFound:
        with borrowed():
            created = slug_monitors.create(address, now)
        store()
        return created
    return False
