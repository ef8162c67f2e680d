"""`bin/inbox demo`: the contents of the sample workspace, no notifications, and complete removal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import time, timedelta
from typing import Any

import pytest

from inbox.config import settings as current
from inbox.config.settings import Settings
from inbox.database.base import db
from inbox.flow.delivery.deliver import deliver
from inbox.flow.delivery.senders import decrypted_config
from inbox.flow.timers.run import run_due
from inbox.flow.upkeep import purge
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.mail_outbox import Mail
from inbox.models.deliveries.tables import Delivery, Notice
from inbox.models.incidents.tables import Incident
from inbox.models.people.accounts import User
from inbox.models.people.members import Member
from inbox.models.records.audit import AuditEntry
from inbox.models.workspaces.tables import Workspace
from inbox.services.people import preferences
from inbox.services.workspaces import deletion
from ops.demo import workspace as demo
from ops.demo.company import PEOPLE
from tests.browser import Browser
from tests.cast import Cast, present, typeid
from tests.mail.servers import MailServer
from tests.ops.conftest import Run
from tests.stand_ins.post_office import MAIL_FROM, PostOffice
from tests.stand_ins.receivers import Receiver

pytestmark = pytest.mark.slow

CLOSED_PORT = "http://127.0.0.1:1"
"""An address at which nothing listens."""


@pytest.fixture
def administrator(cast: Cast) -> User:
    """Olga administers the instance."""
    User.update(is_instance_admin=True).where(User.id == cast.users["olga"].id).execute()
    return cast.users["olga"]


@pytest.fixture
def in_force(settings: Settings) -> Iterator[Settings]:
    """The settings of this test process, which are in force again afterwards."""
    yield settings
    current.use(settings)


def _rows() -> Counter[str]:
    """The number of rows of each table that belongs to workspaces, and of the accounts."""
    tables = db.execute_sql(
        "SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid WHERE c.relkind IN ('r', 'p')"
        " AND a.attname = 'workspace_id' AND c.relnamespace::regnamespace::text = ANY(current_schemas(false))"
    ).fetchall()
    names = {name for (name,) in tables} | {"workspaces", "users", "source_warnings", "delivery_attempts"}
    counts = {name: db.execute_sql(f"SELECT count(*) FROM {name}").fetchone()[0] for name in names}
    return Counter({name: count for name, count in counts.items() if count})


def test_the_demo_is_refused_in_one_line_without_an_administrator(inbox: Run) -> None:
    refused = inbox("demo")

    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr.count("\n") == 1 and "No instance administrator exists" in refused.stderr
    assert "user make-admin" in refused.stderr and Workspace.select().count() == 2


def test_an_owner_without_the_administrator_role_is_refused(inbox: Run, administrator: User) -> None:
    refused = inbox("demo", "--owner", "mia@example.org")

    assert refused.returncode == 1 and "No instance administrator" in refused.stderr


def test_the_demo_command_creates_a_workspace_once_and_removes_it(inbox: Run, administrator: User) -> None:
    before = _rows()
    with Receiver() as receiver, MailServer() as post:
        mail: dict[str, str | None] = {"INBOX_SMTP_URL": post.url, "INBOX_MAIL_FROM": MAIL_FROM}
        made = inbox("demo", "--port", str(receiver.port), more=mail)
        filled = _rows()
        repeated = inbox("demo", more=mail)
        filled_again = _rows()
        removed = inbox("demo", "--remove", more=mail)
        nothing_left = inbox("demo", "--remove", more=mail)

        assert receiver.requests == [] and post.mails == []
    assert made.returncode == 0 and "/w/demo/inbox" in made.stdout, made.stderr
    assert (repeated.returncode, "The workspace Demo exists" in repeated.stdout) == (0, True)
    assert filled_again == filled and filled["received_events"] > 500
    assert (removed.returncode, "Nothing was sent" in removed.stdout) == (0, True), removed.stderr
    assert (nothing_left.returncode, nothing_left.stdout) == (0, "There is no workspace Demo.\n")
    after = _rows()
    assert {name: after[name] - before[name] for name in after | before if name != "audit_log"} == dict.fromkeys(
        [name for name in after | before if name != "audit_log"], 0
    )
    closed = AuditEntry.get(AuditEntry.action == "workspace.closed")
    assert closed.target["name"] == "Demo" and closed.actor["name"] == "bin/inbox"


def test_accounts_of_a_workspace_that_a_person_deleted_are_replaced_and_removed(administrator: User) -> None:
    first = demo.make(CLOSED_PORT, present())
    _delete_as_the_purge(first.workspace)

    second = demo.make(CLOSED_PORT, present())
    assert not second.existed and second.workspace.id != first.workspace.id
    assert demo.make(CLOSED_PORT, present()).existed

    _delete_as_the_purge(second.workspace)
    assert demo.remove(present()) == {"users": 4}
    assert demo.remove(present()) is None and demo.find() is None


def test_only_people_of_the_sample_get_no_mails_about_shifts(administrator: User) -> None:
    before = preferences.of_person(administrator.id)

    demo.make(CLOSED_PORT, present())

    assert preferences.of_person(administrator.id) == before
    assert preferences.of_person(PEOPLE["mira"].id)["shiftNoticeMinutes"] == []


def test_the_workspace_is_found_without_one_of_its_members(administrator: User) -> None:
    made = demo.make(CLOSED_PORT, present())
    for name in PEOPLE:
        member = Member.get(Member.workspace == made.workspace, Member.user == PEOPLE[name].id)
        member.delete_instance()
        found = demo.find()
        assert found is not None and found.id == made.workspace.id
        Member.insert(member.__data__).execute()
    Member.delete().where(Member.workspace == made.workspace, Member.user == PEOPLE["mira"].id).execute()

    assert demo.remove(present()) is not None
    assert User.select().where(User.id.in_([person.id for person in PEOPLE.values()])).count() == 0


def _delete_as_the_purge(workspace: Workspace) -> None:
    """A person deleted the workspace in the dashboard, and a week has passed."""
    deletion.close_for_removal(workspace.id, now=present())
    purge.remove_workspace(workspace.id)


def shown_statuses(monitors: list[dict[str, Any]]) -> set[str]:
    """Of these monitors. The nightly backup is the only one that is up, and at night it runs."""
    found = {one["status"] for one in monitors}
    return found | {"up"} if time(2, 30) <= present().time() < time(2, 46) else found


def test_the_demo_shows_each_state_and_record(browser: Callable[[str], Browser], administrator: User) -> None:
    made = demo.make(CLOSED_PORT, present())

    olga = browser("olga")
    [workspace] = [one for one in olga.get("/v1/workspaces").json["items"] if one["name"] == "Demo"]
    own = f"workspaceId={workspace['id']}&limit=200"

    def items(path: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = olga.get(f"/v1/{path}{'&' if '?' in path else '?'}{own}").json["items"]
        return found

    incidents = items("incidents")
    assert {one["state"] for one in incidents} == {"open", "acknowledged", "snoozed", "silenced", "resolved"}
    assert any(one["flapping"] for one in incidents) and any(one["assigneeId"] for one in incidents)
    members = olga.get(f"/v1/workspaces/{workspace['id']}/members").json["items"]
    assert {one["role"] for one in members} == {"owner", "admin", "member"} and len(members) == 5
    assert len(items("sources")) == 8 and len(items("rules")) == 9
    assert {one["state"] for one in items("silences")} >= {"active", "expired"}
    assert shown_statuses(items("heartbeat-monitors")) == {"up", "late", "down", "running", "paused", "new"}
    [failed] = [one["incidentId"] for one in items("heartbeat-monitors") if one["status"] == "down"]
    assert failed in {one["id"] for one in incidents}
    assert {one["name"] for one in items("routing-profiles")} == {"On call", "Office hours"}
    assert workspace["settings"]["quietHours"]["enabled"] is True
    health = {one["name"]: one["health"]["state"] for one in items("destinations")}
    assert health == {
        "Team chat": "working", "On-call phone": "working", "Status board": "retrying", "Ticket system": "stopped"
    }  # fmt: skip
    names = {one["id"]: one["name"] for one in items("destinations")}
    assert {names[one["destinationId"]] for one in items("deliveries?status=retrying")} == {"Status board"}
    assert {names[one["destinationId"]] for one in items("deliveries?status=sent")} == set(names.values())
    [disk] = [one for one in incidents if one["title"] == "Disk of db-1 is almost full"]
    kinds = [one["kind"] for one in olga.get(f"/v1/incidents/{disk['id']}/timeline").json["items"]]
    assert "note" in kinds and "opened" in kinds and kinds.count("escalated") == 2
    notices = olga.get(f"/v1/incidents/{disk['id']}/notices").json["items"]
    assert any("Team chat" in one["text"] for one in notices)
    [cards] = [one for one in incidents if one["title"] == "Card payments fail at example-pay"]
    assert "Mira Holm" in olga.get(f"/v1/incidents/{cards['id']}/explain").json["text"]
    oldest = min(one["receivedAt"] for one in items("events?sort=received&order=asc"))
    assert oldest < (present() - timedelta(days=13)).isoformat()
    assert made.events > 500 and not made.existed


def test_four_people_are_on_call_with_an_override_and_a_gap(
    browser: Callable[[str], Browser], administrator: User
) -> None:
    made = demo.make(CLOSED_PORT, present())

    olga = browser("olga")
    [schedule] = olga.get(f"/v1/schedules?workspaceId={typeid('wsp', made.workspace.id)}").json["items"]
    assert len({name for layer in schedule["layers"] for [name] in layer["members"]}) == 4
    assert {one["kind"] for one in schedule["problems"]} == {"gap", "unreachable_member", "unused"}
    [override] = olga.get(f"/v1/schedules/{schedule['id']}/overrides").json["items"]
    assert override["reason"] == "Dentist"
    assert len({one["userId"] for one in olga.get(f"/v1/schedules/{schedule['id']}/log").json["items"]}) >= 3


def test_the_history_lies_in_the_past_and_its_workers_call_its_receivers_alone(
    administrator: User, in_force: Settings
) -> None:
    now = present()

    with Receiver() as receiver, Receiver() as built_in:
        current.use(replace(in_force, base_url=f"http://127.0.0.1:{built_in.port}"))
        made = demo.make(f"http://127.0.0.1:{receiver.port}", now)
        late = db.execute_sql("SELECT count(*) FROM timers WHERE due_at <= %s", (now,)).fetchone()[0]
        queued = db.execute_sql("SELECT count(*) FROM event_queue").fetchone()[0]
        of_the_future = (Incident.opened_at > now) | (Incident.last_seen_at > now)
        young = (
            Incident.select().where(of_the_future).count() + Delivery.select().where(Delivery.settled_at > now).count()
        )
        sent_before = len(receiver.requests) + len(built_in.requests)
        _work(range(0, 36, 6))
        for each in Destination.select().where(Destination.kind == "webhook"):
            secret = decrypted_config(each).secrets["secret"]
            receiver.secrets.add(secret)
            built_in.secrets.add(secret)

    assert (late, queued, young, sent_before) == (0, 0, 0, 0)
    assert {request.path for request in receiver.requests} == {"/status-board"}
    [path] = {request.path for request in built_in.requests}
    assert path.startswith("/v1/built-in-receiver/")
    calls = [*receiver.requests, *built_in.requests]
    assert {request.json["data"]["workspaceName"] for request in calls} == {made.workspace.name}


def test_the_demo_mails_nobody_when_its_receiver_is_down(administrator: User, in_force: Settings) -> None:
    with MailServer() as server:
        current.use(replace(in_force, smtp_url=server.url, mail_from=MAIL_FROM, base_url=CLOSED_PORT))
        demo.make(CLOSED_PORT, present())
        _work(range(0, 120, 3))

        assert PostOffice(server).delivered() == []
    assert Notice.select().where(Notice.reason == "fallback").count() > 0
    assert Mail.select().count() == 0


def _work(hours: Iterable[int]) -> None:
    """Run timers and deliveries at so many hours from now."""
    for each in hours:
        moment = present() + timedelta(hours=each)
        run_due(lambda at=moment: at)  # type: ignore[misc]
        deliver(lambda at=moment: at)  # type: ignore[misc]
