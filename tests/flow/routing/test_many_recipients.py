"""Batches are bounded by the recipients of their notices. Nothing is lost, and the order is kept."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

import pytest

from inbox.database.base import db
from inbox.flow.routing import batch
from inbox.flow.routing.batch import (
    MANY_RECIPIENTS,
    STEP_RECIPIENTS,
    WORKSPACE_RECIPIENTS,
    BatchBudget,
    SlowWorkspaces,
)
from inbox.flow.routing.route import route
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.tables import Delivery, Notice
from inbox.models.incidents.tables import Incident
from inbox.models.workspaces.tables import Workspace
from tests.cast import NOW, Cast
from tests.flow.notices.test_phones import phone_of
from tests.flow.routing.test_slow_workspaces import Rounds, neighbour
from tests.flow.routing_fixtures import accept, event, listen, route_to, waiting
from tests.flow.rulemaking import ANY, rule
from tests.stand_ins.push_service import (
    Subscription,
    service,  # noqa: F401
)
from tests.stand_ins.receivers import Receiver

A, B = UUID(int=1), UUID(int=2)
DESTINATIONS = 40


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "WORKSPACE_RECIPIENTS", 5 * DESTINATIONS)
    monkeypatch.setattr(batch, "STEP_RECIPIENTS", 20 * DESTINATIONS)


def listeners(workspace: Workspace, count: int = DESTINATIONS) -> list[Destination]:
    return [listen(workspace, f"Pager {number}", routed=False) for number in range(count)]


def deliveries_by_transaction() -> list[int]:
    """The deliveries of each transaction."""
    return [count for (count,) in db.execute_sql("SELECT count(*) FROM deliveries GROUP BY xmin").fetchall()]


@pytest.mark.parametrize(("more", "is_admitted"), [(-1, True), (0, True), (1, False)], ids=["below", "at", "above"])
def test_a_workspace_is_admitted_until_its_recipients_are_too_many(more: int, is_admitted: bool) -> None:
    budget = BatchBudget()

    budget.spend(A, recipients=WORKSPACE_RECIPIENTS + more)

    assert (budget.admits(A), budget.admits(B)) == (is_admitted, True)
    assert budget.slow == (set() if is_admitted else {A})


def test_many_events_with_a_few_recipients_each_are_not_too_many() -> None:
    budget = BatchBudget()

    for _ in range(WORKSPACE_RECIPIENTS // MANY_RECIPIENTS + 10):
        budget.spend(A, recipients=MANY_RECIPIENTS)

    assert budget.admits(A)


@pytest.mark.parametrize(("more", "is_admitted"), [(-1, True), (0, True), (1, False)], ids=["below", "at", "above"])
def test_a_step_admits_nobody_when_its_recipients_are_too_many(more: int, is_admitted: bool) -> None:
    budget = BatchBudget()

    budget.spend(A, recipients=STEP_RECIPIENTS + more)

    assert budget.admits(B) is is_admitted
    budget.begin_step()
    assert budget.admits(B)


def assert_notified_in_order(events: Sequence[UUID], count: int) -> None:
    """Each event has opened an incident and notified so many destinations, in the order of the events."""
    incidents = [event(id).incident_id for id in events]
    assert [one.id for one in Incident.select().order_by(Incident.number)] == incidents
    assert Notice.select().count() == len(events)
    assert all(Delivery.select().where(Delivery.incident_id == each).count() == count for each in set(incidents))


def test_openings_with_many_destinations_share_no_large_transaction(cast: Cast, small: None) -> None:
    route_to(cast.workspace, listeners(cast.workspace))
    events = [accept(cast.source, key=f"disk {number}") for number in range(24)]

    assert route(lambda: NOW, slow=SlowWorkspaces()) == 24

    assert max(deliveries_by_transaction()) == 6 * DESTINATIONS
    assert waiting() == 0
    assert_notified_in_order(events, DESTINATIONS)


def test_rules_that_continue_are_counted_with_all_their_destinations(cast: Cast, small: None) -> None:
    for part in range(4):
        named = listeners(cast.workspace, DESTINATIONS // 4)
        ids = tuple(each.id for each in named)
        rule(cast.workspace, ANY, continue_matching=part < 3, destination_ids=ids)
    events = [accept(cast.source, key=f"disk {number}") for number in range(12)]

    assert route(lambda: NOW, slow=SlowWorkspaces()) == 12

    assert max(deliveries_by_transaction()) == 6 * DESTINATIONS
    assert_notified_in_order(events, DESTINATIONS)


def test_informational_events_are_counted(cast: Cast, small: None) -> None:
    ids = tuple(each.id for each in listeners(cast.workspace))
    rule(cast.workspace, ANY, "notify", destination_ids=ids)
    for number in range(12):
        accept(cast.source, key=f"disk {number}")

    assert route(lambda: NOW, slow=SlowWorkspaces()) == 12

    assert sorted(deliveries_by_transaction()) == [6 * DESTINATIONS, 6 * DESTINATIONS]


def test_another_workspace_of_the_shard_is_not_left_behind(cast: Cast, small: None) -> None:
    route_to(cast.workspace, listeners(cast.workspace))
    other = neighbour(cast.foreign, cast.source)
    many = [accept(cast.source, key=f"disk {number}") for number in range(24)]
    quiet = [accept(other, key=f"quiet {number}") for number in range(3)]
    rounds = Rounds([*many, *quiet])

    route(lambda: NOW, between_batches=rounds, slow=SlowWorkspaces())

    assert set(quiet) <= set(rounds.routed[0])
    assert len(rounds.routed[0]) < 24
    assert waiting() == 0


def test_phones_of_members_are_recipients(
    cast: Cast,
    service: Receiver,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(batch, "MANY_RECIPIENTS", 2)
    monkeypatch.setattr(batch, "WORKSPACE_RECIPIENTS", 9)
    accept(cast.source, key="before")
    route(lambda: NOW, slow=SlowWorkspaces())
    for name in ("mia", "vic", "olga"):
        phone_of(cast.users[name], cast, Subscription(service))
    for number in range(8):
        accept(cast.source, key=f"disk {number}")

    assert route(lambda: NOW, slow=SlowWorkspaces()) == 8

    assert deliveries_by_transaction() == [12, 12]
