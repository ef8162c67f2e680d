"""The callback of a destination: the address to which its service reports pressed buttons (specification 9.18)."""

from __future__ import annotations

import hashlib
import hmac
from uuid import UUID

from inbox.config.settings import Settings
from inbox.destinations.callbacks import Callback
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix


def of_destination(destination_id: UUID, settings: Settings) -> Callback:
    """Returns the callback address of the destination and its secret, which is derived from the instance's key."""
    secret = hmac.new(settings.signing_key.encode(), b"callback:" + destination_id.bytes, hashlib.sha256).hexdigest()
    id = ids.encode(Prefix.DESTINATION, destination_id)
    return Callback(f"{settings.base_url}/v1/destinations/{id}/interactions", secret)
