"""A silence that takes long does not delay the timers of other workspaces, and resumes where it stopped."""

from __future__ import annotations

from datetime import timedelta

import pytest

from inbox.database.base import db, new_id
from inbox.domain.deliveries.notification_plan import AUTO_RESOLVE, RENOTIFY, STEP
from inbox.flow.timers import run, silences
from inbox.flow.timers.incident_timers import KINDS
from inbox.flow.timers.run import run_due
from inbox.models.incidents import timers
from inbox.models.incidents.tables import Timer
from tests.cast import NOW, Cast
from tests.flow.routing_fixtures import incident, routed
from tests.flow.rulemaking import clause
from tests.flow.timers.silences_steps import MINUTE, SOON, calm, reloaded  # noqa: F401
from tests.silences import make_silence

KIND = next(iter(KINDS))
COSTLY = {"any": [clause("title", "contains", "disk"), *[clause("metadata.l", "contains", "x")] * 20]}
"""Its cost is counted, and far below the budget for small events."""


def test_a_costly_silence_stops_after_its_time_and_resumes(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(silences, "BATCH_SECONDS", 0.0)
    existing = [incident(routed(cast.source, key=f"key-{number}").id) for number in range(12)]
    make_silence(cast.workspace, start=SOON, match=COSTLY)

    covered = []
    for _ in range(4):
        run._run_next(SOON, 1)
        covered.append(sum(reloaded(one).state == "silenced" for one in existing))

    assert covered == [5, 10, 12, 12]


def test_a_cheap_silence_checks_all_incidents_together(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(silences, "BATCH_SECONDS", 0.0)
    existing = [incident(routed(cast.source, key=f"key-{number}").id) for number in range(12)]
    make_silence(cast.workspace, start=SOON)

    run._run_next(SOON, 1)

    assert {reloaded(one).state for one in existing} == {"silenced"}


def test_a_costly_silence_releases_all_incidents_when_it_ends(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(silences, "BATCH_SECONDS", 0.0)
    existing = [incident(routed(cast.source, key=f"key-{number}").id) for number in range(12)]
    made = make_silence(cast.workspace, start=SOON, match=COSTLY)

    run_due(lambda: SOON)
    run_due(lambda: made.ends_at)

    assert {reloaded(one).state for one in existing} == {"open"}


def test_the_timers_of_slow_workspaces_run_when_no_other_is_due(cast: Cast) -> None:
    own, other = new_id(), new_id()
    timers.set_timer(KIND, other, cast.foreign.id, NOW)
    timers.set_timer(KIND, own, cast.workspace.id, NOW + MINUTE)

    found = []
    for _ in range(2):
        with db.atomic():
            locked = timers.lock_next_due(NOW + 2 * MINUTE, (), {cast.foreign.id})
            assert locked is not None
            found.append(locked[1])
            Timer.delete().where(Timer.subject_id == locked[1]).execute()

    assert found == [own, other]


@pytest.mark.parametrize("is_slow", [False, True])
def test_timers_of_one_moment_run_in_the_same_order_in_slow_workspaces(cast: Cast, *, is_slow: bool) -> None:
    subject = new_id()
    for kind in (AUTO_RESOLVE, STEP, RENOTIFY):
        timers.set_timer(kind, subject, cast.workspace.id, NOW)

    found = []
    for _ in range(3):
        with db.atomic():
            locked = timers.lock_next_due(NOW, (), {cast.workspace.id} if is_slow else ())
            assert locked is not None
            found.append(locked[0])
            Timer.delete().where(Timer.kind == locked[0]).execute()

    assert found == [STEP, RENOTIFY, AUTO_RESOLVE]


def test_a_workspace_whose_timer_takes_long_is_slow(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "SLOW_RUN_SECONDS", 0.0)
    timers.set_timer(KIND, new_id(), cast.workspace.id, NOW - timedelta(seconds=1))

    run_due(lambda: NOW)

    assert cast.workspace.id in run.slow_workspaces.ids
