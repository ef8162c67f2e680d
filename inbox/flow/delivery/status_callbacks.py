"""Handles a service's status reports on messages that it accepted but could not deliver.

Specification 9.21.
"""

from __future__ import annotations

from datetime import datetime

import structlog

from inbox.config.settings import Settings
from inbox.domain.deliveries.delivery import FailureReason, Status
from inbox.domain.values import ids
from inbox.domain.values.refusals import Unavailable
from inbox.flow.delivery.changes import publish_changes
from inbox.flow.unit_of_work import work
from inbox.identity import status_tokens
from inbox.identity.status_tokens import SentAttempt
from inbox.models.deliveries import results as delivery_results
from inbox.models.deliveries.claims import ClaimedDelivery
from inbox.models.deliveries.tables import Delivery

log = structlog.get_logger(__name__)

PATH = "/v1/status-callbacks/"


def url_of(claimed: ClaimedDelivery, now: datetime, settings: Settings) -> str:
    """Returns the address for reports on this attempt. Empty without https, because the token would be sent unencrypted."""
    if not settings.base_url.startswith("https:"):
        return ""
    token = status_tokens.issue(settings.signing_key, SentAttempt(claimed.id, claimed.attempt), now)
    return f"{settings.base_url}{PATH}{token}"


def record_undelivered(sent: SentAttempt, why: str, now: datetime) -> None:
    """Marks the sent delivery as failed, and checks its fallback at once. A delivery in any other status stays unchanged.

    Raises `Unavailable` while the worker has not recorded the result of the attempt. The service then reports again.
    """
    with work() as done:
        delivery = Delivery.get_or_none(Delivery.id == sent.delivery_id)
        if delivery is None:
            return
        (destination,) = delivery_results.lock([delivery.destination_id]).values()
        change = delivery_results.fail_sent(sent.delivery_id, sent.number, FailureReason.UNDELIVERED, why, now=now)
        if change is None:
            _refuse_while_sending(sent)
            return
        publish_changes(done, [change])
        done.publish_change("destination", destination.id, destination.workspace_id, rev=destination.rev)
    log.warning("message undelivered", delivery=ids.encode("dlv", sent.delivery_id), report=why)


def _refuse_while_sending(sent: SentAttempt) -> None:
    is_sending = (
        Delivery.select()
        .where(Delivery.id == sent.delivery_id, Delivery.attempt == sent.number, Delivery.status == Status.SENDING)
        .exists()
    )
    if is_sending:
        raise Unavailable("The result of this attempt is not recorded yet.", retry_after=1)
