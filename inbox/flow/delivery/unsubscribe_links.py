"""The unsubscribe links of mails, which end the mails of a destination to an address (specification 9.20)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inbox.config.settings import Settings
from inbox.destinations.email import recipients
from inbox.destinations.setting_fields import UNSUBSCRIBE
from inbox.identity import unsubscribe_links
from inbox.models.deliveries.claims import ClaimedDelivery

PATH = "/unsubscribe/"


def are_enabled(public_config: Mapping[str, Any]) -> bool:
    """Returns whether the mails of an `email` destination with these settings have the link."""
    return bool(public_config.get(UNSUBSCRIBE, True))


def of_delivery(claimed: ClaimedDelivery, public_config: Mapping[str, Any], settings: Settings) -> dict[str, str]:
    """Returns the links by the address of the mail, valid from the time of the notice; empty when mails have none.

    Mail programs accept only https links (RFC 8058).
    """
    if not are_enabled(public_config) or not settings.base_url.startswith("https:"):
        return {}
    return {
        address: settings.base_url
        + PATH
        + unsubscribe_links.issue(settings.signing_key, claimed.destination_id, address, claimed.created_at)
        for address in recipients.of_config(public_config)
    }
