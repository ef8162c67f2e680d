"""Explanations of flapping, deliveries and upcoming steps."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from inbox.domain.values.times import rfc3339
from inbox.models.deliveries.tables import Delivery
from inbox.models.incidents.tables import Incident
from inbox.models.workspaces.tables import Workspace
from inbox.services.explaining.forecasts import forecast
from tests.api.explaining.explain_steps import LIST, MINUTE, SECOND, Browsers, explained, notices, to_come
from tests.cast import NOW, Cast, present, typeid
from tests.flow.plans import MORNING, be_quiet, follow, pass_to, step
from tests.flow.routing_fixtures import listen, routed, settle


def test_the_explanation_of_a_flapping_incident_says_that_it_flaps(browser: Browsers, cast: Cast) -> None:
    listen(cast.workspace)
    for second in range(7):
        first = routed(cast.source, NOW + second * SECOND, action="resolve" if second % 2 else "trigger")

    answer = explained(browser, first.incident_id)

    withheld = next(item for item in answer["items"] if item["kind"] == "notice")
    assert withheld["reason"] == "reopened"
    assert withheld["text"] == (
        "Incident reopened. Nobody was notified: the incident was flapping, and open/resolve notifications were paused."
    )
    assert answer["text"].endswith("Still sent: a higher severity, escalation steps, reminders.")
    assert to_come(first.incident_id) == [
        (
            "flapping_ends",
            "Flapping ends if nothing changes; Pager is notified that the incident is open, and normal notifications resume.",
        ),
    ]


def test_the_forecast_of_a_held_flapping_incident_requires_a_higher_severity(browser: Browsers, cast: Cast) -> None:
    follow(cast.workspace, step(0, listen(cast.workspace, routed=False)), delay_seconds=60)
    first = routed(cast.source, NOW)
    pass_to(1)
    for second in range(61, 66):
        routed(cast.source, NOW + second * SECOND, action="resolve" if second % 2 else "trigger")
    routed(cast.source, NOW + 66 * SECOND)

    words = forecast(Incident.get_by_id(first.incident_id), NOW + 66 * SECOND)["text"]

    assert words.startswith('Open; "Standby" waits 1 minute before the first notification. Flapping: open/resolve')
    assert to_come(first.incident_id, 1)[0][1].endswith(
        ", if the incident is still open and more severe than notified before."
    )


def test_the_explanation_shows_the_result_of_a_delivery_and_of_its_replay(browser: Browsers, cast: Cast) -> None:
    listen(cast.workspace)
    first = routed(cast.source, NOW)
    (sent,) = Delivery.select()
    Delivery.update(status="failed", cause="http_400", settled_at=NOW).execute()

    (failed,) = notices(explained(browser, first.incident_id))["opened"]["decisions"]
    assert (failed["status"], failed["deliveryId"]) == ("failed", typeid("dlv", sent.id))
    assert failed["text"].endswith("Pager's endpoint rejected it (HTTP 400); not retried.")

    values = {name: getattr(sent, name) for name in ("workspace_id", "notice_id", "incident_id", "destination_id")}
    repeated = {"id": cast.workspace.id, "reason": "opened", "status": "sent", "replay_of": sent.id}
    Delivery.create(**values, **repeated, created_at=NOW, settled_at=NOW + 5 * MINUTE)

    (replayed,) = notices(explained(browser, first.incident_id))["opened"]["decisions"]
    assert replayed["text"] == "Pager was notified at 2026-11-21T09:05:00Z, by a replay."


def test_sentences_name_instants_in_every_time_zone_of_the_workspace(browser: Browsers, cast: Cast) -> None:
    listen(cast.workspace)
    first = routed(cast.source, NOW)
    Delivery.update(status="sent", settled_at=NOW).execute()
    Workspace.update(timezone="Europe/Berlin").where(Workspace.id == cast.workspace.id).execute()

    (sent,) = notices(explained(browser, first.incident_id))["opened"]["decisions"]

    assert sent["text"] == "Pager was notified at 2026-11-21T09:00:00Z."


def test_the_next_step_the_next_renotice_and_the_end_are_notified_with_their_times(
    browser: Browsers, cast: Cast
) -> None:
    pager, chat = (listen(cast.workspace, name, routed=False) for name in ("Pager", "Chat"))
    follow(cast.workspace, step(0, pager), step(10, chat), auto_resolve_minutes=90, renotify_max=3)
    first = routed(cast.source, NOW)

    assert to_come(first.incident_id) == [
        ("step", "Step 2 notifies Chat, unless acknowledged."),
        ("auto_resolve", "The incident is resolved automatically, if no event arrives."),
        ("renotify", "Reminder 1 of 3 to Pager, unless acknowledged."),
    ]
    upcoming = explained(browser, first.incident_id)["upcoming"]
    assert upcoming[0]["at"] == "2026-11-21T09:10:00.000Z"
    kinds = [one["kind"] for one in upcoming]
    assert kinds == ["step", "auto_resolve", "renotify"]


def test_the_explanation_of_a_delayed_incident_names_the_next_recipient(cast: Cast) -> None:
    pager = listen(cast.workspace, "Pager", routed=False)
    follow(cast.workspace, step(0, pager), delay_seconds=120)
    first = routed(cast.source, NOW)

    assert to_come(first.incident_id) == [("delay_ends", "First notification to Pager, if the incident is still open.")]
    stands = forecast(Incident.get_by_id(first.incident_id), NOW)["text"]
    assert stands == 'Open; "Standby" waits 2 minutes before the first notification.'


def test_the_forecast_includes_the_end_of_quiet_hours_and_the_fallback(cast: Cast) -> None:
    listen(cast.workspace, "Pager", quiet_hours_threshold=None)
    listen(cast.workspace, "Chat", quiet_hours_threshold="CRITICAL")
    last = listen(cast.workspace, "Last", routed=False)
    be_quiet(cast.workspace, fallbackDestinationId=str(last.id))
    first = routed(cast.source, NOW, severity="ERROR")
    before = dict(to_come(first.incident_id))
    routed(cast.source, NOW, severity="CRITICAL")

    kinds = dict(to_come(first.incident_id))

    assert before["quiet_hours_end"] == "The quiet hours end; Chat is notified of the state at that time."
    assert kinds["fallback"] == "Fallback to Last, if no destination accepted the alert."
    assert MORNING.hour == 12


@pytest.mark.parametrize(
    ("act", "body", "chosen", "expected"),
    [
        ("acknowledge", {}, {"ackTimeoutMinutes": 20}, ("Acknowledged by Mia", ["ack_timeout"])),
        ("snooze", {"until": rfc3339(present() + timedelta(days=7))}, {}, ("Snoozed until", ["snooze_ends"])),
        ("resolve", {}, {}, ("Resolved.", [])),
    ],
)
def test_the_status_of_an_incident_follows_the_acts_of_people(
    browser: Browsers, cast: Cast, act: str, body: dict[str, Any], chosen: dict[str, Any], expected: tuple[str, Any]
) -> None:
    settle(cast.workspace, **chosen)
    first = routed(cast.source, NOW)
    browser("mia").post(f"{LIST}/{typeid('inc', first.incident_id)}/{act}", body)

    answer = explained(browser, first.incident_id)

    assert answer["text"].startswith(expected[0])
    assert [one["kind"] for one in answer["upcoming"]] == expected[1]


def test_repeats_that_are_only_counted_name_the_next_notification(browser: Browsers, cast: Cast) -> None:
    listen(cast.workspace)
    settle(cast.workspace, renotifyMinutes={"ERROR": 30})
    first = routed(cast.source, NOW)
    assert explained(browser, first.incident_id)["throttled"] is None
    for minutes in (2, 4):
        routed(cast.source, NOW + minutes * MINUTE)

    found = explained(browser, first.incident_id)["throttled"]
    assert found.pop("text").startswith("2 repeats since the last notification (")
    assert found == {
        "cause": "throttled",
        "events": 2,
        "since": "2026-11-21T09:00:00.000Z",
        "nextAt": "2026-11-21T09:30:00.000Z",
    }
    pass_to(30)
    assert explained(browser, first.incident_id)["throttled"] is None


def test_repeats_of_an_acknowledged_incident_are_not_called_throttled(browser: Browsers, cast: Cast) -> None:
    listen(cast.workspace)
    first = routed(cast.source, NOW)
    browser("mia").post(f"{LIST}/{typeid('inc', first.incident_id)}/acknowledge")
    routed(cast.source, NOW + 2 * MINUTE)

    assert explained(browser, first.incident_id)["throttled"] is None
