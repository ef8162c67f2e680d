"""Clocks and silences in a preview: its predictions equal the results of timers that run on time."""

from __future__ import annotations

import random
from datetime import datetime, timedelta
from typing import Any

import pytest

from inbox.flow.preview import PreviewRun, Question
from inbox.flow.routing.route import route
from inbox.flow.timers.run import run_due
from inbox.models.deliveries.tables import Notice
from inbox.models.events.preview_events import Period
from inbox.models.events.tables import Event
from inbox.models.incidents.tables import Incident, Timer
from inbox.models.routing import routing_config
from tests.cast import NOW, Cast
from tests.flow.preview.random_runs import bursts, gamble, queue
from tests.flow.routing_fixtures import accept, listen, settle
from tests.flow.rulemaking import ANY, clause, rule, silence

MINUTE = timedelta(minutes=1)


def played(cast: Cast, until: datetime) -> dict[str, Any]:
    rules = routing_config.rules([cast.workspace.id])[cast.workspace.id]
    preview = PreviewRun(Question(Period(cast.workspace.id, NOW, until), rules, rules))
    list(preview.pages())
    return preview.result()


def lived(until: datetime) -> None:
    """Let events be routed as they come, and every timer ring at its time, until then."""
    moments = sorted({event.received_at for event in Event.select(Event.received_at)})
    events = list(Event.select(Event.workspace_id, Event.id, Event.source_id, Event.received_at).order_by(Event.id))
    for moment in [*moments, until]:
        ring_until(moment)
        queue([(e.workspace_id, e.id, e.source_id) for e in events if e.received_at == moment])
        route(lambda at=moment: at)


def ring_until(moment: datetime) -> None:
    while (timer := Timer.select().order_by(Timer.due_at).first()) and timer.due_at <= moment:
        run_due(lambda at=timer.due_at: at)


def reasons() -> dict[str, int]:
    counted: dict[str, int] = {}
    for notice in Notice.select():
        if {"notify", "quiet_hours"} & {one["decision"] for one in notice.decisions}:
            counted[notice.reason] = counted.get(notice.reason, 0) + 1
    return dict(sorted(counted.items()))


@pytest.mark.parametrize("seed", range(6))
def test_notices_of_foretold_timers_are_the_notices_that_are_sent(cast: Cast, seed: int) -> None:
    dice = random.Random(seed)
    sources = gamble(cast, dice, silences=False)
    until = bursts(sources, dice, 120, 12)[-1] + 180 * MINUTE

    foretold = played(cast, until)
    lived(until)

    assert foretold["notices"]["byReason"]["after"] == reasons()
    assert foretold["incidents"]["after"] == Incident.select().count()


def test_a_preview_pauses_between_the_changes_of_silences(cast: Cast) -> None:
    """The time limit of a request and the lease of a worker are looked at in these pauses."""
    for number in range(30):
        silence(cast.workspace, ANY, NOW + (10 + number) * MINUTE, ends_at=NOW + 90 * MINUTE)
    accept(cast.source, NOW + MINUTE)
    rules = routing_config.rules([cast.workspace.id])[cast.workspace.id]
    preview = PreviewRun(Question(Period(cast.workspace.id, NOW, NOW + 120 * MINUTE), rules, rules))

    assert len(list(preview.pages())) >= 60


def test_a_silence_that_begins_and_ends_is_played(cast: Cast) -> None:
    listen(cast.workspace)
    settle(cast.workspace, renotifyMinutes={})
    made = silence(cast.workspace, clause("tags", "eq", "db"), NOW + 10 * MINUTE, ends_at=NOW + 40 * MINUTE)
    rule(cast.workspace, ANY, "incident", add_tags=("db",))
    accept(cast.source, NOW + MINUTE, key="before")
    accept(cast.source, NOW + 20 * MINUTE, key="within")
    accept(cast.source, NOW + 20 * MINUTE, key="over")
    accept(cast.source, NOW + 21 * MINUTE, key="over", action="resolve")

    assert made is not None
    reported = played(cast, NOW + 60 * MINUTE)["notices"]["byReason"]["after"]
    assert reported == {"opened": 1, "silence_expired": 1}
