"""Limits of records of a workspace, source or person: the last is accepted, one more is a conflict (specification 17.2)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

from inbox.database.base import db, new_id
from inbox.models.deliveries.destinations import Destination
from inbox.models.people.accounts import User
from inbox.models.people.chat_accounts import ChatAccount
from inbox.models.people.devices import Device
from inbox.models.people.links import Invite
from inbox.models.people.members import Member
from inbox.models.senders.sources import Source, SourceKey
from inbox.models.workspaces.tables import Workspace
from inbox.services.deliveries import destinations
from inbox.services.people import chat_accounts, pairings, push
from inbox.services.senders import keys, sources
from inbox.services.workspaces import invites, members
from tests.api.deliveries.destinations_steps import new
from tests.api.people.devices_steps import (
    Phones,
    phone,  # noqa: F401
)
from tests.api.people.test_chat_accounts import offer, press_button
from tests.api.people.test_push import CURRENT
from tests.api.workspaces.invites_steps import (
    Invited,
    invited,  # noqa: F401
)
from tests.browser import Browser
from tests.cast import Cast, join, make_user, make_workspace, present, typeid
from tests.stand_ins.push_service import (
    Subscription,
    service,  # noqa: F401
)
from tests.stand_ins.receivers import Receiver

Browsers = Callable[[str], Browser]
SOON = timedelta(days=1)


def fill(table: Any, count: int, **fields: Any) -> None:
    """Store so many rows. A field that is a function is called for each row."""
    rows = [
        {"id": new_id(), "created_at": present()}
        | {name: value() if callable(value) else value for name, value in fields.items()}
        for _ in range(count)
    ]
    with db.atomic():
        for first in range(0, count, 500):
            table.insert_many(rows[first : first + 500]).execute()


def assert_takes_one_more(act: Callable[[], Any], most: int, status: int = 201) -> None:
    """The act takes the last place, and is then refused with a sentence that has the limit."""
    assert act().status_code == status
    refused = act()
    assert (refused.status_code, refused.json["code"]) == (409, "conflict")
    assert f" {most:,} " in refused.json["detail"]


def workspaces_of(cast: Cast, name: str, count: int, role: str) -> None:
    fill(Workspace, count, name="Team", slug=lambda: str(new_id()))
    ids = [id for (id,) in Workspace.select(Workspace.id).where(Workspace.name == "Team").tuples()]
    places: Iterator[Any] = iter(ids)
    rows = {"workspace": lambda: next(places), "user": cast.users[name], "role": role, "joined_at": present()}
    Member.insert_many(
        [{"id": new_id(), **{key: value() if callable(value) else value for key, value in rows.items()}} for _ in ids]
    ).execute()


def test_destinations_of_a_workspace(browser: Browsers, cast: Cast, receiver: Receiver) -> None:
    adam, workspace = browser("adam"), typeid("wsp", cast.workspace.id)
    fill(Destination, destinations.MAX_DESTINATIONS - 1, workspace=cast.workspace, name="Team", kind="webhook")

    assert_takes_one_more(
        lambda: adam.post("/v1/destinations", new(workspace, receiver)), destinations.MAX_DESTINATIONS
    )

    path = f"/v1/destinations/{typeid('dst', Destination.get(Destination.name == 'Team').id)}"
    assert adam.delete(path).status_code == 204
    assert adam.post("/v1/destinations", new(workspace, receiver)).status_code == 201
    assert adam.post(f"{path}/restore").status_code == 409


def test_sources_of_a_workspace(browser: Browsers, cast: Cast) -> None:
    adam, fields = browser("adam"), {"workspaceId": typeid("wsp", cast.workspace.id), "name": "Cron"}
    fill(Source, sources.MAX_SOURCES - 2, workspace=cast.workspace, name="Team")

    assert_takes_one_more(lambda: adam.post("/v1/sources", fields), sources.MAX_SOURCES)

    path = f"/v1/sources/{typeid('src', Source.get(Source.name == 'Team').id)}"
    assert adam.delete(path).status_code == 204
    assert adam.post("/v1/sources", fields).status_code == 201
    assert adam.post(f"{path}/restore").status_code == 409


def test_keys_of_a_source(browser: Browsers, cast: Cast) -> None:
    adam, path = browser("adam"), f"/v1/sources/{typeid('src', cast.source.id)}/keys"
    own = {"source": cast.source, "workspace_id": cast.workspace.id, "name": "Host", "hash": lambda: new_id().bytes * 2}
    fill(SourceKey, keys.MAX_KEYS - 2, hint="…abcd", **own)

    assert_takes_one_more(lambda: adam.post(path, {"name": "Host"}), keys.MAX_KEYS)

    key = typeid("key", SourceKey.get(SourceKey.name == "Host").id)
    assert adam.post(f"{path}/{key}/rotate").status_code == 201
    assert adam.delete(f"{path}/{key}").status_code == 204
    assert adam.post(path, {"name": "Host"}).status_code == 409
    other = typeid("key", SourceKey.get(SourceKey.name == "Host", SourceKey.revoked_at.is_null()).id)
    adam.delete(f"{path}/{other}")
    assert adam.post(path, {"name": "Host"}).status_code == 201


def test_members_of_a_workspace(browser: Browsers, cast: Cast, invited: Invited) -> None:
    fill(User, members.MAX_MEMBERS - 5, name="Nina", email=lambda: str(new_id()), email_key=lambda: str(new_id()))
    rows = [
        {"id": new_id(), "workspace": cast.workspace, "user": id, "role": "viewer", "joined_at": present()}
        for (id,) in User.select(User.id).where(User.name == "Nina").tuples()
    ]
    Member.insert_many(rows).execute()
    late = make_user("late")
    cast.users["late"] = late

    assert browser("eve").post("/v1/invites/accept", {"token": invited()}).status_code == 200
    refused = browser("late").post("/v1/invites/accept", {"token": invited()})

    assert (refused.status_code, refused.json["detail"]) == (409, "A workspace has at most 1,000 members.")


def test_waiting_invitations_of_a_workspace(browser: Browsers, cast: Cast) -> None:
    olga, path = browser("olga"), f"/v1/workspaces/{typeid('wsp', cast.workspace.id)}/invites"
    waiting = {"workspace": cast.workspace, "role": "viewer", "created_by": cast.users["olga"]}
    digest = {"token_hash": lambda: new_id().bytes * 2}
    fill(Invite, 3, **waiting, **digest, expires_at=present() - SOON)
    fill(Invite, invites.MAX_WAITING - 1, **waiting, **digest, expires_at=present() + SOON)

    assert_takes_one_more(lambda: olga.post(path, {"role": "viewer"}), invites.MAX_WAITING)

    olga.delete(f"{path}/{typeid('inv', Invite.get(Invite.expires_at > present()).id)}")
    assert olga.post(path, {"role": "viewer"}).status_code == 201


def test_workspaces_that_a_person_owns(browser: Browsers, cast: Cast) -> None:
    vic, fields = browser("vic"), {"name": "Night Shift"}
    workspaces_of(cast, "vic", members.MAX_OWNED - 1, "owner")

    assert_takes_one_more(lambda: vic.post("/v1/workspaces", fields), members.MAX_OWNED)

    User.update(is_instance_admin=True).where(User.id == cast.users["vic"].id).execute()
    assert vic.post("/v1/workspaces", fields).status_code == 201


def test_no_member_becomes_owner_of_more_workspaces_than_the_limit(
    browser: Browsers, cast: Cast, invited: Invited
) -> None:
    workspaces_of(cast, "mia", members.MAX_OWNED, "owner")
    workspaces_of(cast, "eve", members.MAX_OWNED - 1, "owner")
    path = f"/v1/workspaces/{typeid('wsp', cast.workspace.id)}/members/{typeid('usr', cast.users['mia'].id)}"

    assert browser("olga").patch(path, {"role": "owner"}).status_code == 409
    assert browser("olga").patch(path, {"role": "admin"}).status_code == 200
    assert browser("eve").post("/v1/invites/accept", {"token": invited(role="owner")}).status_code == 409
    assert browser("eve").post("/v1/invites/accept", {"token": invited(role="admin")}).status_code == 200


def test_workspaces_of_a_person(browser: Browsers, cast: Cast, invited: Invited) -> None:
    workspaces_of(cast, "eve", members.MAX_MEMBERSHIPS - 2, "viewer")
    other = make_workspace("Other", olga=cast.users["olga"])

    assert browser("eve").post("/v1/invites/accept", {"token": invited()}).status_code == 200
    assert browser("eve").post("/v1/invites/accept", {"token": invited(workspace=other)}).status_code == 409
    start = browser("eve").get("/v1/start")
    assert (start.status_code, len(start.json["workspaces"])) == (200, members.MAX_MEMBERSHIPS)


def test_devices_of_a_person(browser: Browsers, cast: Cast) -> None:
    fill(Device, pairings.MAX_DEVICES - 1, user=cast.users["mia"], name="Phone")
    mia = browser("mia")

    assert mia.post("/v1/devices/pairings").status_code == 201
    fill(Device, 1, user=cast.users["mia"], name="Phone")
    refused = mia.post("/v1/devices/pairings")
    assert (refused.status_code, "at most 50 devices" in refused.json["detail"]) == (409, True)

    Device.update(revoked_at=present()).where(Device.id == Device.get(Device.user == cast.users["mia"]).id).execute()
    assert mia.post("/v1/devices/pairings").status_code == 201


def test_phones_of_a_workspace(phone: Phones, cast: Cast, service: Receiver) -> None:
    of_workspace = {"workspace": cast.workspace, "name": "Phone", "kind": "push"}
    fill(Device, push.MAX_PHONES_OF_WORKSPACE - 1, user=cast.users["olga"], name="Phone")
    phones = iter(Device.select(Device.id))
    fill(Destination, push.MAX_PHONES_OF_WORKSPACE - 1, **of_workspace, device_id=lambda: next(phones).id)

    assert phone("mia").put(CURRENT, Subscription(service).body()).status_code == 200
    refused = phone("vic").put(CURRENT, Subscription(service).body())
    assert (refused.status_code, refused.json["detail"]) == (409, "A workspace notifies at most 1,000 phones.")


def test_chat_accounts_of_a_person(browser: Browsers, cast: Cast) -> None:
    own = {"user_id": cast.users["mia"].id, "workspace_id": cast.workspace.id, "service": "slack"}
    fill(ChatAccount, chat_accounts.MAX_ACCOUNTS - 1, **own, account_id=lambda: str(new_id()), name="Mia")
    join(cast.foreign, cast.users["mia"], "viewer")

    assert press_button(browser("mia"), offer(cast, "T1/U1")).status_code == 200
    assert press_button(browser("mia"), offer(cast, "T1/U2")).status_code == 409
