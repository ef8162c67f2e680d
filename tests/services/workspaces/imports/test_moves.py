"""A workspace moves to another instance with its history and its configuration, and wakes nobody (specification 12.12)."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from flask import Flask

from inbox.api.configuration.import_checks import check
from inbox.flow.timers.run import run_due
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.tables import Delivery, Notice
from inbox.models.heartbeats.tables import HeartbeatMonitor
from inbox.models.incidents.tables import Incident, TimelineEntry, Timer
from inbox.models.people.accounts import User
from inbox.models.people.members import Member
from inbox.models.records.audit import AuditEntry
from inbox.models.workspaces.tables import Workspace, WorkspaceCounter
from inbox.services.workspaces.imports import report, run, survey
from inbox.services.workspaces.imports.export_file import ExportFile, ImportRefused
from tests.api.configuration.workspaces import SECRET, TOKEN
from tests.cast import Cast, make_user, present, typeid
from tests.services.workspaces.imports.lived_in import live_in
from tests.services.workspaces.imports.moved import (
    begun,
    document_of,
    exported,
    imported,
    on_another_instance,
)

PEOPLE = ("olga@example.org", "adam@example.org", "mia@example.org", "vic@example.org")

CHANGED = {
    "workspace": {"settings"},
    "destinations": {"enabled"},
    "heartbeatMonitors": {"status", "pausedAt"},
    "incidents": {"state", "snoozedUntil", "silencedBy", "stateBeforeSilence", "flapping", "stepsTaken", "lastStep", "renotifyCount"},
}  # fmt: skip
"""The members of records that an import may change. Everything else is equal, apart from the ids of people."""

GONE = {"invites", "sourceKeys", "auditLog", "exportedAt"}


@pytest.fixture
def file(app: Flask, cast: Cast, tmp_path: Path) -> ExportFile:
    """The export of a workspace in which people have worked."""
    live_in(cast)
    return exported(cast.workspace, tmp_path / "acme.json")


def _without_people(document: dict[str, object], file: ExportFile) -> str:
    """The text of the records that stay equal. Accounts are named by their addresses."""
    text = ""
    for name, value in document.items():
        if name in GONE or name == "members":
            continue
        records = value if isinstance(value, list) else [value]
        for each in records:
            kept = (
                {key: inner for key, inner in each.items() if key not in CHANGED.get(name, ())}
                if isinstance(each, dict)
                else each
            )
            text += f"{name}: {kept}\n"
    for record in file.records():
        if record.section == "members":
            text = text.replace(record.item["userId"], record.item["email"])
    return text


def test_the_moved_workspace_is_exported_equal_apart_from_what_an_import_changes(
    file: ExportFile, tmp_path: Path
) -> None:
    before = document_of(file)
    old = next(each for each in before["incidents"] if each["title"] == "Disk resolved long ago")["id"]
    waiting = [each for each in before["deliveries"] if each["status"] == "pending"]
    on_another_instance(*PEOPLE)

    moved = exported(imported(file), tmp_path / "moved.json")

    before["incidents"] = [each for each in before["incidents"] if each["id"] != old]
    before["timeline"] = [each for each in before["timeline"] if each["incidentId"] != old]
    before["deliveries"] = [each for each in before["deliveries"] if each not in waiting]
    assert len(before["incidents"]) == 6 and len(before["timeline"]) == 6 and len(before["deliveries"]) == 1
    assert _without_people(document_of(moved), moved) == _without_people(before, file)


def test_nobody_is_notified_of_what_was_imported(file: ExportFile) -> None:
    on_another_instance(*PEOPLE)
    workspace = imported(file)
    notices = Notice.select().count()

    later = present() + timedelta(minutes=5)
    run_due(lambda: later)

    assert Notice.select().count() == notices
    assert Delivery.select().where(Delivery.status != "sent").count() == 0
    assert {each.state for each in Incident.select()} == {"open", "acknowledged", "snoozed", "resolved"}
    snoozed = Incident.get(Incident.title == "Disk snoozed")
    assert Timer.get(Timer.subject_id == snoozed.id).due_at == snoozed.snoozed_until
    assert Workspace.get_by_id(workspace.id).deleted_at is None


def test_pauses_that_ended_meanwhile_leave_their_incidents_as_they_were_before(file: ExportFile) -> None:
    on_another_instance(*PEOPLE)
    imported(file)

    states = {each.title.removeprefix("Disk "): each.state for each in Incident.select()}

    assert states == {
        "open": "open", "acknowledged": "acknowledged", "snoozed": "snoozed", "snoozed before": "open",
        "silenced": "acknowledged", "resolved": "resolved",
    }  # fmt: skip


def test_members_are_found_by_their_addresses_and_no_account_is_made(file: ExportFile) -> None:
    on_another_instance("olga@example.org", "mia@example.org")
    workspace = imported(file)

    members = {each.user.email: each.role for each in Member.select().where(Member.workspace == workspace)}

    assert members == {"olga@example.org": "owner", "mia@example.org": "member"}
    assert User.select().count() == 2
    note = TimelineEntry.get()
    assert note.actor["name"] == "Vic"
    assert {each.assignee_id for each in Incident.select()} == {User.get(User.email == "mia@example.org").id}


def test_a_workspace_without_its_owner_needs_another_one(file: ExportFile) -> None:
    on_another_instance("mia@example.org")
    with pytest.raises(ImportRefused, match="--owner"):
        begun(file)
    assert Workspace.select().count() == 0

    workspace = imported(file, owner=make_user("ada"))

    assert Member.get(Member.workspace == workspace, Member.role == "owner").user.name == "Ada"


def test_what_needs_a_secret_is_disabled_and_listed(file: ExportFile) -> None:
    assert SECRET.encode() not in file.path.read_bytes() and TOKEN.encode() not in file.path.read_bytes()
    on_another_instance(*PEOPLE[:1])

    to_do = list(report.to_do(survey.of_file(file)))
    imported(file)

    assert to_do == [
        "Invite the people without an account here: adam@example.org, mia@example.org, vic@example.org.",
        "Enter the secret of the destination “Pager” (webhook), and enable it.",
        "Replace the token of the heartbeat monitor “Backup”, and resume it.",
        "Create a key for the source “Prometheus”.",
    ]
    assert not Destination.get().enabled
    assert (HeartbeatMonitor.get().status, HeartbeatMonitor.get().token_hint) == ("paused", "")


def test_a_second_import_stores_nothing(file: ExportFile, cast: Cast, tmp_path: Path) -> None:
    later = exported(cast.workspace, tmp_path / "later.json")
    on_another_instance(*PEOPLE)
    imported(file)
    before = (Incident.select().count(), TimelineEntry.select().count(), AuditEntry.select().count())

    found = run.earlier(file)

    assert found is not None and found.finished_at is not None
    with pytest.raises(ImportRefused, match="imported before, as acme"):
        run.earlier(later)
    assert (Incident.select().count(), TimelineEntry.select().count(), AuditEntry.select().count()) == before


def test_a_plan_stores_nothing(file: ExportFile) -> None:
    on_another_instance(*PEOPLE)

    planned = run.plan(survey.of_file(file), None, check, present())

    assert (planned["rules"]["stored"], Workspace.select().count()) == (2, 0)


def test_the_import_is_audited_and_numbers_go_on(file: ExportFile) -> None:
    origin = document_of(file)["workspace"]["id"]
    on_another_instance(*PEOPLE)
    workspace = imported(file)

    entry = AuditEntry.get()

    assert (entry.action, entry.workspace_id) == ("workspace.imported", workspace.id)
    assert (entry.details["origin"], entry.details["stored"]["incidents"]) == (origin, 6)
    assert typeid("wsp", workspace.id) == origin
    assert WorkspaceCounter.get().incidents == 7
