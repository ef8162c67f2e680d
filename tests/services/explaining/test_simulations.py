"""The notices that the simulation of a routing profile predicts for 24 hours (specification 6.10)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from inbox.config import settings as chosen
from inbox.config.settings import Settings
from inbox.domain.values import ids
from inbox.domain.values.severity import Severity
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.tables import Notice
from inbox.models.incidents.tables import Incident
from inbox.models.routing.profiles import RoutingProfile
from inbox.services.explaining.simulations import simulate
from tests.cast import NOW, Cast, present
from tests.flow.routing_fixtures import listen, settle
from tests.flow.rulemaking import silence
from tests.stand_ins.outgoing_posts import make_profile

Step = tuple[int, str | None, Destination]
Simulate = Callable[..., list[dict[str, Any]]]

MIDDAY = {"enabled": True, "timezone": "UTC", "windows": [{"days": ["sat"], "start": "09:30", "end": "15:00"}]}
"""`NOW` is a Saturday at 09:00."""


@pytest.fixture
def places(cast: Cast) -> tuple[Destination, Destination, Destination]:
    a, b, c = (listen(cast.workspace, name, routed=False) for name in "ABC")
    return a, b, c


@pytest.fixture
def run(cast: Cast) -> Simulate:
    """Simulate a profile of these steps (minutes, minimum severity, destination)."""

    def simulated(*steps: Step, severity: Severity = Severity.ERROR, **more: Any) -> list[dict[str, Any]]:
        if "settings" in more:
            settle(cast.workspace, **more.pop("settings"))
        return simulate(profile(cast, *steps, **more), severity, NOW)

    return simulated


def profile(cast: Cast, *steps: Step, **more: Any) -> RoutingProfile:
    rows = [
        {"afterMinutes": after, "minSeverity": least, "destinationIds": [ids.encode("dst", to.id)]}
        for after, least, to in steps
    ]
    return make_profile(cast.workspace, steps=rows, **{"renotify_max": 0, **more})


def change(destination: Destination, **values: Any) -> None:
    Destination.update(**values).where(Destination.id == destination.id).execute()


def notices_of(found: list[dict[str, Any]]) -> list[tuple[float, str, dict[str, str]]]:
    """Minutes after the opening, the reason, and the decision for each destination."""
    return [
        (
            (one["at"] - NOW) / timedelta(minutes=1),
            str(one["reason"]),
            {each["name"]: str(each["decision"]) for each in one["destinations"]},
        )
        for one in found
    ]


def test_each_step_notifies_its_destinations_at_its_time(run: Simulate, places: tuple[Destination, ...]) -> None:
    a, b, c = places
    found = run((0, None, a), (10, None, b), (25, None, c), delay_seconds=120)
    assert notices_of(found) == [
        (2, "opened", {"A": "notify"}),
        (12, "escalated", {"B": "notify"}),
        (27, "escalated", {"C": "notify"}),
    ]
    assert [one["step"] for one in found] == [1, 2, 3]
    assert Incident.select().count() == Notice.select().count() == 0


def test_repeated_steps_have_the_number_of_their_round(run: Simulate, places: tuple[Destination, ...]) -> None:
    a, b, _ = places
    found = run((0, None, a), (10, None, b), repeat=1)
    assert [(minutes, one["step"], one["round"]) for one, (minutes, _, _) in zip(found, notices_of(found), strict=True)] == [
        (0, 1, 1), (10, 2, 1), (20, 1, 2), (30, 2, 2),
    ]  # fmt: skip


def test_a_step_below_its_severity_is_skipped_and_the_opening_names_the_cause(
    run: Simulate, places: tuple[Destination, ...]
) -> None:
    a, b, c = places
    steps = ((0, "CRITICAL", a), (10, "CRITICAL", b), (25, None, c))
    found = run(*steps)
    assert notices_of(found) == [(0, "opened", {"A": "below_min_severity"}), (25, "escalated", {"C": "notify"})]
    assert found[0]["destinations"][0]["text"] == (
        "A would not be notified: step 1 takes CRITICAL and above; this was ERROR."
    )
    assert [reason for _, reason, _ in notices_of(run(*steps, severity=Severity.CRITICAL))] == [
        "opened",
        *["escalated"] * 2,
    ]


def test_a_destination_below_its_own_minimum_is_not_notified(run: Simulate, places: tuple[Destination, ...]) -> None:
    change(places[0], min_severity="CRITICAL")
    assert notices_of(run((0, None, places[0]))) == [(0, "opened", {"A": "below_min_severity"})]


def test_an_automatic_end_during_the_delay_names_the_destinations_that_were_never_notified(
    run: Simulate, places: tuple[Destination, ...]
) -> None:
    found = run((0, None, places[0]), delay_seconds=1800, auto_resolve_minutes=20)
    assert notices_of(found) == [(20, "resolved", {"A": "never_notified"})]


@pytest.mark.parametrize("severity", list(Severity))
def test_an_incident_of_any_severity_is_simulated(
    run: Simulate, places: tuple[Destination, ...], severity: Severity
) -> None:
    assert notices_of(run((0, None, places[0]), severity=severity)) == [(0, "opened", {"A": "notify"})]


def test_reminders_go_to_all_notified_destinations_up_to_their_maximum(
    run: Simulate, places: tuple[Destination, ...]
) -> None:
    a, b, _ = places
    found = run((0, None, a), (10, None, b), renotify_max=2, renotify_minutes={"ERROR": 30})
    both = {"A": "notify", "B": "notify"}
    assert notices_of(found)[2:] == [(40, "renotify", both), (70, "renotify", both)]
    assert [(one["step"], one["round"]) for one in found[2:]] == [(None, None)] * 2


def test_the_simulation_ends_after_24_hours(run: Simulate, places: tuple[Destination, ...]) -> None:
    a, b, c = places
    found = run((0, None, a), (24 * 60, None, b), (24 * 60 + 1, None, c))
    assert [minutes for minutes, _, _ in notices_of(found)] == [0, 24 * 60]


def test_an_automatic_end_goes_to_notified_destinations_and_ends_the_steps(
    run: Simulate, places: tuple[Destination, ...]
) -> None:
    a, b, c = places
    change(c, send_updates=False)
    steps = ((0, None, a), (5, "CRITICAL", b), (10, None, c), (90, None, a))
    assert notices_of(run(*steps, auto_resolve_minutes=60))[-1] == (
        60, "resolved", {"A": "notify", "B": "never_notified", "C": "updates_off"}
    )  # fmt: skip


def test_quiet_hours_defer_notices_of_lower_severity(run: Simulate, places: tuple[Destination, ...]) -> None:
    a, b, c = places
    change(b, quiet_hours_threshold=None)
    change(c, quiet_hours_threshold="ERROR")
    steps = ((0, None, a), (40, None, a), (40, None, b), (40, None, c))
    found = run(*steps, settings={"quietHours": MIDDAY})
    assert notices_of(found)[1] == (40, "escalated", {"A": "quiet_hours", "B": "notify", "C": "notify"})
    assert [each["held_until"] for each in found[1]["destinations"]] == [NOW + timedelta(hours=6), None, None]
    critical = run(*steps, severity=Severity.CRITICAL)
    assert notices_of(critical)[1][2] == dict.fromkeys("ABC", "notify")


def test_a_profile_that_ignores_quiet_hours_defers_nothing(run: Simulate, places: tuple[Destination, ...]) -> None:
    a, b, _ = places
    found = run((0, None, a), (40, None, b), quiet_hours="ignore", settings={"quietHours": MIDDAY})
    assert notices_of(found)[1] == (40, "escalated", {"B": "notify"})


@pytest.mark.parametrize(
    ("values", "cause"),
    [({"enabled": False}, "disabled"), ({"stopped_at": NOW, "stopped_reason": "http_410"}, "stopped")],
)
def test_an_alert_without_a_reachable_destination_goes_to_the_fallback_once(
    run: Simulate, places: tuple[Destination, ...], values: dict[str, Any], cause: str
) -> None:
    a, b, c = places
    change(a, **values)
    found = run((0, None, a), (10, None, a), (20, None, b), fallback_destination_id=c.id, auto_resolve_minutes=60)
    assert notices_of(found)[:-1] == [
        (0, "opened", {"A": cause}),
        (0, "fallback", {"C": "notify"}),
        (10, "escalated", {"A": cause}),
        (20, "escalated", {"B": "notify"}),
    ]
    assert notices_of(found)[-1][2]["C"] == "notify"


def test_a_reachable_destination_needs_no_fallback(run: Simulate, places: tuple[Destination, ...]) -> None:
    a, _, c = places
    assert notices_of(run((0, None, a), fallback_destination_id=c.id)) == [(0, "opened", {"A": "notify"})]
    low = run((0, "CRITICAL", a), fallback_destination_id=c.id)
    assert notices_of(low) == [(0, "opened", {"A": "below_min_severity"})]


def test_the_fallback_of_the_workspace_follows_an_unreachable_one_of_the_profile(
    run: Simulate, places: tuple[Destination, ...]
) -> None:
    a, b, c = places
    change(a, enabled=False)
    found = run((0, None, a), fallback_destination_id=a.id, settings={"fallbackDestinationId": str(c.id)})
    assert notices_of(found)[1:] == [(0, "fallback", {"C": "notify"})]
    change(c, enabled=False)
    assert notices_of(run((0, None, a), fallback_destination_id=b.id))[1:] == [(0, "fallback", {"B": "notify"})]


def test_the_owners_are_mailed_without_a_reachable_fallback(
    run: Simulate, places: tuple[Destination, ...], settings: Settings
) -> None:
    a, b, _ = places
    change(a, enabled=False)
    change(b, stopped_at=NOW, stopped_reason="http_410")
    assert notices_of(run((0, None, a), fallback_destination_id=b.id))[1:] == [(0, "fallback", {"B": "stopped"})]
    assert notices_of(run((0, None, a)))[1:] == []

    chosen.use(replace(settings, smtp_url="smtp://127.0.0.1:1", mail_from="Inbox <inbox@example.org>"))
    mailed = run((0, None, a))[1]["destinations"]
    assert [(each["id"], each["name"], str(each["decision"]), each["text"]) for each in mailed] == [
        (None, "The owners", "mailed", "The owners would be notified by email.")
    ]


def test_a_deleted_destination_is_left_out(run: Simulate, places: tuple[Destination, ...]) -> None:
    change(places[0], deleted_at=present())
    assert notices_of(run((0, None, places[0]))) == [(0, "opened", {})]


def test_silences_have_no_effect_on_a_simulation(cast: Cast, run: Simulate, places: tuple[Destination, ...]) -> None:
    silence(cast.workspace)
    assert notices_of(run((0, None, places[0]))) == [(0, "opened", {"A": "notify"})]
