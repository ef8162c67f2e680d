"""Deleting a workspace removes the rows of every table, large tables in small steps."""

from __future__ import annotations

from datetime import timedelta

import peewee
import pytest

from inbox.database.base import Table, new_id
from inbox.flow.upkeep.purge import purge
from inbox.flow.upkeep.purge_steps import OF_A_WORKSPACE
from inbox.models.heartbeats.tables import HeartbeatFlip, HeartbeatMonitor, HeartbeatPing
from inbox.models.heartbeats.watchers import Watcher
from inbox.models.incidents.tables import Timer
from inbox.models.insight.views import SavedView
from inbox.models.oncall.feeds import OnCallFeed
from inbox.models.oncall.forwardings import OnCallForwarding
from inbox.models.oncall.log import OnCallLog
from inbox.models.oncall.schedules import OnCallOverride, OnCallSchedule
from inbox.models.oncall.shift_notices import ShiftNotice
from inbox.models.routing.profiles import RoutingProfile
from inbox.models.routing.rules import OpenAfterCounter, Rule, RuleMatch
from inbox.models.routing.silences import Silence
from inbox.models.workspaces.tables import Workspace
from tests.cast import NOW, Cast, make_source, make_workspace
from tests.database.tables import columns, tables
from tests.flow.rulemaking import profile, rule, silence
from tests.heartbeats import make_monitor, ping
from tests.oncall import make_feed, make_forwarding, make_override, make_schedule

OF_INCIDENTS = {"incidents", "alerts", "timeline", "notices", "deliveries", "incident_search"}
ONE_A_WORKSPACE = {"incident_counters", "export_runs", "workspace_imports"}
RETAINED = {"audit_log"}
"""What was done in a workspace can be read for as long as an audit log is kept, also when it is gone."""


def test_every_table_with_a_workspace_has_its_place_in_the_purge(ground: peewee.Database) -> None:
    assert {name for name in tables() if "workspace_id" in columns(name)} == {
        *OF_A_WORKSPACE,
        *OF_INCIDENTS,
        *ONE_A_WORKSPACE,
        *RETAINED,
    }


OF_PEOPLE = [
    *(Rule, RuleMatch, OpenAfterCounter, RoutingProfile, Silence, SavedView, Timer),
    *(OnCallSchedule, OnCallOverride, OnCallForwarding, OnCallFeed, OnCallLog, ShiftNotice),
    *(Watcher, HeartbeatMonitor, HeartbeatPing, HeartbeatFlip),
]


def fill(workspace: Workspace, cast: Cast) -> None:
    made = rule(workspace)
    about = {"workspace_id": workspace.id, "rule_id": made.id, "last_at": NOW}
    RuleMatch.create(**about, hour=NOW, events=1)
    OpenAfterCounter.create(**about, fingerprint="f1:x", seen_at=[NOW])
    profile(workspace)
    silence(workspace)
    schedule = make_schedule(workspace, cast.users["olga"])
    make_override(schedule, cast.users["olga"])
    OnCallLog.create(
        id=new_id(), workspace_id=workspace.id, schedule_id=schedule.id, user_id=cast.users["olga"].id, starts_at=NOW
    )
    ShiftNotice.create(
        workspace_id=workspace.id, schedule_id=schedule.id, user_id=cast.users["olga"].id, starts_at=NOW, lead_minutes=0
    )
    make_feed(workspace, cast.users["olga"], schedule)
    make_forwarding(workspace, cast.users["olga"], cast.users["mia"])
    SavedView.create(
        id=new_id(), workspace_id=workspace.id, user=cast.users["olga"], name="Mine", list="incidents", filters={},
        created_at=NOW,
    )  # fmt: skip
    monitor, token = make_monitor(make_source(workspace, "Cron")[0], NOW)
    ping(token, NOW)
    Timer.delete().where(Timer.subject_id == monitor.id).execute()
    Watcher.create(
        id=new_id(), workspace_id=workspace.id, source_id=monitor.source_id, monitor_id=monitor.id, watcher_id="web-1",
        name="Web", reported_name="Web", interval_seconds=60, last_check_in_at=NOW, created_at=NOW,
    )  # fmt: skip
    Timer.create(
        kind="silence.transition", subject_id=new_id(), workspace_id=workspace.id, due_at=NOW + timedelta(days=300)
    )


@pytest.mark.parametrize("model", OF_PEOPLE)
def test_personal_records_of_a_deleted_workspace_are_purged_with_it(cast: Cast, model: type[Table]) -> None:
    gone = make_workspace("Gone", olga=cast.users["olga"])
    for workspace in (gone, cast.workspace):
        fill(workspace, cast)
    Workspace.update(deleted_at=NOW - timedelta(days=8)).where(Workspace.id == gone.id).execute()

    removed = purge(NOW)

    assert [row.workspace_id for row in model.select()] == [cast.workspace.id]
    assert removed[model._meta.table_name] == 1
