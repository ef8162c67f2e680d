"""Explanations name each destination with its cause, and each event with its rule."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import Any

from inbox.flow.routing.route import route
from inbox.models.deliveries.destinations import Destination
from tests.api.explaining.explain_steps import LIST, MINUTE, SECOND, Browsers, explained, notices, to_come
from tests.browser import Browser
from tests.cast import NOW, Cast, typeid
from tests.flow.plans import be_quiet, follow, pass_to, step
from tests.flow.routing_fixtures import accept, incident, listen, routed, settle
from tests.flow.rulemaking import clause, rule
from tests.silences import make_silence


def _clock(at: datetime) -> datetime:
    return at


def decisions(item: dict[str, Any]) -> list[tuple[str, str]]:
    """Name and decision of each recipient of a notice."""
    return [(each["name"], each["decision"]) for each in item["decisions"]]


def paged(browser: Browser, path: str) -> list[Any]:
    """The items of all pages."""
    items, cursor = [], ""
    while True:
        page = browser.get(f"{path}{cursor}").get_json()
        items += page["items"]
        if page["nextCursor"] is None:
            return items
        cursor = f"&cursor={page['nextCursor']}"


def test_an_explanation_says_why_each_destination_was_or_was_not_notified(browser: Browsers, cast: Cast) -> None:
    listen(cast.workspace, "Pager", min_severity="CRITICAL")
    listen(cast.workspace, "Chat")
    listen(cast.workspace, "Off", enabled=False)
    first = accept(cast.source, NOW, severity="ERROR")
    route(lambda: NOW + SECOND)
    for minutes, action in ((1, "trigger"), (2, "resolve")):
        accept(cast.source, NOW + minutes * MINUTE, severity="ERROR", action=action)
        route(partial(_clock, NOW + minutes * MINUTE + SECOND))
    base = f"{LIST}/{typeid('inc', incident(first).id)}/explain"

    items = browser("vic").get(base).get_json()["items"]

    assert [(item["kind"], item.get("reason")) for item in items] == [
        ("notice", "resolved"),
        ("event", None),
        ("event", None),
        ("notice", "opened"),
        ("event", None),
    ]
    opened = next(item for item in items if item.get("reason") == "opened")
    assert decisions(opened) == [("Pager", "below_min_severity"), ("Chat", "notify"), ("Off", "disabled")]
    assert opened["decisions"][0]["text"] == ("Pager was not notified: it takes CRITICAL and above; this was ERROR.")
    assert [each["status"] for each in opened["decisions"]] == [None, "pending", "skipped"]
    assert opened["text"] == "Incident opened. Pending: Chat. Not notified: Pager and Off."
    end = next(item for item in items if item.get("reason") == "resolved")
    assert dict(decisions(end)) == {"Pager": "never_notified", "Chat": "notify", "Off": "disabled"}
    events = [item for item in items if item["kind"] == "event"]
    assert [event["text"] for event in events] == [
        "Event resolved the incident.",
        "Repeat, counted. No notification: only repeats of open incidents notify, after 15 minutes without one.",
        "Event opened the incident.",
    ]
    assert events[2]["routing"]["trace"] == ["default route: ERROR opens or updates an incident"]
    assert events[2]["reasons"] == ["Default route: ERROR opens or updates an incident."]
    assert events[0]["reasons"] == ["Recovery: action is resolve.", "The recovery names its incident by dedupKey."]

    assert paged(browser("vic"), f"{base}?limit=2") == items
    assert browser("vic").get(f"{base}?order=asc&limit=5").get_json()["items"] == items[::-1]
    assert browser("vic").get(f"{base}?offset=0").get_json()["total"] == 5


def test_a_notice_to_nobody_says_so(browser: Browsers, cast: Cast) -> None:
    first = routed(cast.source, NOW)

    items = browser("vic").get(f"{LIST}/{typeid('inc', first.incident_id)}/explain").get_json()["items"]

    notice = next(item for item in items if item["kind"] == "notice")
    assert (notice["decisions"], notice["text"]) == (
        [],
        "Incident opened. Nobody was notified: no destination is set for this incident.",
    )


def test_a_destination_made_later_is_no_part_of_an_earlier_notice(browser: Browsers, cast: Cast) -> None:
    first = routed(cast.source, NOW)
    listen(cast.workspace, created_at=NOW + MINUTE)

    opened = notices(explained(browser, first.incident_id))["opened"]

    assert opened["text"] == "Incident opened. Nobody was notified: no destination is set for this incident."
    assert opened["decisions"] == []


def test_every_destination_of_the_workspace_is_named(browser: Browsers, cast: Cast) -> None:
    pager, boss = (listen(cast.workspace, name, routed=False) for name in ("Pager", "Boss"))
    listen(cast.workspace, "Chat", routed=False)
    listen(cast.workspace, "Gone", routed=False, deleted_at=NOW)
    listen(cast.foreign, "Theirs", routed=False)
    follow(cast.workspace, step(0, pager), step(10, boss))
    first = routed(cast.source, NOW)
    pass_to(10)

    answer = notices(explained(browser, first.incident_id))

    stated = {each["name"]: (each["cause"], each["text"]) for each in answer["opened"]["decisions"]}
    assert {name: cause for name, (cause, _) in stated.items()} == {
        "Pager": "notify",
        "Boss": "not_addressed",
        "Chat": "not_routed",
    }
    assert stated["Boss"][1] == "Boss was not notified: its step of the routing profile was not due yet."
    assert stated["Chat"][1] == ("Chat was not notified: no rule, profile or default route sends this incident there.")
    assert answer["opened"]["text"] == "Incident opened. Pending: Pager."
    stated = {each["name"]: (each["cause"], each["text"]) for each in answer["escalated"]["decisions"]}
    assert stated["Pager"] == (
        "not_addressed",
        "Pager was not notified: only step 2 was due, and it is on another step.",
    )
    assert (stated["Boss"][0], stated["Chat"][0]) == ("notify", "not_routed")


def test_reminders_are_not_forecast_without_a_destination(browser: Browsers, cast: Cast) -> None:
    listen(cast.workspace, "Chat", routed=False)
    settle(cast.workspace, autoResolveMinutes=90)
    first = routed(cast.source, NOW, severity="CRITICAL")

    answer = explained(browser, first.incident_id)

    assert [one["kind"] for one in answer["upcoming"]] == ["auto_resolve"]
    assert answer["text"] == (
        "Open, not acknowledged. Nobody is notified: no destination is set for this incident."
        " Add one to the default route or a rule."
    )


def test_reminders_are_forecast_for_destinations_that_take_them(cast: Cast) -> None:
    listen(cast.workspace, "Pager")
    listen(cast.workspace, "Boss", min_severity="CRITICAL")
    listen(cast.workspace, "Off", enabled=False)
    first = routed(cast.source, NOW)

    assert to_come(first.incident_id) == [("renotify", "Reminder 1 of 6 to Pager, unless acknowledged.")]
    Destination.update(enabled=False).execute()
    assert to_come(first.incident_id) == []


def test_the_explanation_of_a_stopped_destination_names_the_cause_and_the_remedy(browser: Browsers, cast: Cast) -> None:
    pager = listen(cast.workspace)
    Destination.update(stopped_at=NOW, stopped_reason="http_410").where(Destination.id == pager.id).execute()
    first = routed(cast.source, NOW)

    (held,) = notices(explained(browser, first.incident_id))["opened"]["decisions"]

    assert held["text"] == (
        "Not sent: Pager is stopped (endpoint returned 410). Fix or test the destination to resume."
    )


def test_the_step_whose_severity_was_not_reached_is_named(browser: Browsers, cast: Cast) -> None:
    pager, boss = (listen(cast.workspace, name, routed=False) for name in ("Pager", "Boss"))
    follow(cast.workspace, step(0, pager), step(0, boss, least="CRITICAL"))
    first = routed(cast.source, NOW)

    decisions = notices(explained(browser, first.incident_id))["opened"]["decisions"]

    missed = next(each for each in decisions if each["name"] == "Boss")
    assert (missed["minSeverity"], missed["step"]) == ("CRITICAL", 2)
    assert missed["text"] == "Boss was not notified: step 2 takes CRITICAL and above; this was ERROR."


def test_an_event_of_another_incident_is_explained_there(browser: Browsers, cast: Cast) -> None:
    ours, foreign_one = routed(cast.source, NOW), routed(cast.source, NOW, key="other")
    accept(cast.source, NOW)

    items = browser("vic").get(f"{LIST}/{typeid('inc', ours.incident_id)}/explain").get_json()["items"]

    assert [item["eventId"] for item in items if item["kind"] == "event"] == [typeid("evt", ours.id)]
    assert typeid("evt", foreign_one.id) not in str(items)


def test_waiting_deliveries_have_a_time_and_fallbacks_a_reason(browser: Browsers, cast: Cast) -> None:
    pager, last = listen(cast.workspace), listen(cast.workspace, "Last", routed=False)
    be_quiet(cast.workspace, fallbackDestinationId=str(last.id))
    first = routed(cast.source, NOW, severity="ERROR")
    Destination.update(enabled=False).where(Destination.id == pager.id).execute()
    routed(cast.source, NOW + MINUTE, severity="CRITICAL")
    pass_to(2)

    items = browser("vic").get(f"{LIST}/{typeid('inc', first.incident_id)}/explain").get_json()["items"]

    reported = {item["reason"]: item for item in items if item["kind"] == "notice"}
    assert reported["opened"]["text"] == "Incident opened. Pending: Pager."
    held, other = reported["opened"]["decisions"]
    assert (held["destinationId"], held["decision"]) == (typeid("dst", pager.id), "quiet_hours")
    assert held["until"] == "2026-11-21T12:00:00.000Z"
    assert held["text"] == "Pager was not notified: quiet hours until 2026-11-21T12:00:00Z."
    assert (other["name"], other["cause"]) == ("Last", "not_routed")
    assert other["text"] == "Last was not notified: no rule, profile or default route sends this incident there."
    fallback, elsewhere = reported["fallback"]["decisions"]
    assert (elsewhere["name"], elsewhere["cause"]) == ("Pager", "not_addressed")
    assert elsewhere["text"] == "Pager was not notified: a fallback goes to the fallback destination only."
    assert (fallback["destinationId"], fallback["fallbackReason"]) == (typeid("dst", last.id), "no_destination")
    assert reported["fallback"]["text"] == "No other destination could be notified: none is enabled. Pending: Last."


def test_an_event_names_its_rule_and_the_clause_that_held(browser: Browsers, cast: Cast) -> None:
    databases = rule(cast.workspace, clause("resource", "matches", "^host:db"), name="Databases")
    first = routed(cast.source, NOW, resource="host:db-1")

    (event,) = (item for item in explained(browser, first.incident_id)["items"] if item["kind"] == "event")

    assert event["reasons"] == [
        'Matched rule "Databases": resource matches "^host:db" (value: "host:db-1").',
        'Rule "Databases" opens or updates an incident.',
    ]
    (stated,) = event["routing"]["rules"]
    assert (event["routing"]["by"], stated["ruleId"], stated["name"]) == (
        "rule",
        typeid("rul", databases.id),
        "Databases",
    )
    assert stated["clauses"] == [{"clause": 'resource matches "^host:db"', "matched": True, "value": "host:db-1"}]
    listed = browser("vic").get(f"/v1/events/{typeid('evt', first.id)}").get_json()
    assert listed["routing"] == event["routing"]


def test_the_profile_that_says_who_is_notified_is_named(browser: Browsers, cast: Cast) -> None:
    follow(cast.workspace, step(0, listen(cast.workspace, routed=False)))
    rule(cast.workspace, name="Everything")
    first = routed(cast.source, NOW)
    routed(cast.source, NOW + MINUTE)

    repeat, opened = (item for item in explained(browser, first.incident_id)["items"] if item["kind"] == "event")

    assert opened["reasons"] == [
        'Matched rule "Everything": any event.',
        'Rule "Everything" opens or updates an incident.',
        'Notified by routing profile "Standby".',
    ]
    assert len(repeat["reasons"]) == 2


def test_a_silence_is_named_with_its_comment_and_author(browser: Browsers, cast: Cast) -> None:
    listen(cast.workspace)
    silence = make_silence(cast.workspace, cast.users["mia"], NOW - MINUTE, comment="Upgrade, OPS-7")
    first = routed(cast.source, NOW)

    answer = explained(browser, first.incident_id)

    reported = notices(answer)["opened"]
    assert (
        reported["text"]
        == 'Incident opened. Nobody was notified: silence "Upgrade, OPS-7" by Mia covered the incident.'
    )
    (decision,) = reported["decisions"]
    silence_id = typeid("sil", silence.id)
    assert (decision["cause"], decision["silenceId"]) == ("silenced", silence_id)
    assert (decision["decision"], decision["deliveryId"]) == (f"silenced:{silence_id}", None)
    assert (
        answer["text"] == 'Silence "Upgrade, OPS-7" by Mia covers the incident: no notification until the silence ends.'
    )
    assert to_come(first.incident_id) == [
        (
            "silence_ends",
            'Silence "Upgrade, OPS-7" by Mia ends; a notification is sent if the incident is open then and not known.',
        )
    ]
