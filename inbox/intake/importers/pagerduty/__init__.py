"""Reads PagerDuty: users, schedules, escalation policies and services (specification 22.13)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from inbox.intake.base import Node
from inbox.intake.importers import answers as of_api
from inbox.intake.importers import people as of_import
from inbox.intake.importers import plan
from inbox.intake.importers.import_kind import ImportForm, ImportKind
from inbox.intake.importers.pagerduty import paths, people, schedules, services
from inbox.intake.importers.plan import Plan, Unreadable


def read(answers: dict[str, Any], at: datetime) -> Plan:
    """Returns the plan of the answers of all addresses, which were read at this time. Raises `Unreadable`."""
    users = [answer for key, answer in answers.items() if key.startswith(f"{paths.USERS}?")]
    if not users or not isinstance(Node(users[0]).at("users").value, list):
        raise Unreadable("It answers no users as the API of PagerDuty does.")
    made, on_call = (Plan(most_items=plan.MAX_SETUP_ITEMS) for _ in range(2))
    made.warn("Teams, priorities, event orchestrations, response plays, maintenance and time-outs are not imported.")
    of_api.warn_refused(made, answers)
    found = people.read(answers)
    known = schedules.add(on_call, answers, found, at)
    profiles = services.add_profiles(on_call, answers, found, known)
    of_import.add(made, found)
    made.extend(on_call)
    services.add_services(made, answers, profiles)
    return made


IMPORT = ImportKind(
    "pagerduty",
    "PagerDuty",
    "Users, schedules, escalation policies, services and their integrations become records here.",
    "A read-only API key of the settings, or the file that bin/inbox import --save wrote.",
    (ImportForm.ADDRESS, ImportForm.FILE),
    paths=(paths.first(datetime.min)[0],),
    first_paths=paths.first,
    further_paths=paths.further,
    read_setup=read,
    header=("Authorization", "Token token="),
    accept="application/vnd.pagerduty+json;version=2",
    default_address="https://api.pagerduty.com",
    position=75,
)
