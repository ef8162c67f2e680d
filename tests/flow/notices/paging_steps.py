"""Pages in tests: steps with people, mail on this instance, and what a person was sent."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from inbox.config import settings as settings_module
from inbox.config.settings import Settings
from inbox.models.deliveries.destinations import Destination
from inbox.models.oncall.schedules import OnCallSchedule
from inbox.models.people.accounts import User
from inbox.models.people.contact_methods import StoredNotificationRules
from tests.cast import Cast, typeid
from tests.flow.plans import step
from tests.flow.routing_fixtures import reported
from tests.oncall import make_schedule


@pytest.fixture
def mailing(ground: object, settings: Settings, request: pytest.FixtureRequest) -> None:
    """A mail server is set, beside the settings of a push service."""
    if "service" in request.fixturenames:
        request.getfixturevalue("service")
    chosen = replace(settings_module.current(), smtp_url="smtp://127.0.0.1:1", mail_from="Inbox <inbox@example.org>")
    settings_module.use(chosen)


@pytest.fixture
def schedule(cast: Cast) -> OnCallSchedule:
    """Mia is always on call."""
    return make_schedule(cast.workspace, cast.users["mia"], name="Backend")


def paging(after: int, *people: OnCallSchedule | User, to: tuple[Destination, ...] = ()) -> dict[str, Any]:
    """A step that pages these people, or whoever is on call by these schedules."""
    entries = [
        {"scheduleId": typeid("sch", each.id)}
        if isinstance(each, OnCallSchedule)
        else {"userId": typeid("usr", each.id)}
        for each in people
    ]
    return {**step(after, *to), "people": entries}


def mail_of(person: User, method: str = "email") -> Destination:
    """The destination of a method of this person."""
    found: Destination = Destination.get(Destination.owner_id == person.id, Destination.method == method)
    return found


def sent_to(person: User) -> list[tuple[str, str, str | None]]:
    """The notices for the address of this person's account, with their status and cause."""
    mails = Destination.select().where(Destination.owner_id == person.id, Destination.method == "email")
    return [each for mail in mails for each in reported(mail)]


def rule_by(person: User, *default: tuple[int, str], critical: tuple[tuple[int, str], ...] = ()) -> None:
    """Notification rules of this person."""
    lists = {"default": default, "critical": critical}
    rules = {name: [{"afterMinutes": at, "method": method} for at, method in each] for name, each in lists.items()}
    StoredNotificationRules.create(user=person, rules=rules)
