"""The bytes of one stream, and its access checks."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

from inbox.domain.values import ids
from inbox.live import wire
from inbox.live.stream import PING_SECONDS, Stream, Subscriber, audiences
from inbox.live.subscriptions import Subscriptions

MIA, ACME, OTHER = (UUID(int=number) for number in (1, 2, 3))
MIAS, ACMES, OTHERS = ids.encode("usr", MIA), ids.encode("wsp", ACME), ids.encode("wsp", OTHER)


def stream(*workspaces: UUID, session: int = 9, ping_seconds: float = PING_SECONDS) -> tuple[Stream, list[Stream]]:
    left: list[Stream] = []
    return Stream(
        Subscriber(MIA, UUID(int=session), frozenset(workspaces)), left.append, ping_seconds=ping_seconds
    ), left


def test_the_first_piece_is_the_retry_time_and_a_resync():
    mia, _ = stream()

    assert next(mia) == b'retry: 3000\n\ndata: {"type":"resync","workspaceId":null,"spreadSeconds":0}\n\n'


def test_a_stream_sends_all_waiting_changes_in_one_piece():
    mia, _ = stream()
    next(mia)
    mia.mailbox.put([b"data: 1\n\n", b"data: 2\n\n"])

    assert next(mia) == b"data: 1\n\ndata: 2\n\n"


def test_a_ping_is_due_every_25_seconds():
    assert PING_SECONDS == 25.0


def test_an_idle_stream_sends_pings():
    mia, _ = stream(ping_seconds=0.01)

    assert [next(mia) for _ in range(3)] == [wire.opening(), wire.PING, wire.PING]


def test_a_stream_sends_pings_between_many_changes():
    mia, _ = stream(ping_seconds=0.01)
    next(mia)
    pieces = []
    while wire.PING not in b"".join(pieces):  # hangs if changes could put the ping off
        mia.mailbox.put([b"data: 1\n\n"])
        pieces.append(next(mia))

    assert b"data: 1\n\n" in pieces


def test_the_stream_ends_when_its_mailbox_is_closed():
    mia, _ = stream()
    next(mia)
    mia.mailbox.put([b"data: 1\n\n"])
    mia.mailbox.close()

    assert list(mia) == []


def test_closing_an_unread_stream_reports_that_the_client_left():
    mia, left = stream()

    mia.close()

    assert left == [mia]
    assert list(mia) == [wire.opening()]


def test_a_stream_shows_that_a_send_is_pending():
    mia, _ = stream()
    assert mia.send_started_at is None
    next(mia)

    assert mia.send_started_at is not None


def test_a_stream_belongs_to_the_audiences_of_its_person_and_workspaces():
    assert audiences(Subscriber(MIA, UUID(int=9), frozenset({ACME}))) == {MIAS, ACMES}


def test_an_audience_has_the_streams_that_joined_and_did_not_leave():
    open_streams = Subscriptions()
    (here, _), (there, _) = stream(ACME), stream(ACME, OTHER)
    open_streams.join(here)
    open_streams.join(there)
    open_streams.leave(here)
    open_streams.leave(here)

    assert open_streams.of(ACMES) == (there,)
    assert open_streams.of(OTHERS) == (there,)
    assert len(open_streams) == 1


def test_a_moved_subscription_gets_changes_of_its_new_workspaces_only():
    open_streams = Subscriptions()
    mia, _ = stream(ACME)
    open_streams.join(mia)
    open_streams.move(mia, frozenset({MIAS, OTHERS}))

    assert open_streams.of(ACMES) == ()
    assert open_streams.of(OTHERS) == open_streams.of(MIAS) == (mia,)
    open_streams.leave(mia)
    assert open_streams.of(OTHERS) == ()


def test_the_streams_of_a_session_are_found_together_and_device_streams_apart():
    open_streams = Subscriptions()
    (one, _), (two, _), (other, _), (phone, _) = (stream(session=number) for number in (8, 8, 9, 7))
    phone.subscriber = replace(phone.subscriber, by_device=True)
    for each in (one, two, other, phone):
        open_streams.join(each)

    found = open_streams.by_credential(devices=False)
    assert {session: set(streams) for session, streams in found.items()} == {
        UUID(int=8): {one, two},
        UUID(int=9): {other},
    }
    assert open_streams.by_credential(devices=True) == {UUID(int=7): [phone]}
