"""Previews in the background: claimed once, paused for other queues, restarted, cancelled, and removed.

Specification 6.9.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from inbox.database.base import new_id
from inbox.flow.preview import Question, runner, simulation
from inbox.flow.preview.job import BROKEN, DEADLY, LEASE, TRIES, run_pending
from inbox.flow.preview.request import to_json
from inbox.flow.upkeep.purge import purge
from inbox.flow.upkeep.sweep import sweep
from inbox.models.events.preview_events import PAGE, Period
from inbox.models.events.tables import EventQueueRow
from inbox.models.routing import previews, routing_config
from inbox.models.routing.previews import RulePreview
from inbox.runtime import queue
from inbox.runtime.queue import QueueName
from jobs import preview as door
from tests.cast import NOW, Cast, present
from tests.flow.preview.random_runs import bursts
from tests.flow.routing_fixtures import accept
from tests.flow.rulemaking import silence

HOUR = timedelta(hours=1)


@pytest.fixture(autouse=True)
def whole_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "SLICE_SECONDS", 60.0)


@pytest.fixture
def requested(cast: Cast) -> RulePreview:
    """A preview of three pages of events that waits."""
    bursts([cast.source], random.Random(1), 3 * PAGE, PAGE)
    return ask(cast)


def ask(cast: Cast, **more: Any) -> RulePreview:
    rules = routing_config.rules([cast.workspace.id])[cast.workspace.id]
    question = to_json(Question(Period(cast.workspace.id, NOW, NOW + 24 * HOUR), rules, rules))
    now = present()
    about = {"workspace_id": cast.workspace.id, "request": question, "created_at": now, "expires_at": now + HOUR}
    return RulePreview.create(id=new_id(), **{**about, **more})


def now_it_is(preview: RulePreview) -> RulePreview:
    found: RulePreview = RulePreview.get_by_id(preview.id)
    return found


def clock() -> datetime:
    return present()


def halfway() -> Any:
    """A preview that pauses after its first page."""
    turns = run_pending(clock, step_seconds=0.0)
    assert next(turns, "over") is None
    return turns


def test_two_workers_do_not_run_one_preview(requested: RulePreview) -> None:
    turns = halfway()
    assert (now_it_is(requested).status, now_it_is(requested).events, now_it_is(requested).total) == (
        "running",
        PAGE,
        3 * PAGE,
    )

    assert list(run_pending(clock)) == []
    assert not previews.any_claimable(present())

    assert list(turns)
    assert (now_it_is(requested).status, now_it_is(requested).result["events"]) == ("done", 3 * PAGE)


def test_a_preview_of_a_killed_worker_is_started_again_by_another(requested: RulePreview) -> None:
    late = halfway()
    RulePreview.update(lease_until=present() - timedelta(seconds=1)).execute()

    assert QueueName.PREVIEW in sweep(present())
    list(run_pending(clock))
    done = now_it_is(requested)
    assert (done.status, done.attempt, done.result["events"]) == ("done", 2, 3 * PAGE)
    assert list(late) == []
    assert now_it_is(requested).result == done.result


def test_a_preview_that_ends_its_worker_again_and_again_is_given_up(cast: Cast) -> None:
    requested = ask(cast, status="running", attempt=TRIES, lease_until=present() - LEASE)

    list(run_pending(clock))

    assert (now_it_is(requested).status, now_it_is(requested).error) == ("failed", DEADLY)


def test_a_preview_that_cannot_be_played_fails_and_does_not_keep_the_next(cast: Cast) -> None:
    broken = ask(cast, request={})
    sound = ask(cast)

    list(run_pending(clock))

    assert (now_it_is(broken).status, now_it_is(broken).error) == ("failed", BROKEN)
    assert now_it_is(sound).status == "done"


def test_a_preview_pauses_within_a_page(requested: RulePreview, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "SLICE_SECONDS", 0.0)

    turns = halfway()

    assert now_it_is(requested).events == 1
    previews.cancel(requested.id)
    assert list(turns) == []


def test_a_preview_whose_silences_cost_too_much_says_so(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulation, "MAX_SILENCE_UNITS", 1)
    match = {"any": [{"field": "metadata.l", "op": "contains", "value": "x"}] * 50}
    silence(cast.workspace, match, NOW + HOUR)
    accept(cast.source, NOW, metadata={"l": ["a"]})
    requested = ask(cast)

    list(run_pending(clock))

    found = now_it_is(requested)
    assert found.status == "failed"
    assert found.error == "The silences cost too much for the incidents of this time span: choose a shorter one."


def test_a_cancelled_preview_is_played_no_further(requested: RulePreview) -> None:
    turns = halfway()

    previews.cancel(requested.id)

    assert list(turns) == []
    assert (now_it_is(requested).status, now_it_is(requested).result) == ("cancelled", None)


def test_a_stopping_worker_returns_its_preview(
    requested: RulePreview, shutdown: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    turns = halfway()
    shutdown()

    assert list(turns) == []
    assert (now_it_is(requested).status, now_it_is(requested).attempt) == ("pending", 0)
    monkeypatch.undo()  # as in the worker that takes over
    list(run_pending(clock))
    assert now_it_is(requested).status == "done"


def test_events_are_routed_between_the_turns_of_a_preview(requested: RulePreview, cast: Cast) -> None:
    queue.set_worker_queues(tuple(QueueName))
    accept(cast.source, present())
    queue.job_queues().wake(QueueName.ROUTING)

    turns = halfway()
    door._pause()

    assert EventQueueRow.select().count() == 0
    assert now_it_is(requested).status == "running"
    list(turns)


def test_a_preview_reports_during_pauses_that_its_worker_is_alive() -> None:
    reports: list[str] = []
    queue.set_worker_queues(())
    queue.set_alive_report(lambda: reports.append("alive"))
    try:
        door._pause()
    finally:
        queue.set_alive_report(None)

    assert reports == ["alive"]


def test_a_preview_uses_the_rules_of_its_request_and_is_purged_after_a_day(cast: Cast) -> None:
    accept(cast.source, NOW)
    requested = ask(cast, expires_at=present() + timedelta(seconds=-1))

    list(run_pending(clock))

    assert now_it_is(requested).result["incidents"] == {"before": 1, "after": 1}
    purge(present())
    assert RulePreview.select().count() == 0
