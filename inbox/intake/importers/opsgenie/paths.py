"""The paths of the API of Opsgenie: all pages, and the parts of each user, schedule and team."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any
from urllib.parse import quote, urlsplit

from inbox.intake.base import Node
from inbox.intake.importers.answers import next_page

INTEGRATIONS, HEARTBEATS = "/v2/integrations", "/v2/heartbeats"
USERS, SCHEDULES, ESCALATIONS, TEAMS = "/v2/users", "/v2/schedules", "/v2/escalations", "/v2/teams"

COLLECTIONS = (USERS, SCHEDULES, ESCALATIONS, TEAMS, INTEGRATIONS)

CREATE_ALERT = "create-alert"


def first(_: datetime) -> tuple[str, ...]:
    """Returns the first pages of all collections."""
    return (INTEGRATIONS, HEARTBEATS, f"{USERS}?limit=100", f"{SCHEDULES}?expand=rotation", ESCALATIONS, TEAMS)


def further(path: str, answer: Any, at: datetime) -> Iterator[str]:
    """Yields the paths that follow from an answer."""
    collection = urlsplit(path).path
    if collection in COLLECTIONS:
        yield from next_page(path, Node(answer).at("paging", "next").value)
    found = Node(answer).items("data")
    if collection in PARTS:
        for each in found:
            if mark := quote(each.text("id"), safe=""):
                yield from PARTS[collection](mark, at)
    elif collection.startswith(f"{USERS}/") and collection.endswith("/notification-rules"):
        wanted = [each for each in found if each.text("actionType") == CREATE_ALERT and each.text("id")]
        yield from (f"{collection}/{quote(each.text('id'), safe='')}" for each in wanted)


def contacts(user: str) -> str:
    """Returns the path of the contact methods of a user."""
    return f"{USERS}/{user}/contacts"


def rules(user: str) -> str:
    """Returns the path of the notification rules of a user."""
    return f"{USERS}/{user}/notification-rules"


def overrides(schedule: str) -> str:
    """Returns the path of the overrides of a schedule."""
    return f"{SCHEDULES}/{schedule}/overrides"


def timeline(schedule: str) -> str:
    """Returns the path of the computed shifts of a schedule."""
    return f"{SCHEDULES}/{schedule}/timeline"


def routing_rules(team: str) -> str:
    """Returns the path of the routing rules of a team."""
    return f"{TEAMS}/{team}/routing-rules"


def _period(at: datetime) -> str:
    date = quote(at.strftime("%Y-%m-%dT%H:%M:%SZ"), safe="")
    return f"interval=3&intervalUnit=months&date={date}"


PARTS: Mapping[str, Callable[[str, datetime], tuple[str, ...]]] = {
    USERS: lambda mark, at: (contacts(mark), rules(mark)),
    SCHEDULES: lambda mark, at: (overrides(mark), f"{timeline(mark)}?{_period(at)}"),
    TEAMS: lambda mark, at: (f"{TEAMS}/{mark}", routing_rules(mark)),
}
"""The paths of the parts of an entry, by its collection."""
