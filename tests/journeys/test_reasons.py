"""A journey for each lifecycle reason (specification 3.10): events in over HTTP, a signed webhook out.

One service of real processes for all; each journey has its own workspace. To let minutes pass, the incident is moved
into the past in the database (`Operator.let_pass`); the service's own clocks find what is due by that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.faults.service_processes import RunningService, running
from tests.journeys.journey_client import DAYS, MEMBERS, Operator, Webhook, moment, soon

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("reasons")]

NIGHT_LASTS = timedelta(seconds=20)  # at least: nights end with full minutes


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    with running(tmp_path_factory.mktemp("reasons"), durable=False, web=1) as service:
        service.sign_in()
        yield service


@pytest.fixture(scope="module")
def set_up(service: RunningService) -> Iterator[Callable[[str], Operator]]:
    with ExitStack() as receivers:
        yield lambda name: Operator(service, name, receivers)


@pytest.fixture(scope="module", autouse=True)
def night(set_up: Callable[[str], Operator]) -> tuple[Operator, Webhook, Webhook]:
    """Quiet hours that began while the tests do and are over before their end, and what was broken in them."""
    operator = set_up("Night shift")
    pager, awake = operator.listen("Pager"), operator.listen("Awake", routed=False, quietHoursThreshold=None)
    everybody = {"disposition": "incident", "destinationIds": [pager.id, awake.id]}
    operator.make("rules", name="Everybody", matchText="any event", then=everybody)
    began, ends = datetime.now(UTC), datetime.now(UTC) + NIGHT_LASTS + timedelta(minutes=1)
    window = {"days": DAYS, "start": (began - timedelta(hours=1)).strftime("%H:%M"), "end": ends.strftime("%H:%M")}
    operator.settle(quietHours={"enabled": True, "timezone": "UTC", "windows": [window]})
    operator.send()
    return operator, pager, awake


@pytest.fixture
def operator(set_up: Callable[[str], Operator], request: pytest.FixtureRequest) -> Operator:
    return set_up(request.node.name.removeprefix("test_"))


@pytest.fixture
def pager(operator: Operator) -> Webhook:
    """The destination of the default route."""
    return operator.listen()


def facts(operator: Operator, reason: str, **more: Any) -> dict[str, Any]:
    """`data` of a notice of the operator's one incident in its present state."""
    incident = operator.incident()
    reported = {name: incident[name] for name in ("title", "severity", "state", "resource", "firstSeenAt", "url")}
    reported |= {"v": 1, "sourceName": "Backups", "workspaceName": operator.name, "incidentId": incident["id"]}
    reported |= {"dedupKey": "db-1", "reason": reason} | more
    return reported | {"alerts": {"total": 1, "firing": 0 if reported["state"] == "resolved" else 1}}


def test_opened(operator: Operator, pager: Webhook) -> None:
    operator.send()
    (opened,) = pager.assert_received("opened")

    assert opened == facts(operator, "opened", state="open", severity="ERROR", title="Backup of db-1 failed")
    assert opened.keys() == MEMBERS | {"alerts", "dedupKey"}


def test_reoccurred(operator: Operator, pager: Webhook) -> None:
    operator.send()
    pager.assert_received("opened")
    operator.send()
    operator.incident(eventCount=2)
    operator.let_pass(minutes=15)

    operator.send()

    assert pager.assert_received("opened", "reoccurred")[1] == facts(operator, "reoccurred", state="open")


def test_escalated(operator: Operator, pager: Webhook) -> None:
    operator.send()
    pager.assert_received("opened")

    operator.send(severity="CRITICAL")

    rise = {"kind": "severity", "from": "ERROR", "to": "CRITICAL"}
    expected = facts(operator, "escalated", severity="CRITICAL", escalation=rise)
    assert pager.assert_received("opened", "escalated")[1] == expected


def test_escalated_by_the_steps_of_a_profile(operator: Operator) -> None:
    first, second, third = (operator.listen(name, routed=False) for name in ("First", "Second", "Third"))
    steps = [{"afterMinutes": at, "destinationIds": [post.id]} for at, post in ((0, first), (10, second), (30, third))]
    profile = operator.make("routing-profiles", name="On call", steps=steps)
    then = {"disposition": "incident", "routingProfileId": profile["id"]}
    operator.make("rules", name="Databases", matchText='resource startsWith "host:db"', then=then)

    operator.send()
    first.assert_received("opened")
    second.assert_nothing_received()
    operator.let_pass(minutes=10)

    rise = {"kind": "step", "from": 1, "to": 2}
    assert second.assert_received("escalated") == [facts(operator, "escalated", state="open", escalation=rise)]
    third.assert_nothing_received()
    operator.recover()
    first.assert_received("opened", "resolved")
    second.assert_received("escalated", "resolved")
    third.assert_nothing_received()


def test_resolved(operator: Operator, pager: Webhook) -> None:
    operator.send()
    pager.assert_received("opened")

    operator.recover()

    resolved = pager.assert_received("opened", "resolved")[1]
    assert resolved["resolvedBy"]["type"] == "event" and resolved["resolvedBy"]["name"] == "Backups"
    assert resolved == facts(operator, "resolved", state="resolved", resolvedBy=resolved["resolvedBy"])


def test_reopened(operator: Operator, pager: Webhook) -> None:
    operator.send()
    operator.recover()
    pager.assert_received("opened", "resolved")

    operator.send()

    assert pager.assert_received("opened", "resolved", "reopened")[2] == facts(operator, "reopened", state="open")


def test_renotify(operator: Operator, pager: Webhook) -> None:
    operator.settle(renotifyMinutes={"CRITICAL": 30, "ERROR": 45, "WARNING": 0}, renotifyMax=1)
    operator.send()
    pager.assert_received("opened")

    operator.let_pass(minutes=45)

    assert pager.assert_received("opened", "renotify")[1] == facts(operator, "renotify", state="open")


def test_fallback(operator: Operator) -> None:
    pager, last = operator.listen(enabled=False), operator.listen("Last resort", routed=False)
    operator.settle(fallbackDestinationId=last.id)

    operator.send()

    assert last.assert_received("fallback") == [facts(operator, "fallback", state="open")]
    pager.assert_nothing_received()
    assert [each["decisions"][0]["decision"] for each in operator.explained() if each["kind"] == "notice"] == [
        "notify",
        "disabled",
    ]


def test_flapping(operator: Operator, pager: Webhook) -> None:
    moves = ["opened", "resolved", "reopened", "resolved", "reopened", "flapping"]
    for _ in range(3):
        operator.send()
        operator.recover()

    assert pager.assert_received(*moves)[-1] == facts(operator, "flapping", state="resolved")
    assert operator.incident()["flapping"] is True
    operator.let_pass(minutes=30)

    end = pager.assert_received(*moves, "resolved")[-1]
    assert end["state"] == "resolved" and operator.incident(flapping=False)["state"] == "resolved"


def test_silence_expired(operator: Operator, pager: Webhook) -> None:
    silence = operator.silence(soon(600))
    operator.send()
    assert operator.incident(state="silenced")["silencedBy"] == silence["id"]
    operator.service.call("PATCH", f"/v1/silences/{silence['id']}", {"endsAt": moment(soon(5))})

    by = {"type": "silence", "id": silence["id"], "name": "Upgrade, OPS-7"}
    assert pager.assert_received("silence_expired") == [facts(operator, "silence_expired", state="open", actor=by)]
    operator.recover()
    pager.assert_received("silence_expired", "resolved")


def test_silence_expired_when_a_person_ends_it(operator: Operator, pager: Webhook) -> None:
    silence = operator.silence(soon(3600))
    operator.send()
    operator.incident(state="silenced")

    operator.service.call("POST", f"/v1/silences/{silence['id']}/end", {})

    [expired] = pager.assert_received("silence_expired")
    assert expired == facts(operator, "silence_expired", state="open", actor=expired["actor"])


def test_snoozed_and_snooze_expired(operator: Operator, pager: Webhook) -> None:
    operator.send()
    pager.assert_received("opened")

    operator.act("snooze", {"until": moment(soon(10))})

    _, snoozed, expired = pager.assert_received("opened", "snoozed", "snooze_expired")
    assert snoozed["state"] == "snoozed" and snoozed["actor"]["type"] == "user"
    assert snoozed.keys() == MEMBERS | {"actor", "snoozedUntil", "alerts", "dedupKey"}
    assert expired == facts(operator, "snooze_expired", state="open")


def test_informational(operator: Operator, pager: Webhook) -> None:
    operator.make("rules", name="Deploys", matchText='type == "deploy.done"', then={"disposition": "notify"})

    operator.send(title="Version 7 is out", severity="INFO", type="deploy.done")

    (reported,) = pager.assert_received("informational")
    assert reported.keys() == MEMBERS | {"eventId", "type", "dedupKey"}
    assert (reported["incidentId"], reported["state"], reported["title"]) == ("", "", "Version 7 is out")
    event = operator.service.call("GET", f"/v1/events/{reported['eventId']}")
    assert (event["disposition"], event["routing"]["by"], event["incidentId"]) == ("notified", "rule", None)
    assert operator.service.call("GET", f"/v1/incidents?workspaceId={operator.workspace_id}")["items"] == []
    first, notice = operator.service.call("GET", f"/v1/events/{reported['eventId']}/explain")["items"]
    assert (first["eventId"], notice["eventId"]) == (reported["eventId"], reported["eventId"])
    assert [each["decision"] for each in notice["decisions"]] == ["notify"]


def test_acknowledged(operator: Operator, pager: Webhook) -> None:
    operator.send()
    pager.assert_received("opened")

    operator.act("acknowledge")

    acknowledged = pager.assert_received("opened", "acknowledged")[1]
    assert acknowledged["actor"]["type"] == "user" and acknowledged["actor"]["name"]
    assert acknowledged == facts(operator, "acknowledged", state="acknowledged", actor=acknowledged["actor"])


def test_renotify_when_an_acknowledgement_lapses(operator: Operator, pager: Webhook) -> None:
    operator.settle(ackTimeoutMinutes=20)
    operator.send()
    pager.assert_received("opened")
    operator.act("acknowledge")
    pager.assert_received("opened", "acknowledged")

    operator.let_pass(minutes=20)

    clock = {"type": "timer", "id": "", "name": "Clock"}
    expected = facts(operator, "renotify", state="open", actor=clock)
    assert pager.assert_received("opened", "acknowledged", "renotify")[2] == expected


def test_updated(operator: Operator, pager: Webhook) -> None:
    operator.send()
    pager.assert_received("opened")

    operator.service.call("PATCH", f"/v1/incidents/{operator.incident()['id']}", {"title": "The backup disk is full"})

    updated = pager.assert_received("opened", "updated")[1]
    changed = {
        "changes": ["title"],
        "text": f'{updated["actor"]["name"]} changed the title to "The backup disk is full".',
    }
    more = {"title": "The backup disk is full", "state": "open", "actor": updated["actor"]}
    assert updated == facts(operator, "updated", **more, **changed)


def test_a_destination_without_an_alarm_gets_no_resolution(operator: Operator) -> None:
    calm, pager = operator.listen("Calm", routed=False, minSeverity="CRITICAL"), operator.listen("Pager", routed=False)
    quiet = operator.listen("Only what breaks", routed=False, sendUpdates=False)
    to = {"disposition": "incident", "destinationIds": [calm.id, quiet.id, pager.id]}
    operator.make("rules", name="All", matchText="any event", then=to)

    operator.send()
    operator.recover()

    pager.assert_received("opened", "resolved")
    quiet.assert_received("opened")
    calm.assert_nothing_received()


def test_quiet_hours_hold_a_notice_and_let_it_go_at_their_end(night: tuple[Operator, Webhook, Webhook]) -> None:
    """The last one: the night began with the first."""
    operator, pager, awake = night
    assert awake.assert_received("opened") == [facts(operator, "opened", state="open")]
    (notice,) = (each for each in operator.explained() if each["kind"] == "notice")
    held, _ = notice["decisions"]
    assert (held["name"], held["decision"]) == ("Pager", "quiet_hours")

    ends = datetime.fromisoformat(held["until"])
    (came,) = pager.receiver.wait_for(1, 120)

    assert datetime.now(UTC) >= ends
    assert came.was_signed() and came.json["data"] == facts(operator, "opened", state="open")
    awake.assert_received("opened")
