"""`send`: events at a real service, and the spool while it is unreachable (specification 21.3)."""

from __future__ import annotations

import json
import os
import stat
from typing import Any

import pytest

from agent.spool import MOST_WAITING, Spool
from inbox.models.events.tables import ReceivedEvent
from tests.agent.conftest import Host
from tests.cast import Cast
from tests.live.web import Web

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def key(host: Host, cast: Cast) -> None:
    host.credential = cast.key


def titles() -> list[str]:
    return [event.title for event in ReceivedEvent.select().order_by(ReceivedEvent.id)]


@pytest.mark.usefixtures("web")
def test_an_event_is_sent_with_its_fields(host: Host) -> None:
    done = host.run("send", "Disk full", "--severity", "ERROR", "--dedup-key", "disk", "--tag", "a", "--tag", "b")
    resolved = host.run("send", "Disk fine", "--dedup-key", "disk", "--resolve", "--json")

    assert (done.returncode, done.stdout.split()[1]) == (0, "accepted"), done.stderr
    assert json.loads(resolved.stdout)["events"][0]["status"] == "accepted"
    event = ReceivedEvent.get(ReceivedEvent.title == "Disk full")
    assert (str(event.severity), event.dedup_key, event.tags, event.warnings) == ("ERROR", "disk", ["a", "b"], [])


@pytest.mark.usefixtures("web")
def test_a_key_of_the_caller_makes_a_repeated_call_a_duplicate(host: Host) -> None:
    runs = [host.run("send", "Once", "--idempotency-key", "job-17") for _ in range(2)]

    assert [done.stdout.split()[1] for done in runs] == ["accepted", "duplicate"]
    assert titles() == ["Once"]


@pytest.mark.usefixtures("web")
def test_bytes_that_are_no_utf8_are_replaced(host: Host) -> None:
    odd = os.fsdecode("für ".encode() + b"f\xfcr")

    done = host.run("send", odd, "--body", odd, "--tag", odd)

    assert done.returncode == 0, done.stderr
    [event] = ReceivedEvent.select()
    assert (event.title, event.body, event.tags) == ("für f\ufffdr", "für f\ufffdr", ["für f\ufffdr"])


@pytest.mark.usefixtures("web")
def test_a_refused_event_fails_and_waits_nowhere(host: Host) -> None:
    done = host.run("send", " ")

    assert (done.returncode, "/title" in done.stderr, host.waiting()) == (1, True, [])


def test_events_wait_while_the_service_is_down_and_follow_in_order(
    host: Host, cast: Cast, request: pytest.FixtureRequest
) -> None:
    away = [host.run("send", f"Event {number}") for number in range(2)]
    assert [(done.returncode, "stored in" in done.stderr) for done in away] == [(0, True)] * 2
    files = host.waiting()
    assert len(files) == 2
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    assert all(cast.key[8:] not in file.read_text() for file in files)

    request.getfixturevalue("late_web")
    other = host.run("send", "Of another key", INBOX_SOURCE_KEY=cast.foreign_key)
    assert (other.returncode, len(host.waiting())) == (0, 2), "what waits goes with the key that it was sent with"
    assert host.run("send", "Event 2").returncode == 0

    assert [title for title in titles() if title.startswith("Event")] == ["Event 0", "Event 1", "Event 2"]
    assert host.waiting() == []
    first = ReceivedEvent.get(ReceivedEvent.title == "Event 0")
    assert first.occurred_at < first.received_at, "an event keeps the time at which it happened"


def test_an_answer_that_was_lost_makes_no_second_event(host: Host, web: Web) -> None:
    body = host.run("send", "Once", "--address", "http://127.0.0.1:9")
    [waiting] = host.waiting()
    folder = waiting.parent
    copy = waiting.read_text()
    own = Spool(host.address, host.credential).folder.name
    target = folder.parent / own
    target.mkdir()
    for number in range(2):
        (target / f"{number}.json").write_text(copy)

    assert host.run("send", "Next").returncode == 0

    assert body.returncode == 0 and web.answers()
    assert titles() == ["Once", "Next"]


def test_an_unreachable_service_is_a_failure_without_the_spool(host: Host) -> None:
    done = host.run("send", "x", "--no-spool")

    assert (done.returncode, host.waiting()) == (1, [])


def test_the_spool_is_bounded_and_drops_the_oldest(host: Host) -> None:
    assert host.run("send", "first").returncode == 0
    [oldest] = host.waiting()
    record: dict[str, Any] = json.loads(oldest.read_text())
    for number in range(MOST_WAITING):
        (oldest.parent / f"1{oldest.name[1:20]}-{number:04d}.json").write_text(json.dumps(record))

    done = host.run("send", "last")

    assert (done.returncode, "older requests were dropped" in done.stderr) == (0, True)
    assert (len(host.waiting()), oldest.exists()) == (MOST_WAITING, False)


def test_damaged_and_old_requests_are_dropped_and_an_unusable_spool_is_reported(host: Host, web: Web) -> None:
    folder = host.home / ".local/state/inbox-spool" / Spool(host.address, host.credential).folder.name
    folder.mkdir(parents=True)
    old = {"path": "/v1/events", "body": '{"title": "Old"}', "contentType": "application/json", "at": 1_000_000_000}
    for name, text in {"1": "", "2": "[]", "3": "{", "4": json.dumps(old)}.items():
        (folder / f"{name}.json").write_text(text)

    assert host.run("send", "New").returncode == 0
    assert (host.waiting(), titles()) == ([], ["New"])

    blocked = host.home / "file"
    blocked.write_text("")
    done = host.run("send", "x", "--address", "http://127.0.0.1:9", INBOX_SPOOL=str(blocked))
    assert (done.returncode, "spool cannot be used" in done.stderr) == (1, True)
    assert web.answers()
