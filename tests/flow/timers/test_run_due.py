"""Due timers: a worker runs a timer only while it is due."""

from __future__ import annotations

from datetime import timedelta

from inbox.database.base import db, new_id
from inbox.models.incidents import timers
from tests.cast import NOW, Cast

SECOND = timedelta(seconds=1)


def test_a_timer_is_taken_up_when_it_is_due_and_not_before(cast: Cast) -> None:
    subject = new_id()
    timers.set_timer("snooze", subject, cast.workspace.id, NOW)

    with db.atomic():
        assert timers.lock_next_due(NOW - SECOND) is None
        assert timers.lock_next_due(NOW) == ("snooze", subject)


def test_a_timer_that_another_worker_acted_on_is_due_no_more(cast: Cast) -> None:
    subject = new_id()
    timers.set_timer("snooze", subject, cast.workspace.id, NOW)
    found = timers.reload_if_due("snooze", subject, NOW)
    assert found is not None

    timers.complete(found)

    assert timers.reload_if_due("snooze", subject, NOW) is None


def test_a_postponed_timer_is_not_due(cast: Cast) -> None:
    subject = new_id()
    timers.set_timer("snooze", subject, cast.workspace.id, NOW + SECOND)

    assert timers.reload_if_due("snooze", subject, NOW) is None
