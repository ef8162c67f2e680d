"""The paths of the API of Grafana OnCall: all pages, and the computed shifts of each schedule."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import quote, urlsplit

from inbox.intake.base import Node
from inbox.intake.importers.answers import next_page

INTEGRATIONS, ROUTES = "/api/v1/integrations/", "/api/v1/routes/"
USERS, RULES = "/api/v1/users/", "/api/v1/personal_notification_rules/"
SCHEDULES, SHIFTS = "/api/v1/schedules/", "/api/v1/on_call_shifts/"
CHAINS, POLICIES = "/api/v1/escalation_chains/", "/api/v1/escalation_policies/"

AHEAD = timedelta(days=62)


def first(_: datetime) -> tuple[str, ...]:
    """Returns the first pages of all collections."""
    return (INTEGRATIONS, ROUTES, USERS, RULES, SCHEDULES, SHIFTS, CHAINS, POLICIES)


def further(path: str, answer: Any, at: datetime) -> Iterator[str]:
    """Yields the paths that follow from an answer."""
    yield from next_page(path, Node(answer).at("next").value)
    if urlsplit(path).path == SCHEDULES:
        for each in Node(answer).items("results"):
            if mark := quote(each.text("id"), safe=""):
                yield f"{final_shifts(mark)}?start_date={at:%Y-%m-%d}&end_date={at + AHEAD:%Y-%m-%d}"


def final_shifts(schedule: str) -> str:
    """Returns the path of the computed shifts of a schedule."""
    return f"{SCHEDULES}{schedule}/final_shifts"
