"""Retention and deleted rows: expired rows are removed with all rows that refer to them, and no others."""

from __future__ import annotations

import threading
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from inbox.database.base import db, new_id
from inbox.flow.upkeep.purge import dry_run, purge
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.tables import Delivery, DeliveryAttempt, Notice
from inbox.models.events.tables import Event, EventQueueRow
from inbox.models.incidents.tables import Incident, TimelineEntry, Timer
from inbox.models.people.accounts import Session, User
from inbox.models.people.members import Member
from inbox.models.records.audit import AuditEntry
from inbox.models.routing.profiles import RoutingProfile
from inbox.models.routing.rules import OpenAfterCounter, Rule, RuleMatch
from inbox.models.senders.sources import Source, SourceKey
from inbox.models.workspaces.tables import Workspace
from tests.cast import NOW, Cast, make_source, make_workspace
from tests.database.stored import store
from tests.flow.concurrent_connections import other_connection
from tests.stand_ins.outgoing_posts import make_destination, owe

DAY = timedelta(days=1)


def ago(days: float) -> datetime:
    return NOW - days * DAY


def event(source: Source, days: float = 1, disposition: str = "logged") -> UUID:
    made, at = new_id(ago(days)), ago(days)
    store(
        workspace_id=source.workspace_id, id=made, source_id=source.id, received_at=at, occurred_at=at,
        disposition=disposition,
    )  # fmt: skip
    return made


def incident(source: Source, resolved: float | None, number: int = 1) -> Incident:
    at = ago(800)
    made: Incident = Incident.create(
        id=new_id(at), workspace_id=source.workspace_id, number=number, source_id=source.id,
        fingerprint=f"f1:{number}", title="Disk full", severity="ERROR", last_severity="ERROR",
        state="open" if resolved is None else "resolved", first_seen_at=at, last_seen_at=at, opened_at=at,
        resolved_at=None if resolved is None else ago(resolved),
    )  # fmt: skip
    TimelineEntry.create(
        id=new_id(), workspace_id=source.workspace_id, incident_id=made.id, at=at, kind="opened", actor={}
    )
    return made


def rule(workspace: Workspace, days: float | None, number: int = 1) -> Rule:
    made: Rule = Rule.create(
        id=new_id(), workspace_id=workspace.id, name=f"Rule {number}", position=number, match={"all": []},
        actions={}, created_at=ago(800), deleted_at=None if days is None else ago(days),
    )  # fmt: skip
    about = {"workspace_id": workspace.id, "rule_id": made.id}
    for hours in (1, 24 * 91):
        RuleMatch.create(**about, hour=NOW - timedelta(hours=hours), events=1, last_at=NOW)
    OpenAfterCounter.create(**about, fingerprint="f1:x", seen_at=[NOW], last_at=NOW)
    return made


def profile(workspace: Workspace, days: float | None) -> RoutingProfile:
    made: RoutingProfile = RoutingProfile.create(
        id=new_id(), workspace_id=workspace.id, name="On-call", steps=[], created_at=ago(800),
        deleted_at=None if days is None else ago(days),
    )  # fmt: skip
    return made


def delivery(destination: Destination, days: float, about: Incident | None = None, **more: Any) -> Delivery:
    made = owe(destination, about, created_at=ago(days), **{"status": "sent", **more})
    DeliveryAttempt.create(delivery=made, number=1, at=ago(days))
    return made


def entry(workspace: Workspace | None, days: float) -> None:
    at = ago(days)
    AuditEntry.create(
        id=new_id(at), at=at, workspace_id=workspace.id if workspace else None, actor={}, action="x.y", target={}
    )


def left(model: Any) -> set[UUID]:
    return {row.id for row in model.select(model.id)}


def test_events_go_after_ninety_days_but_not_before_they_are_routed(cast: Cast) -> None:
    retained = {event(cast.source, 89), event(cast.source, 100, "pending")}
    event(cast.source, 91)

    assert purge(NOW)["received_events"] == 1

    assert left(Event) == retained


def test_each_workspace_retains_data_for_its_own_period(cast: Cast) -> None:
    Workspace.update(settings={"retention": {"eventDays": 10}}).where(Workspace.id == cast.workspace.id).execute()
    event(cast.source, 11)
    retained = {event(cast.source, 9), event(cast.foreign_source, 11)}

    purge(NOW)

    assert left(Event) == retained


def test_resolved_incidents_go_with_their_history_and_open_ones_stay(cast: Cast) -> None:
    destination = make_destination(cast.workspace, "http://127.0.0.1:1/")
    old, young, unresolved = (incident(cast.source, days, n) for n, days in enumerate((366, 364, None), start=1))
    for about in (old, young, unresolved):
        delivery(destination, 5, about)

    purge(NOW)

    assert left(Incident) == {young.id, unresolved.id}
    assert {row.incident_id for row in TimelineEntry.select()} == {young.id, unresolved.id}
    assert {row.incident_id for row in Delivery.select()} == {young.id, unresolved.id}
    assert {row.incident_id for row in Notice.select()} == {young.id, unresolved.id}
    assert DeliveryAttempt.select().count() == 2


def test_a_delivery_stays_while_its_incident_may_notify_its_end(cast: Cast) -> None:
    destination = make_destination(cast.workspace, "http://127.0.0.1:1/")
    resolved, just_resolved, unresolved = (
        incident(cast.source, days, n) for n, days in enumerate((20, 1, None), start=1)
    )
    delivery(destination, 31, resolved)
    delivery(destination, 31)
    retained = {
        delivery(destination, 31, just_resolved).id,
        delivery(destination, 31, unresolved).id,
        delivery(destination, 31, status="held").id,
        delivery(destination, 29, resolved, seq=2).id,
    }

    purge(NOW)

    assert left(Delivery) == retained
    assert Notice.select().where(Notice.incident_id.is_null()).count() == 1


def test_audit_entries_are_kept_for_two_years(cast: Cast) -> None:
    for workspace in (cast.workspace, None):
        for days in (729, 731):
            entry(workspace, days)

    assert purge(NOW)["audit_log"] == 2

    assert {row.at for row in AuditEntry.select()} == {ago(729)}


def test_a_deleted_workspace_goes_after_seven_days_with_everything_in_it(cast: Cast) -> None:
    workspace = make_workspace("Gone", olga=cast.users["olga"])
    source, _ = make_source(workspace, "Cron")
    destination = make_destination(workspace, "http://127.0.0.1:1/")
    about = incident(source, None)
    delivery(destination, 1, about)
    delivery(destination, 1)
    waiting = event(source, 1, "pending")
    EventQueueRow.update(quarantined_at=NOW).where(EventQueueRow.event_id == waiting).execute()
    Timer.insert(kind="wake", subject_id=about.id, workspace_id=workspace.id, due_at=NOW).execute()
    others = event(cast.source, 1)

    Workspace.update(deleted_at=ago(6.9)).where(Workspace.id == workspace.id).execute()
    purge(NOW)
    assert workspace.id in left(Workspace)

    Workspace.update(deleted_at=ago(7.1)).where(Workspace.id == workspace.id).execute()
    purge(NOW)

    assert left(Workspace) == {cast.workspace.id, cast.foreign.id}
    assert left(Event) == {others}
    for model in (Incident, TimelineEntry, Notice, Delivery, DeliveryAttempt, Destination, EventQueueRow, Timer):
        assert model.select().count() == 0, model
    assert SourceKey.select().count() == Source.select().count() == 2
    assert Member.select().where(Member.workspace == workspace.id).count() == 0


def test_a_deleted_source_goes_with_its_events_and_incidents(cast: Cast) -> None:
    source, _ = make_source(cast.workspace, "Old", deleted_at=ago(8))
    incident(source, None, 1)
    event(source, 1)
    retained, other = event(cast.source, 1), incident(cast.source, None, 2)

    purge(NOW)

    assert left(Source) == {cast.source.id, cast.foreign_source.id}
    assert (left(Event), left(Incident)) == ({retained}, {other.id})


def test_a_deleted_destination_and_a_closed_account_go(cast: Cast) -> None:
    destination = make_destination(cast.workspace, "http://127.0.0.1:1/", deleted_at=ago(8))
    delivery(destination, 1)
    cast.cookie("mia")
    User.update(deleted_at=ago(8)).where(User.id == cast.users["mia"].id).execute()

    purge(NOW)

    assert Destination.select().count() == Delivery.select().count() == Session.select().count() == 0
    assert cast.users["mia"].id not in left(User)
    assert len(left(User)) == 4


def test_a_rule_keeps_the_newest_hour_in_which_it_matched(cast: Cast) -> None:
    about = {"workspace_id": cast.workspace.id, "rule_id": rule(cast.workspace, None).id}
    RuleMatch.delete().where(RuleMatch.hour > ago(1)).execute()
    RuleMatch.create(**about, hour=NOW - timedelta(days=200), events=1, last_at=ago(200))
    reported = dry_run(NOW)

    assert purge(NOW)["rule_matches"] == reported["rule_matches"] == 1
    assert [row.hour for row in RuleMatch.select()] == [NOW - timedelta(hours=24 * 91)]


def test_deleted_rules_and_profiles_are_purged_after_seven_days_with_their_references(cast: Cast) -> None:
    rules = [rule(cast.workspace, days, number) for number, days in enumerate((None, 6.9, 7.1), 1)]
    profiles = [profile(cast.workspace, days) for days in (None, 6.9, 7.1)]
    reported = dry_run(NOW)

    removed = purge(NOW)

    retained = {rules[0].id, rules[1].id}
    assert (left(Rule), left(RoutingProfile)) == (retained, {profiles[0].id, profiles[1].id})
    assert {row.rule_id for row in RuleMatch.select()} == {row.rule_id for row in OpenAfterCounter.select()} == retained
    assert (removed["rule_matches"], reported["rule_matches"]) == (4, 4)


@pytest.mark.parametrize("older_than", [None, 5 * DAY])
def test_a_dry_run_lists_the_rows_to_purge_and_removes_none(cast: Cast, older_than: timedelta | None) -> None:
    destination = make_destination(cast.workspace, "http://127.0.0.1:1/")
    for number, days in enumerate((6, 400), start=1):
        event(cast.source, days)
        delivery(destination, 1, incident(cast.source, days, number))
        entry(cast.workspace, days * 2)

    reported = dry_run(NOW, older_than=older_than)

    assert Event.select().count() == 2 and Incident.select().count() == 2
    removed = purge(NOW, older_than=older_than)
    assert {name: count for name, count in removed.items() if count} == {n: c for n, c in reported.items() if c}
    assert removed["received_events"] == (1 if older_than is None else 2)
    assert removed["audit_log"] == 1


def test_a_purge_removes_several_batches_and_reports_when_its_time_is_over(cast: Cast) -> None:
    source_id, workspace_id = cast.source.id, cast.workspace.id
    db.execute_sql(
        "INSERT INTO received_events (workspace_id, id, source_id, received_at, occurred_at, severity, action, title,"
        " fingerprint) SELECT %s, ('01800000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, %s, %s, %s, 'ERROR',"
        " 'trigger', 'x', 'f1:x' FROM generate_series(1, 1300) n",
        (workspace_id, source_id, NOW, NOW),
    )

    first = purge(NOW, seconds=0.0)
    rest = purge(NOW)

    assert (first.finished, first["received_events"]) == (False, 100)
    assert (rest.finished, rest["received_events"]) == (True, 1200)


def test_a_locked_row_is_skipped_and_purged_later(cast: Cast) -> None:
    held, free = event(cast.source, 100), event(cast.source, 101)
    about = incident(cast.source, 400)
    with other_connection() as connection, connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM received_events WHERE id = %s FOR UPDATE", (held,))
        cursor.execute("SELECT 1 FROM incidents WHERE id = %s FOR UPDATE", (about.id,))

        assert purge(NOW)["received_events"] == 1

        assert (left(Event), left(Incident)) == ({held}, {about.id})
    purge(NOW)
    assert left(Event) == left(Incident) == set()
    assert free not in left(Event)


def test_any_number_may_purge_at_once(cast: Cast) -> None:
    for number in range(1, 41):
        event(cast.source, 100)
        incident(cast.source, 400, number)

    def run() -> None:
        with db.connection_context():
            purge(NOW)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    purge(NOW)
    assert left(Event) == left(Incident) == set()
