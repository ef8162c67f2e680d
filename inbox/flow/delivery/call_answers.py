"""The address to which a service reports the keys that a called person pressed (specification 23.21)."""

from __future__ import annotations

from datetime import datetime

from inbox.config.settings import Settings
from inbox.identity import call_tokens
from inbox.models.deliveries.claims import ClaimedDelivery

PATH = "/v1/call-answers/"


def url_of(claimed: ClaimedDelivery, now: datetime, settings: Settings) -> str:
    """Returns the address for answers to this delivery. Empty without an incident, which alone can be answered."""
    if claimed.incident_id is None:
        return ""
    return f"{settings.base_url}{PATH}{call_tokens.issue(settings.signing_key, claimed.id, now)}"
