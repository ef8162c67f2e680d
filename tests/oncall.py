"""Creates on-call schedules for tests, as the API stores them."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from inbox.database.base import new_id
from inbox.models.oncall.feeds import OnCallFeed
from inbox.models.oncall.forwardings import OnCallForwarding
from inbox.models.oncall.schedules import OnCallOverride, OnCallSchedule
from inbox.models.people.accounts import User
from inbox.models.people.contact_methods import ContactMethod
from inbox.models.people.members import Member
from inbox.models.workspaces.tables import Workspace
from inbox.services.oncall import feeds
from inbox.services.people import contact_codes
from inbox.services.records import versions
from tests.cast import present, typeid

HOUR = timedelta(hours=1)
CODE = "012345"


def a_layer(*people: User, **fields: Any) -> dict[str, Any]:
    """A layer in which people take weekly turns, in the shape of a request."""
    members = [[typeid("usr", person.id)] for person in people]
    return {"name": "Weeks", "start": "2026-01-05T09:00", "unit": "week", "every": 1, "members": members, **fields}


def make_schedule(workspace: Workspace, *people: User, at: datetime | None = None, **fields: Any) -> OnCallSchedule:
    """A schedule with one layer of weekly turns in UTC, created long ago."""
    layer = {
        **a_layer(*people), "id": typeid("lay", new_id()), "level": 1, "timezone": None, "windows": [], "from": None,
        "until": None, "counts": "all",
    }  # fmt: skip
    made_at = at or present() - timedelta(days=300)
    values = {"name": f"Backend {new_id()}", "timezone": "UTC", "layers": [layer], "created_at": made_at}
    made: OnCallSchedule = OnCallSchedule.create(id=new_id(), workspace_id=workspace.id, **{**values, **fields})
    versions.record(made, versions.SCHEDULE_RECORDED, made_at)
    return made


def make_override(schedule: OnCallSchedule, by: User, **fields: Any) -> OnCallOverride:
    """An override by which a person is on call from now for one hour."""
    now = present()
    values = {
        "starts_at": now, "ends_at": now + HOUR, "kind": "replace", "user_ids": [by.id], "created_by": by.id,
        "created_at": now,
    }  # fmt: skip
    made: OnCallOverride = OnCallOverride.create(
        id=new_id(), workspace_id=schedule.workspace_id, schedule_id=schedule.id, **{**values, **fields}
    )
    return made


def make_forwarding(workspace: Workspace, person: User, to: User, **fields: Any) -> OnCallForwarding:
    """A forwarding of a person from now for one hour, which the person created."""
    now = present()
    values = {"starts_at": now, "ends_at": now + HOUR, "created_by": person.id, "created_at": now, **fields}
    made: OnCallForwarding = OnCallForwarding.create(
        id=new_id(), workspace_id=workspace.id, user_id=person.id, to_user_id=to.id, **values
    )
    return made


def make_feed(workspace: Workspace, person: User, schedule: OnCallSchedule | None = None) -> tuple[OnCallFeed, str]:
    """A calendar feed of a person's shifts, or of a schedule, with its token."""
    return feeds.create(workspace.id, schedule and schedule.id, user_id=person.id, now=present())


def feed_id_of(workspace: Workspace, *people: User) -> UUID:
    """The id of a calendar feed of the first of these people who is a member."""
    members = {row.user_id for row in Member.select().where(Member.workspace == workspace)}
    feed_id: UUID = make_feed(workspace, next(each for each in people if each.id in members))[0].id
    return feed_id


def make_contact_method(person: User, **fields: Any) -> ContactMethod:
    """An address of a person that waits for the code 012345, or is confirmed."""
    now = present()
    values = {"kind": "email", "address": f"{new_id()}@example.net", "created_at": now, **fields}
    made = ContactMethod(id=new_id(), user=person, **values)
    if made.confirmed_at is None:
        made.code_hash, made.code_expires_at = contact_codes.hash_of(made, CODE), now + HOUR
    made.save(force_insert=True)
    return made
