"""Previews the rules of an application on the events of the last 24 hours."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from inbox.flow.preview.request import Question, rule_to_json
from inbox.flow.preview.runner import PreviewRun
from inbox.models.events import preview_events
from inbox.models.events.preview_events import Period
from inbox.models.routing.rules import Rule
from inbox.services.routing import rules

PERIOD = timedelta(hours=24)
AT_ONCE = 20_000
"""The maximum number of events of a preview."""

SECONDS = 3.0
"""The maximum time of a preview. The workspace is locked meanwhile."""

TOO_MANY = "too many to preview here. The dashboard previews them in the background."


def sentence(workspace_id: UUID, before: Sequence[Rule], now: datetime) -> str | None:
    """Returns what the present rules change as a sentence; None when they decide as the rules before."""
    after = list(rules.existing([workspace_id]).where(Rule.enabled).order_by(Rule.position))
    if [rule_to_json(each) for each in before] == [rule_to_json(each) for each in after]:
        return None
    period = Period(workspace_id, now - PERIOD, now)
    if preview_events.count(period, AT_ONCE) > AT_ONCE:
        return TOO_MANY
    preview, until = PreviewRun(Question(period, before, after)), time.monotonic() + SECONDS
    for _ in preview.pages():
        if time.monotonic() > until:
            return TOO_MANY
    return str(preview.result()["text"])
