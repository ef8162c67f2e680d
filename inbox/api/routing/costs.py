"""Warnings about rules and silences that cost too much for events."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from inbox.domain.explaining import rule_text
from inbox.models.routing import rules


def of_matches(match_ids: Sequence[UUID], now: datetime) -> dict[UUID, dict[str, Any]]:
    """Returns the rules or silences that were left out recently, each with a sentence that says what to change."""
    return {
        id: {"events": found.last_24h, "last_at": found.last_at, "text": rule_text.of_costly(found.last_24h)}
        for id, found in rules.costly_stats(match_ids, now).items()
    }
