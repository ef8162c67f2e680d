"""Tests of a destination before it is created: one call with the settings of the form (specification 9.10)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from inbox.config import settings
from inbox.database.base import new_id
from inbox.domain.values.refusals import RateLimited
from inbox.flow.delivery.senders import AttemptOutcome
from inbox.flow.delivery.test_send import send_unsaved_test
from inbox.flow.unit_of_work import work
from inbox.limits import rates
from inbox.models.deliveries.destination_state import DestinationState
from inbox.runtime import sealing
from inbox.services.deliveries.destinations import check_choices, checked_config
from inbox.services.records import audit


def test(workspace_id: UUID, fields: Mapping[str, Any]) -> AttemptOutcome:
    """Send a test with these settings and wait for the response. Nothing is stored but the audit entry.

    Raises `ValidationFailed` with pointers, and `RateLimited`: the tests of new destinations of a workspace share a limit.
    """
    now = datetime.now(UTC)
    config = checked_config(fields["kind"], fields["config"])
    check_choices(fields["kind"], fields)
    a_minute = settings.current().test_sends_per_minute
    wait = rates.take(f"test-unsaved:{workspace_id}", a_minute, a_minute / 60, now)
    if wait:
        raise RateLimited("Too many tests of new destinations.", retry_after=wait)
    with work():
        about = audit.target("destination", name=fields["name"])
        details = {"kind": fields["kind"], "unsaved": True}
        audit.record("destination.tested", target=about, now=now, workspace_id=workspace_id, details=details)
    id = new_id(now)
    place = sealing.associated_data("destinations", id, workspace_id, "sealed")
    sealed = sealing.current().seal(config.to_seal(), place)
    state = DestinationState(
        id, workspace_id, fields["kind"], dict(config.public), sealed, True, False, None, None, 0, 0, 1,
        template=fields.get("template"), include_details=fields.get("include_details", True),
    )  # fmt: skip
    return send_unsaved_test(state, lambda: datetime.now(UTC))
