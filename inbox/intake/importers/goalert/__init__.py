"""Reads GoAlert: users, rotations, schedules, escalation policies and services (specification 22.14)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from inbox.intake.base import Node
from inbox.intake.importers import people as of_import
from inbox.intake.importers import plan
from inbox.intake.importers.goalert import people, queries, schedules, services
from inbox.intake.importers.import_kind import ImportForm, ImportKind
from inbox.intake.importers.plan import Plan, Unreadable


def read(answers: dict[str, Any], at: datetime) -> Plan:
    """Returns the plan of the answers to all queries, which were read at this time. Raises `Unreadable`."""
    first = Node(answers.get(queries.page(queries.USERS, "")))
    if not isinstance(first.at("data", queries.USERS, "nodes").value, list):
        raise Unreadable("It answers no users as the GraphQL API of GoAlert does.")
    made, on_call = (Plan(most_items=plan.MAX_SETUP_ITEMS) for _ in range(2))
    made.warn("Labels, channels, and notices of schedules are not imported.")
    for query, answer in answers.items():
        if answer is None or Node(answer).items("errors"):
            named = query.partition("\n")[0].partition("=")[2]
            made.warn(f"The server refused a part of {plan.line(named)}. Its entries are not imported.")
    found = people.read(answers)
    known = schedules.add(on_call, answers, found, at)
    profiles = services.add_profiles(on_call, answers, found, known)
    of_import.add(made, found)
    made.extend(on_call)
    services.add_services(made, answers, profiles)
    return made


IMPORT = ImportKind(
    "goalert",
    "GoAlert",
    "Users, schedules with rotations, escalation policies and services become records here.",
    "The token of a session of an administrator, or the file that bin/inbox import --save wrote.",
    (ImportForm.ADDRESS, ImportForm.FILE),
    paths=(queries.page(queries.USERS, ""),),
    first_paths=queries.first,
    further_paths=queries.further,
    read_setup=read,
    header=("Authorization", "Bearer "),
    position=85,
)
