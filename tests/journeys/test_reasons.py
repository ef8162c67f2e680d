"""A journey for each lifecycle reason: real events in over HTTP, a signed webhook out, named after the reason.

Specification 3.10.

One service of real processes for all; each journey has a workspace of its own. What lasts minutes is not waited for: the
incident is moved into the past in the database (`Desk.let_pass`), and the service's own clocks find what is due by that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.faults.service_processes import Rig, running
from tests.journeys.journey_client import DAYS, MEMBERS, Desk, Post, moment, soon

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("reasons")]

NIGHT_LASTS = timedelta(seconds=20)
"""At least; nights end with full minutes."""


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    with running(tmp_path_factory.mktemp("reasons"), web=1) as rig:
        rig.sign_in()
        yield rig


@pytest.fixture(scope="module")
def set_up(rig: Rig) -> Iterator[Callable[[str], Desk]]:
    with ExitStack() as receivers:
        yield lambda name: Desk(rig, name, receivers)


@pytest.fixture(scope="module", autouse=True)
def night(set_up: Callable[[str], Desk]) -> tuple[Desk, Post, Post]:
    """Quiet hours that began while the tests do and are over before their end, and what was broken in them."""
    desk = set_up("Night shift")
    pager, awake = desk.listen("Pager"), desk.listen("Awake", routed=False, quietHoursThreshold=None)
    everybody = {"disposition": "incident", "destinationIds": [pager.id, awake.id]}
    desk.make("rules", name="Everybody", matchText="any event", then=everybody)
    began, ends = datetime.now(UTC), datetime.now(UTC) + NIGHT_LASTS + timedelta(minutes=1)
    window = {"days": DAYS, "start": (began - timedelta(hours=1)).strftime("%H:%M"), "end": ends.strftime("%H:%M")}
    desk.settle(quietHours={"enabled": True, "timezone": "UTC", "windows": [window]})
    desk.send()
    return desk, pager, awake


@pytest.fixture
def desk(set_up: Callable[[str], Desk], request: pytest.FixtureRequest) -> Desk:
    return set_up(request.node.name.removeprefix("test_"))


@pytest.fixture
def pager(desk: Desk) -> Post:
    """The destination of the default route."""
    return desk.listen()


def facts(desk: Desk, reason: str, **more: Any) -> dict[str, Any]:
    """`data` of a notice of the desk's one incident as it now stands."""
    incident = desk.incident()
    told = {name: incident[name] for name in ("title", "severity", "state", "resource", "firstSeenAt", "url")}
    told |= {"v": 1, "sourceName": "Backups", "workspaceName": desk.name, "incidentId": incident["id"]}
    return told | {"reason": reason} | more


def test_opened(desk: Desk, pager: Post) -> None:
    desk.send()

    (opened,) = pager.hears("opened")

    assert opened == facts(desk, "opened", state="open", severity="ERROR", title="Backup of db-1 failed")
    assert opened.keys() == MEMBERS


def test_reoccurred(desk: Desk, pager: Post) -> None:
    desk.send()
    pager.hears("opened")
    desk.send()
    desk.incident(eventCount=2)
    desk.let_pass(minutes=15)

    desk.send()

    assert pager.hears("opened", "reoccurred")[1] == facts(desk, "reoccurred", state="open")


def test_escalated(desk: Desk, pager: Post) -> None:
    desk.send()
    pager.hears("opened")

    desk.send(severity="CRITICAL")

    rise = {"kind": "severity", "from": "ERROR", "to": "CRITICAL"}
    assert pager.hears("opened", "escalated")[1] == facts(desk, "escalated", severity="CRITICAL", escalation=rise)


def test_escalated_by_the_steps_of_a_profile(desk: Desk) -> None:
    first, second, third = (desk.listen(name, routed=False) for name in ("First", "Second", "Third"))
    steps = [{"afterMinutes": at, "destinationIds": [post.id]} for at, post in ((0, first), (10, second), (30, third))]
    profile = desk.make("routing-profiles", name="On call", steps=steps)
    then = {"disposition": "incident", "routingProfileId": profile["id"]}
    desk.make("rules", name="Databases", matchText='resource startsWith "host:db"', then=then)

    desk.send()
    first.hears("opened")
    second.hears_nothing()
    desk.let_pass(minutes=10)

    rise = {"kind": "step", "from": 1, "to": 2}
    assert second.hears("escalated") == [facts(desk, "escalated", state="open", escalation=rise)]
    third.hears_nothing()
    desk.recover()
    first.hears("opened", "resolved")
    second.hears("escalated", "resolved")
    third.hears_nothing()


def test_resolved(desk: Desk, pager: Post) -> None:
    desk.send()
    pager.hears("opened")

    desk.recover()

    resolved = pager.hears("opened", "resolved")[1]
    assert resolved["resolvedBy"]["type"] == "event" and resolved["resolvedBy"]["name"] == "Backups"
    assert resolved == facts(desk, "resolved", state="resolved", resolvedBy=resolved["resolvedBy"])


def test_reopened(desk: Desk, pager: Post) -> None:
    desk.send()
    desk.recover()
    pager.hears("opened", "resolved")

    desk.send()

    assert pager.hears("opened", "resolved", "reopened")[2] == facts(desk, "reopened", state="open")


def test_renotify(desk: Desk, pager: Post) -> None:
    desk.settle(renotifyMinutes={"CRITICAL": 30, "ERROR": 45, "WARNING": 0}, renotifyMax=1)
    desk.send()
    pager.hears("opened")

    desk.let_pass(minutes=45)

    assert pager.hears("opened", "renotify")[1] == facts(desk, "renotify", state="open")


def test_fallback(desk: Desk) -> None:
    pager, last = desk.listen(enabled=False), desk.listen("Last resort", routed=False)
    desk.settle(fallbackDestinationId=last.id)

    desk.send()

    assert last.hears("fallback") == [facts(desk, "fallback", state="open")]
    pager.hears_nothing()
    assert [each["decisions"][0]["decision"] for each in desk.explained() if each["kind"] == "notice"] == [
        "notify",
        "disabled",
    ]


def test_flapping(desk: Desk, pager: Post) -> None:
    moves = ["opened", "resolved", "reopened", "resolved", "reopened", "flapping"]
    for _ in range(3):
        desk.send()
        desk.recover()

    assert pager.hears(*moves)[-1] == facts(desk, "flapping", state="resolved")
    assert desk.incident()["flapping"] is True
    desk.let_pass(minutes=30)

    end = pager.hears(*moves, "resolved")[-1]
    assert end["state"] == "resolved" and desk.incident(flapping=False)["state"] == "resolved"


def test_silence_expired(desk: Desk, pager: Post) -> None:
    silence = desk.silence(soon(3))
    desk.send()
    assert desk.incident(state="silenced")["silencedBy"] == silence["id"]

    by = {"type": "silence", "id": silence["id"], "name": "Upgrade, OPS-7"}
    assert pager.hears("silence_expired") == [facts(desk, "silence_expired", state="open", actor=by)]
    desk.recover()
    pager.hears("silence_expired", "resolved")


def test_silence_expired_when_a_person_ends_it(desk: Desk, pager: Post) -> None:
    desk.send()
    pager.hears("opened")
    silence = desk.silence(soon(3600))
    desk.incident(state="silenced")

    desk.rig.call("POST", f"/v1/silences/{silence['id']}/end", {})

    expired = pager.hears("opened", "silence_expired")[1]
    assert expired == facts(desk, "silence_expired", state="open", actor=expired["actor"])


def test_snoozed_and_snooze_expired(desk: Desk, pager: Post) -> None:
    desk.send()
    pager.hears("opened")

    desk.act("snooze", {"until": moment(soon())})

    _, snoozed, expired = pager.hears("opened", "snoozed", "snooze_expired")
    assert snoozed["state"] == "snoozed" and snoozed["actor"]["type"] == "user"
    assert snoozed.keys() == MEMBERS | {"actor", "snoozedUntil"}
    assert expired == facts(desk, "snooze_expired", state="open")


def test_informational(desk: Desk, pager: Post) -> None:
    desk.make("rules", name="Deploys", matchText='type == "deploy.done"', then={"disposition": "notify"})

    desk.send(title="Version 7 is out", severity="INFO", type="deploy.done")

    (told,) = pager.hears("informational")
    assert told.keys() == MEMBERS | {"eventId"}
    assert (told["incidentId"], told["state"], told["title"]) == ("", "", "Version 7 is out")
    event = desk.rig.call("GET", f"/v1/events/{told['eventId']}")
    assert (event["disposition"], event["routing"]["by"], event["incidentId"]) == ("notified", "rule", None)
    assert desk.rig.call("GET", f"/v1/incidents?workspaceId={desk.workspace_id}")["items"] == []
    first, notice = desk.rig.call("GET", f"/v1/events/{told['eventId']}/explain")["items"]
    assert (first["eventId"], notice["eventId"]) == (told["eventId"], told["eventId"])
    assert [each["decision"] for each in notice["decisions"]] == ["notify"]


def test_acknowledged(desk: Desk, pager: Post) -> None:
    desk.send()
    pager.hears("opened")

    desk.act("acknowledge")

    acknowledged = pager.hears("opened", "acknowledged")[1]
    assert acknowledged["actor"]["type"] == "user" and acknowledged["actor"]["name"]
    assert acknowledged == facts(desk, "acknowledged", state="acknowledged", actor=acknowledged["actor"])


def test_renotify_when_an_acknowledgement_lapses(desk: Desk, pager: Post) -> None:
    desk.settle(ackTimeoutMinutes=20)
    desk.send()
    pager.hears("opened")
    desk.act("acknowledge")
    pager.hears("opened", "acknowledged")

    desk.let_pass(minutes=20)

    clock = {"type": "timer", "id": "", "name": "Clock"}
    assert pager.hears("opened", "acknowledged", "renotify")[2] == facts(desk, "renotify", state="open", actor=clock)


def test_updated(desk: Desk, pager: Post) -> None:
    desk.send()
    pager.hears("opened")

    desk.rig.call("PATCH", f"/v1/incidents/{desk.incident()['id']}", {"title": "The backup disk is full"})

    updated = pager.hears("opened", "updated")[1]
    changed = {
        "changes": ["title"],
        "text": f'{updated["actor"]["name"]} changed the title to "The backup disk is full".',
    }
    more = {"title": "The backup disk is full", "state": "open", "actor": updated["actor"]}
    assert updated == facts(desk, "updated", **more, **changed)


def test_whoever_was_told_nothing_hears_no_end(desk: Desk) -> None:
    calm, pager = desk.listen("Calm", routed=False, minSeverity="CRITICAL"), desk.listen("Pager", routed=False)
    quiet = desk.listen("Only what breaks", routed=False, sendUpdates=False)
    to = {"disposition": "incident", "destinationIds": [calm.id, quiet.id, pager.id]}
    desk.make("rules", name="All", matchText="any event", then=to)

    desk.send()
    desk.recover()

    pager.hears("opened", "resolved")
    quiet.hears("opened")
    calm.hears_nothing()


def test_quiet_hours_hold_a_notice_and_let_it_go_at_their_end(night: tuple[Desk, Post, Post]) -> None:
    """The last one: the night began with the first."""
    desk, pager, awake = night
    assert awake.hears("opened") == [facts(desk, "opened", state="open")]
    (notice,) = (each for each in desk.explained() if each["kind"] == "notice")
    held, _ = notice["decisions"]
    assert (held["name"], held["decision"]) == ("Pager", "quiet_hours")

    ends = datetime.fromisoformat(held["until"])
    (came,) = pager.receiver.wait_for(1, 120)

    assert datetime.now(UTC) >= ends
    assert came.verified()["data"] == facts(desk, "opened", state="open")
    awake.hears("opened")
