"""Message references are stored, passed on and dropped; messages keep the minimum interval of a service."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

import pytest

from inbox.destinations import Config
from inbox.domain.deliveries import notices
from inbox.domain.deliveries.notices import NoticeFields
from inbox.domain.incidents.state_machine import Reason
from inbox.domain.values import ids
from inbox.flow.delivery.deliver import claim_due, deliver
from inbox.models.deliveries.destinations import Destination, DestinationMessage
from inbox.models.deliveries.tables import Delivery
from inbox.models.incidents.tables import Incident
from inbox.services.deliveries import destinations, replays
from tests.cast import NOW, Cast, present
from tests.stand_ins.outgoing_posts import fresh, make_destination, make_incident, owe, store_destination
from tests.stand_ins.receivers import Answer, Receiver, Request

PACE = timedelta(seconds=2)


@dataclass
class Clock:
    """The time of the worker, which a test moves."""

    now: datetime = field(default_factory=present)

    def __call__(self) -> datetime:
        return self.now


@dataclass
class Channel:
    """A channel as Discord keeps it: the title of each message by its id. `lost` ids are gone."""

    messages: dict[str, str] = field(default_factory=dict)

    def answer(self, request: Request) -> Answer:
        embeds = request.json.get("embeds") or [{"title": "reply"}]
        if request.method == "PATCH":
            id = request.path.partition("?")[0].rpartition("/")[2]
            if id not in self.messages:
                return Answer(404, b'{"code": 10008, "message": "Unknown Message"}')
        else:
            id = str(1000 + len(self.messages))
        self.messages[id] = embeds[0]["title"]
        return Answer(200, b'{"id": "%s", "channel_id": "1"}' % id.encode())


@pytest.fixture
def channel(receiver: Receiver) -> Channel:
    made = Channel()
    receiver.answer = made.answer
    return made


@pytest.fixture
def discord(cast: Cast, receiver: Receiver, channel: Channel) -> Destination:
    url = f"{receiver.url.rstrip('/')}/api/webhooks/1/token"
    return store_destination(cast.workspace, "discord", Config({"urlHint": "…oken"}, {"url": url}))


def notify(destination: Destination, incident: Incident, seq: int, reason: Reason) -> Delivery:
    about = NoticeFields(
        title="Disk full", severity="ERROR", state="open", source_name="Backups", workspace_name="Home",
        incident_id=ids.encode("inc", incident.id), first_seen_at=NOW, url="https://inbox.example.org/w/home",
    )  # fmt: skip
    body = notices.body_text(notices.payload(reason, about, NOW))
    return owe(destination, incident, seq, reason=str(reason), body=body)


def calls(receiver: Receiver) -> list[str]:
    return [request.method for request in receiver.requests]


def references() -> list[str]:
    return sorted(row.reference["id"] for row in DestinationMessage.select())


def test_a_message_ends_in_the_last_state_of_its_incident(
    cast: Cast, discord: Destination, receiver: Receiver, channel: Channel
) -> None:
    incident, clock = make_incident(cast), Clock()
    for seq, reason in enumerate((Reason.OPENED, Reason.RENOTIFY, Reason.RESOLVED), start=1):
        notify(discord, incident, seq, reason)
        deliver(clock)
        clock.now += PACE

    assert calls(receiver) == ["POST", "PATCH", "POST", "PATCH"]
    assert channel.messages["1000"].endswith("RESOLVED · Disk full")
    assert references() == ["1000"]


def test_a_deleted_message_is_posted_again_and_incidents_have_separate_messages(
    cast: Cast, discord: Destination, receiver: Receiver, channel: Channel
) -> None:
    incident, other, clock = make_incident(cast), make_incident(cast), Clock()
    for seq, about in ((1, incident), (1, other), (2, incident)):
        notify(discord, about, seq, Reason.OPENED if seq == 1 else Reason.RESOLVED)
        deliver(clock)
        clock.now += PACE
        if about is other:
            del channel.messages["1000"]
            channel.messages["999"] = "of somebody else"

    assert calls(receiver) == ["POST", "POST", "PATCH", "POST"]
    assert references() == ["1001", "1002"]


def replay(failed: Delivery, clock: Clock) -> Delivery:
    """Replay the failed delivery, and send it."""
    made = replays.replay(failed, now=clock())
    deliver(clock)
    clock.now += PACE
    assert fresh(made).status == "sent"
    return made


def test_a_replay_of_an_old_notice_leaves_the_message_in_the_latest_state(
    cast: Cast, discord: Destination, receiver: Receiver, channel: Channel
) -> None:
    incident, clock = make_incident(cast), Clock()
    sent = []
    for seq, reason in enumerate((Reason.OPENED, Reason.RENOTIFY, Reason.RESOLVED), start=1):
        receiver.script(*([400] if reason is Reason.RENOTIFY else []))
        sent.append(notify(discord, incident, seq, reason))
        deliver(clock)
        clock.now += PACE
    assert [fresh(each).status for each in sent] == ["sent", "failed", "sent"]

    replay(sent[1], clock)

    assert calls(receiver)[-1] == "POST"
    assert channel.messages["1000"].endswith("RESOLVED · Disk full")
    assert references() == ["1000"]


@pytest.mark.parametrize("later", [None, "skipped"])
def test_a_replay_of_the_newest_notice_changes_the_message(
    cast: Cast, discord: Destination, receiver: Receiver, channel: Channel, later: str | None
) -> None:
    incident, clock = make_incident(cast), Clock()
    notify(discord, incident, 1, Reason.OPENED)
    deliver(clock)
    clock.now += PACE
    receiver.script(400)
    failed = notify(discord, incident, 2, Reason.RESOLVED)
    deliver(clock)
    clock.now += PACE
    if later is not None:
        owe(discord, incident, 3, reason="renotify", status=later, due_at=None)

    replay(failed, clock)

    assert calls(receiver)[-1] == "PATCH"
    assert channel.messages["1000"].endswith("RESOLVED · Disk full")


def test_new_settings_begin_with_a_new_message(cast: Cast, discord: Destination, channel: Channel) -> None:
    notify(discord, make_incident(cast), 1, Reason.OPENED)
    deliver(present)
    assert references() == ["1000"]

    destinations.edit(discord, {"config": {"threadId": "123456789012345678"}}, expected_rev=None, now=present())

    assert references() == []


def test_a_service_with_a_pace_is_called_once_in_that_time(
    cast: Cast, discord: Destination, receiver: Receiver
) -> None:
    clock = Clock()
    webhook = make_destination(cast.workspace, receiver.url + "/steady")
    for _ in range(3):
        notify(discord, make_incident(cast), 1, Reason.OPENED)
        owe(webhook, make_incident(cast), 1)

    sent = []
    for moved in (timedelta(), PACE - timedelta(milliseconds=1), timedelta(milliseconds=1), PACE):
        clock.now += moved
        receiver.requests.clear()
        deliver(clock)
        sent.append(sum("/api/webhooks/" in request.path for request in receiver.requests))

    assert sent == [1, 0, 1, 1]


def test_a_service_that_asks_for_a_pause_is_left_alone_as_long(
    cast: Cast, discord: Destination, receiver: Receiver
) -> None:
    clock = Clock()
    receiver.script(Answer(429, b'{"retry_after": 60.5, "global": false}'))
    first, second = (notify(discord, make_incident(cast), 1, Reason.OPENED) for _ in range(2))

    deliver(clock)

    assert fresh(first).status == "retrying"
    assert fresh(discord).next_call_at >= clock.now + timedelta(seconds=60)
    clock.now += timedelta(seconds=59)
    assert claim_due(clock.now, 10).calls == []
    clock.now += timedelta(seconds=2)
    assert len(claim_due(clock.now, 10).calls) == 1
    assert fresh(second).status in ("pending", "sending")


def test_a_pause_of_an_hour_holds_for_a_worker_whose_clock_is_behind(cast: Cast, discord: Destination) -> None:
    notify(discord, make_incident(cast), 1, Reason.OPENED)
    now = present()
    Destination.update(next_call_at=now + timedelta(minutes=61)).where(Destination.id == discord.id).execute()

    assert claim_due(now, 10).calls == []


def test_a_pause_set_by_a_fast_clock_is_ignored(cast: Cast, discord: Destination) -> None:
    ahead = present() + timedelta(days=30)
    Destination.update(next_call_at=ahead).where(Destination.id == discord.id).execute()
    delivery = notify(discord, make_incident(cast), 1, Reason.OPENED)

    deliver(present)

    assert fresh(delivery).status == "sent"
    assert fresh(discord).next_call_at is None or fresh(discord).next_call_at < present() + timedelta(hours=1)


def test_an_edit_ends_the_pause(cast: Cast, discord: Destination) -> None:
    Destination.update(next_call_at=present() + timedelta(hours=1)).where(Destination.id == discord.id).execute()

    destinations.edit(discord, {"config": {}}, expected_rev=None, now=present())

    assert fresh(discord).next_call_at is None


def test_a_message_reference_is_deleted_with_its_incident_and_never_stored_later(
    cast: Cast, discord: Destination, receiver: Receiver, channel: Channel
) -> None:
    gone, purged = make_incident(cast), make_incident(cast)
    notify(discord, purged, 1, Reason.OPENED)
    deliver(present)
    purged.delete_instance()
    assert references() == []

    Destination.update(next_call_at=None).execute()
    delivery = notify(discord, gone, 1, Reason.OPENED)
    Delivery.update(incident_id=purged.id).where(Delivery.id == delivery.id).execute()
    deliver(present)

    assert fresh(delivery).status == "sent"
    assert references() == []
