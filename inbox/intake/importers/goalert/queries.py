"""The queries of the GraphQL API of GoAlert: all pages, and the computed shifts of each schedule."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import orjson

from inbox.intake.base import Node
from inbox.intake.importers.answers import Answers

USERS, ROTATIONS, SCHEDULES, OVERRIDES, POLICIES, SERVICES = (
    *("users", "rotations", "schedules", "userOverrides", "escalationPolicies", "services"),
)

_FIELDS = {
    USERS: "id name email contactMethods { id type value } notificationRules { delayMinutes contactMethodID }",
    ROTATIONS: "id timeZone start type shiftLength activeUserIndex userIDs",
    SCHEDULES: "id name description timeZone targets { target { id type name } rules { start end weekdayFilter } }"
    " temporarySchedules { start end shifts { userID start end } }",
    OVERRIDES: "id start end addUserID removeUserID target { id type }",
    POLICIES: "id name repeat steps { delayMinutes targets { id type name } }",
    SERVICES: "id name escalationPolicyID integrationKeys { id type name }"
    " heartbeatMonitors { id name timeoutMinutes }",
}
_SHIFTS = "query($id: ID!, $start: ISOTimestamp!, $end: ISOTimestamp!)"
_SHIFTS += " { schedule(id: $id) { shifts(start: $start, end: $end) { userID start end } } }"

PAGE = 50
AHEAD = timedelta(days=62)


def first(_: datetime) -> tuple[str, ...]:
    """Returns the first pages of all collections."""
    return tuple(page(each, "") for each in _FIELDS)


def further(path: str, answer: Any, at: datetime) -> Iterator[str]:
    """Yields the queries that follow from an answer."""
    collection = _operation(path)
    found = Node(answer).at("data", collection)
    if collection in _FIELDS and found.text("pageInfo", "hasNextPage") == "true":
        cursor = found.text("pageInfo", "endCursor")
        if cursor:
            yield page(collection, cursor)
    if collection == SCHEDULES:
        yield from (shifts(each.text("id"), at) for each in found.items("nodes") if each.text("id"))


def page(collection: str, after: str) -> str:
    """Returns the query of a page of a collection."""
    text = f"{{ {collection}(input: {{ first: {PAGE}, after: {_text(after)} }})"
    text += f" {{ nodes {{ {_FIELDS[collection]} }} pageInfo {{ hasNextPage endCursor }} }} }}"
    return _call(collection, {"query": text})


def shifts(schedule: str, at: datetime) -> str:
    """Returns the query of the computed shifts of a schedule."""
    period = {"start": at.strftime("%Y-%m-%dT%H:%M:%SZ"), "end": (at + AHEAD).strftime("%Y-%m-%dT%H:%M:%SZ")}
    return _call(f"shifts:{schedule}", {"query": _SHIFTS, "variables": {"id": schedule, **period}})


def nodes(answers: Answers, collection: str) -> Iterator[Node]:
    """Yields the entries of all pages of a collection."""
    for key, answer in answers.items():
        if _operation(key) == collection:
            yield from Node(answer).items("data", collection, "nodes")


def shifts_of(answers: Answers, schedule: str) -> Node | None:
    """Returns the computed shifts of a schedule; None when they were not answered."""
    for key, answer in answers.items():
        if _operation(key) == f"shifts:{schedule}":
            found = Node(answer).at("data", "schedule", "shifts")
            return found if isinstance(found.value, list) else None
    return None


def _call(operation: str, body: dict[str, Any]) -> str:
    """Returns a path with its body. The server ignores the name of the operation."""
    place = "".join(each if each.isalnum() or each in "-:_" else "_" for each in operation)
    return f"/api/graphql?operation={place}\n{orjson.dumps(body).decode()}"


def _operation(path: str) -> str:
    return path.partition("\n")[0].partition("?operation=")[2]


def _text(value: str) -> str:
    return orjson.dumps(value).decode()
