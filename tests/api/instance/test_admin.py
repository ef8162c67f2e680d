"""Administration of the instance: access of people, the shown figures, and one administrator always remains.

Specification 13.3.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta

import pytest
from flask import Flask
from redis import Redis

from inbox.config.settings import Settings
from inbox.database.base import db, new_id
from inbox.domain.values.refusals import LastInstanceAdmin
from inbox.models.deliveries.mail_outbox import Mail
from inbox.models.events.tables import EventQueueRow
from inbox.models.people.accounts import Session, User
from inbox.models.people.devices import Device
from inbox.models.records.audit import AuditEntry
from inbox.models.workspaces.tables import Workspace
from inbox.runtime.queue import WAKEUP, QueueName
from inbox.services.instance import administration
from tests.browser import Browser
from tests.cast import Cast, make_user, present, sign_in, typeid

Browsers = Callable[[str], Browser]
READ = ("/v1/admin/users", "/v1/admin/workspaces", "/v1/admin/system")


@pytest.fixture
def vic(browser: Browsers, cast: Cast) -> Browser:
    """Vic views one workspace, and administers the instance."""
    User.update(is_instance_admin=True).where(User.id == cast.users["vic"].id).execute()
    return browser("vic")


def at(user: User) -> str:
    return f"/v1/admin/users/{typeid('usr', user.id)}"


def test_only_instance_administrators_use_the_administration(browser: Browsers, anonymous: Browser, cast: Cast) -> None:
    olga = browser("olga")

    refused = [olga.get(path) for path in READ]
    refused += [olga.patch(at(cast.users["eve"]), {"disabled": True}), olga.post("/v1/admin/purge")]

    assert [(answer.status_code, answer.json["requiredRole"]) for answer in refused] == [(403, "instanceAdmin")] * 5
    assert [anonymous.get(path).status_code for path in READ] == [401] * 3
    assert User.get_by_id(cast.users["eve"].id).disabled_at is None


def test_closed_accounts_are_left_out_of_the_account_list(vic: Browser, cast: Cast) -> None:
    User.update(deleted_at=present()).where(User.id == cast.users["mia"].id).execute()

    page = vic.get("/v1/admin/users?sort=name&order=asc&offset=0").json

    assert [(item["name"], item["workspaces"], item["isInstanceAdmin"]) for item in page["items"]] == [
        ("Adam", 1, False), ("Eve", 1, False), ("Olga", 1, False), ("Vic", 1, True),
    ]  # fmt: skip
    assert page["total"] == 4
    reported = vic.get("/v1/admin/users?q=OLGA%40").json["items"]
    assert [item["email"] for item in reported] == ["olga@example.org"]
    assert set(reported[0]) == {
        "id", "email", "name", "isInstanceAdmin", "disabled", "disabledAt", "mfa", "workspaces", "lastSeenAt",
        "createdAt", "rev",
    }  # fmt: skip


def test_the_workspace_list_of_the_instance_shows_only_sizes(vic: Browser, cast: Cast) -> None:
    Workspace.update(deleted_at=present()).where(Workspace.id == cast.foreign.id).execute()

    items = vic.get("/v1/admin/workspaces?sort=name&order=asc").json["items"]

    assert [(item["name"], item["members"], item["sources"], item["deletedAt"] is None) for item in items] == [
        ("Acme", 4, 1, True), ("Elsewhere", 1, 1, False),
    ]  # fmt: skip
    assert vic.get(f"/v1/workspaces/{items[1]['id']}").status_code == 404


def test_a_disabled_account_is_signed_out_at_once_and_signs_in_again_when_enabled(
    vic: Browser, browser: Browsers, cast: Cast, settings: Settings
) -> None:
    mia, person = browser("mia"), cast.users["mia"]
    device = Device.create(id=new_id(), user=person, name="Phone", created_at=present())
    with Redis.from_url(settings.redis_url) as redis, redis.pubsub() as arrived:
        arrived.subscribe("inbox:changes")
        arrived.get_message(timeout=30)

        answer = vic.patch(at(person), {"disabled": True})

        reported = b""
        while message := arrived.get_message(timeout=5):
            reported += message["data"]
    assert (answer.status_code, answer.json["disabled"], answer.json["rev"]) == (200, True, 2)
    assert str(person.id).encode() in reported and b'"close"' in reported
    assert mia.get("/v1/me").status_code == 401
    assert Device.get_by_id(device.id).revoked_at is not None

    assert vic.patch(at(person), {"disabled": False}).json["disabledAt"] is None
    assert mia.get("/v1/me").status_code == 401
    assert browser("mia").get("/v1/me").status_code == 200
    entries = [entry for entry in AuditEntry.select().order_by(AuditEntry.id) if entry.action == "user.changed"]
    assert [entry.details["changes"][0]["after"] for entry in entries] == [True, False]


def test_an_edit_of_an_account_to_its_present_values_changes_nothing(vic: Browser, cast: Cast) -> None:
    answer = vic.patch(at(cast.users["mia"]), {"disabled": False, "isInstanceAdmin": False})

    assert (answer.status_code, answer.json["rev"]) == (200, 1)
    assert AuditEntry.select().where(AuditEntry.action == "user.changed").count() == 0


@pytest.mark.parametrize("change", [{"disabled": True}, {"isInstanceAdmin": False}])
def test_the_last_administrator_cannot_be_removed(vic: Browser, cast: Cast, change: dict[str, bool]) -> None:
    make_user("off", is_instance_admin=True, disabled_at=present())

    refused = vic.patch(at(cast.users["vic"]), change)
    made = vic.patch(at(cast.users["mia"]), {"isInstanceAdmin": True})

    assert (refused.status_code, refused.json["code"]) == (409, "last_instance_admin")
    assert made.json["isInstanceAdmin"] is True
    assert vic.patch(at(cast.users["vic"]), change).status_code == 200


def test_two_administrators_who_demote_each_other_at_once_leave_one(cast: Cast) -> None:
    both = [make_user(name, is_instance_admin=True) for name in ("ann", "ben")]

    def depose(user: User) -> None:
        with db.connection_context():
            try:
                administration.edit(user.id, is_instance_admin=False, now=present())
            except LastInstanceAdmin:
                pass

    threads = [threading.Thread(target=depose, args=(user,)) for user in both]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)

    assert User.select().where(User.is_instance_admin).count() == 1


def test_changes_want_a_recent_proof_and_the_right_revision(
    vic: Browser, app: Flask, settings: Settings, cast: Cast
) -> None:
    cookie = sign_in(cast.users["vic"], proved_at=present() - timedelta(minutes=16))
    stale = Browser(app, settings.base_url, cookie=cookie)

    assert stale.patch(at(cast.users["mia"]), {"disabled": True}).json["code"] == "reauth_required"
    assert stale.get("/v1/admin/users").status_code == 200
    assert vic.patch(at(cast.users["mia"]), {"disabled": True}, headers={"If-Match": '"7"'}).status_code == 412
    assert vic.patch(f"/v1/admin/users/{typeid('usr', new_id())}", {"disabled": True}).status_code == 404
    assert vic.patch(at(cast.users["mia"]), {"email": "x@example.org"}).status_code == 422
    assert Session.select().where(Session.user == cast.users["mia"], Session.revoked_at.is_null(False)).count() == 0


def test_the_condition_of_every_part_is_reported_with_a_figure(vic: Browser, cast: Cast) -> None:
    reported = vic.get("/v1/admin/system").json

    assert {name: reported[name]["status"] for name in ("queues", "workers", "scheduler", "database", "feed", "mail")} == {
        "queues": "ok", "workers": "down", "scheduler": "degraded", "database": "ok", "feed": "ok", "mail": "ok",
    }  # fmt: skip
    assert reported["database"]["value"] > 0 and reported["quarantinedEvents"] == 0


def test_quarantined_events_and_failed_mails_degrade_the_system_status(
    vic: Browser, cast: Cast, settings: Settings
) -> None:
    EventQueueRow.insert(shard=0, workspace_id=cast.workspace.id, event_id=new_id(), quarantined_at=present()).execute()
    Mail.create(id=new_id(), address="mia@example.org", template="x", created_at=present(), failed_at=present())

    reported = vic.get("/v1/admin/system").json

    assert (reported["queues"]["status"], reported["quarantinedEvents"]) == ("degraded", 1)


def test_the_purge_is_woken(vic: Browser, settings: Settings) -> None:
    answer = vic.post("/v1/admin/purge")

    assert (answer.status_code, answer.json) == (202, {"started": True})
    with Redis.from_url(settings.redis_url) as redis:
        assert redis.exists(WAKEUP.format(queue=QueueName.PURGE))
    assert AuditEntry.select().where(AuditEntry.action == "instance.purged").count() == 1
