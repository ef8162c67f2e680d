"""The paths of the REST API of PagerDuty: all pages, and the layers, shifts and overrides of each schedule."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import quote, urlsplit

from inbox.intake.base import Node

USERS, SCHEDULES, POLICIES, SERVICES = "/users", "/schedules", "/escalation_policies", "/services"

COLLECTIONS = {
    USERS: "include%5B%5D=contact_methods&include%5B%5D=notification_rules&",
    SCHEDULES: "",
    POLICIES: "",
    SERVICES: "include%5B%5D=integrations&",
}
"""The collections, with the query before the place of the page."""

PAGE = 100
LAST_OFFSET = 10_000
"""The server answers no page beyond it."""

AHEAD = timedelta(days=62)


def first(_: datetime) -> list[str]:
    """Returns the first pages of all collections."""
    return [_page(each, 0) for each in COLLECTIONS]


def further(path: str, answer: Any, at: datetime) -> Iterator[str]:
    """Yields the paths that follow from an answer."""
    collection, found = urlsplit(path).path, Node(answer)
    if collection not in COLLECTIONS:
        return
    offset = found.at("offset").value
    if found.text("more") == "true" and isinstance(offset, int) and 0 <= offset < LAST_OFFSET:
        yield _page(collection, offset + PAGE)
    if collection == SCHEDULES:
        for each in found.items("schedules"):
            if mark := quote(each.text("id"), safe=""):
                yield f"{schedule(mark)}?{_period(at)}"
                yield f"{overrides(mark)}?{_period(at)}"


def schedule(mark: str) -> str:
    """Returns the path of a schedule with its layers and computed shifts."""
    return f"{SCHEDULES}/{mark}"


def overrides(mark: str) -> str:
    """Returns the path of the overrides of a schedule."""
    return f"{SCHEDULES}/{mark}/overrides"


def _page(collection: str, offset: int) -> str:
    return f"{collection}?{COLLECTIONS[collection]}limit={PAGE}&offset={offset}"


def _period(at: datetime) -> str:
    since, until = (quote(each.strftime("%Y-%m-%dT%H:%M:%SZ"), safe="") for each in (at, at + AHEAD))
    return f"since={since}&until={until}"
