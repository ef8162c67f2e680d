"""Builds events as senders write them, and returns their faults."""

from datetime import UTC, datetime
from typing import Any

import pytest

from inbox.domain.events.validation import NewEvent, accept
from inbox.domain.values.refusals import ValidationFailed

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


KEY = "svc_src_" + "K" * 49


URL = "https://user:CANARYPASSWORD@host"


TEXT_LIMITS = {"title": 256, "body": 16_384, "resource": 128}


def one(**fields: Any) -> NewEvent:
    return accept({"title": "disk full", **fields}, received_at=NOW)[0]


def codes(event: NewEvent) -> list[tuple[str, str]]:
    return [(warning.code, warning.pointer) for warning in event.warnings]


def faults(body: Any) -> list[str]:
    with pytest.raises(ValidationFailed) as refused:
        accept(body, received_at=NOW)
    assert all(fault.detail for fault in refused.value.errors)
    return [fault.pointer for fault in refused.value.errors]
