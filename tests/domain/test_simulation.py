"""What a plan would tell whom within a day, if nobody reacts."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from inbox.domain.notices import Floor, RecipientState
from inbox.domain.notification_plan import plan_of
from inbox.domain.profiles import Profile, Step
from inbox.domain.severity import Severity
from inbox.domain.simulation import PredictedNotice, SimulatedDestination, SimulationInput, predict
from inbox.domain.windows import QuietHours
from inbox.domain.workspace import effective_settings
from tests.domain.test_notification_plan import ERROR, OPENED, A, B, C, at, minutes

CRITICAL, WARNING = Severity.CRITICAL, Severity.WARNING
LOUD = QuietHours.of({"enabled": False}, "UTC")
AT_NOON = QuietHours.of({"enabled": True, "windows": [{"days": ["sun"], "start": "12:30", "end": "18:00"}]}, "UTC")
"""`OPENED` is a Sunday at noon."""


def place(id: UUID, threshold: Severity | None = CRITICAL, **listener: Any) -> SimulatedDestination:
    return SimulatedDestination(id, f"Place {id.int}", RecipientState(**listener), threshold)


EVERYWHERE = {id: place(id) for id in (A, B, C)}


def told(found: list[PredictedNotice]) -> list[tuple[float, str, dict[UUID, str]]]:
    """Minutes after the opening, the reason, and each destination's decision."""
    return [
        ((one.at - OPENED) / minutes(1), str(one.reason), {each.id: str(each.decision) for each in one.destinations})
        for one in found
    ]


def played(
    *steps: tuple[float, Severity | None, UUID],
    severity: Severity = ERROR,
    places: dict[UUID, SimulatedDestination] = EVERYWHERE,
    quiet: QuietHours = LOUD,
    settings: dict[str, Any] | None = None,
    fallbacks: tuple[UUID, ...] = (),
    owners: str | None = None,
    **profile: Any,
) -> list[PredictedNotice]:
    made = tuple(Step(minutes(after), floor, (to,), number) for number, (after, floor, to) in enumerate(steps, 1))
    chosen = Profile(UUID(int=9), "On call", profile.pop("hold", timedelta()), made, **profile)
    plan = plan_of(effective_settings({"renotifyMax": 0, **(settings or {})}), chosen, ())
    return predict(plan, severity, OPENED, SimulationInput(places, quiet, fallbacks, owners))


def test_each_step_is_told_at_its_time_to_its_destinations() -> None:
    found = played((0, None, A), (10, None, B), (25, None, C), hold=minutes(2))
    assert told(found) == [
        (2, "opened", {A: "notify"}),
        (12, "escalated", {B: "notify"}),
        (27, "escalated", {C: "notify"}),
    ]
    assert [one.step.number for one in found if one.step] == [1, 2, 3]


def test_repetitions_are_told_as_such() -> None:
    found = played((0, None, A), (10, None, B), repeat=1)
    assert [(one.at, one.step.number, one.step.round) for one in found if one.step] == [
        (at(0), 1, 1), (at(10), 2, 1), (at(20), 1, 2), (at(30), 2, 2),
    ]  # fmt: skip


def test_a_step_that_does_not_want_the_severity_is_not_told_but_at_the_opening_it_says_so() -> None:
    steps = ((0, CRITICAL, A), (10, CRITICAL, B), (25, None, C))
    assert told(played(*steps)) == [(0, "opened", {A: "below_min_severity"}), (25, "escalated", {C: "notify"})]
    assert [reason for _, reason, _ in told(played(*steps, severity=CRITICAL))] == ["opened", *["escalated"] * 2]
    assert played(*steps)[0].destinations[0].floor == Floor("CRITICAL", 1)


def test_a_destination_hears_only_what_is_severe_enough_for_it() -> None:
    places = EVERYWHERE | {A: place(A, min_severity=CRITICAL)}
    assert told(played((0, None, A), places=places)) == [(0, "opened", {A: "below_min_severity"})]
    assert played((0, None, A), places=places)[0].destinations[0].floor == Floor("CRITICAL")


def test_it_is_told_again_to_all_that_were_reached_as_often_as_it_may_be() -> None:
    found = played((0, None, A), (10, None, B), settings={"renotifyMax": 2}, renotify={ERROR: minutes(30)})
    assert told(found)[2:] == [
        (40, "renotify", {A: "notify", B: "notify"}),
        (70, "renotify", {A: "notify", B: "notify"}),
    ]


def test_nothing_is_foreseen_beyond_a_day() -> None:
    steps = ((0, None, A), (24 * 60, None, B), (24 * 60 + 1, None, C))
    assert [one.at - OPENED for one in played(*steps)] == [timedelta(), timedelta(hours=24)]


def test_what_resolves_itself_is_told_to_who_heard_and_ends_the_ladder() -> None:
    places = EVERYWHERE | {C: place(C, send_updates=False)}
    found = played(
        (0, None, A), (5, CRITICAL, B), (10, None, C), (90, None, A), places=places, auto_resolve=minutes(60)
    )
    assert told(found)[-1] == (60, "resolved", {A: "notify", B: "never_notified", C: "updates_off"})


def test_what_resolves_itself_while_it_is_held_is_never_told() -> None:
    found = played((0, None, A), hold=minutes(30), auto_resolve=minutes(20))
    assert told(found) == [(20, "resolved", {})]


def test_in_quiet_hours_notices_wait_for_their_end_unless_they_are_severe_enough() -> None:
    places = EVERYWHERE | {B: place(B, threshold=None), C: place(C, threshold=ERROR)}
    steps = ((0, None, A), (40, None, A), (40, None, B), (40, None, C))
    found = played(*steps, places=places, quiet=AT_NOON)
    assert told(found) == [
        (0, "opened", {A: "notify"}),
        (40, "escalated", {A: "quiet_hours", B: "notify", C: "notify"}),
    ]
    assert found[1].destinations[0].held_until == at(360)
    assert found[1].destinations[1].held_until is None
    assert told(played(*steps, severity=CRITICAL, quiet=AT_NOON))[1][2] == dict.fromkeys((A, B, C), "notify")


def test_a_profile_may_ignore_quiet_hours() -> None:
    found = played((0, None, A), (40, None, B), quiet=AT_NOON, obeys_quiet_hours=False)
    assert told(found)[1] == (40, "escalated", {B: "notify"})


OFF, STOPPED = EVERYWHERE | {A: place(A, enabled=False)}, EVERYWHERE | {A: place(A, stopped=True)}


@pytest.mark.parametrize(("places", "cause"), [(OFF, "disabled"), (STOPPED, "stopped")])
def test_where_nobody_can_hear_the_first_fallback_that_can_is_told_and_once(
    places: dict[UUID, SimulatedDestination], cause: str
) -> None:
    found = played((0, None, A), (10, None, A), (20, None, B), places=places, fallbacks=(A, C, B), owners="The owners")
    assert told(found) == [
        (0, "opened", {A: cause}),
        (0, "fallback", {C: "notify"}),
        (10, "escalated", {A: cause}),
        (20, "escalated", {B: "notify"}),
    ]
    assert told(played((0, None, A), places=EVERYWHERE, fallbacks=(C,))) == [(0, "opened", {A: "notify"})]


def test_the_end_is_told_to_the_fallback_too() -> None:
    found = played((0, None, A), places=OFF, fallbacks=(C,), auto_resolve=minutes(60))
    assert told(found)[-1] == (60, "resolved", {A: "disabled", C: "notify"})


def test_where_no_fallback_can_hear_either_the_owners_are_mailed() -> None:
    places = OFF | {B: place(B, stopped=True)}
    mailed = played((0, None, A), places=places, fallbacks=(B,), owners="The owners")
    assert [(each.id, each.name, str(each.decision)) for each in mailed[1].destinations] == [
        (None, "The owners", "mailed")
    ]
    assert told(played((0, None, A), places=places, fallbacks=(B,)))[1:] == [(0, "fallback", {B: "stopped"})]
    assert told(played((0, None, A), places=places)) == [(0, "opened", {A: "disabled"})]


def test_nobody_who_is_only_not_severe_enough_makes_a_fallback() -> None:
    found = played((0, CRITICAL, A), fallbacks=(C,))
    assert told(found) == [(0, "opened", {A: "below_min_severity"})]


def test_a_destination_that_is_gone_is_passed_over() -> None:
    assert told(played((0, None, A), places={})) == [(0, "opened", {})]
