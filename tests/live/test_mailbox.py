"""A client's mailbox is bounded, and no read misses an entry."""

from __future__ import annotations

import threading

import pytest

from inbox.live import wire
from inbox.live.mailbox import CAPACITY, Mailbox

RULE = {"type": "rule", "id": "rul_1", "workspaceId": "wsp_1", "op": "changed", "rev": 1}


def line(workspace: str) -> bytes:
    return wire.line({**RULE, "workspaceId": workspace})


def test_waiting_lines_are_read_in_one_piece_in_order():
    mailbox = Mailbox()
    mailbox.put([b"a", b"b"])
    mailbox.put([b"c"])

    assert mailbox.take(1) == b"abc"
    assert len(mailbox) == 0


def test_an_empty_mailbox_returns_nothing_after_the_wait():
    assert Mailbox().take(0.001) == b""


def test_a_waiting_reader_is_woken():
    mailbox = Mailbox()
    threading.Timer(0.01, mailbox.put, [[b"late"]]).start()

    assert mailbox.take(5) == b"late"


def test_two_hundred_may_wait():
    mailbox = Mailbox()

    assert all(mailbox.put([b"x"]) for _ in range(CAPACITY))
    assert not mailbox.closed
    assert CAPACITY == 200


def test_a_mailbox_with_more_than_two_hundred_lines_is_closed_and_emptied():
    mailbox = Mailbox()
    mailbox.put([b"x"] * CAPACITY)

    assert mailbox.put([b"x"]) is False
    assert mailbox.closed
    assert len(mailbox) == 0


def test_a_resync_replaces_everything_that_waits():
    mailbox = Mailbox()
    mailbox.put([b"x"] * CAPACITY)

    assert mailbox.put([wire.resync()])
    mailbox.put([b"after"])
    assert mailbox.take(1) == wire.resync() + b"after"


def test_closing_a_mailbox_wakes_the_reader_and_drops_later_lines():
    mailbox = Mailbox()
    threading.Timer(0.01, mailbox.close).start()

    assert mailbox.take(5) == b""
    assert mailbox.put([b"x"]) is True
    assert mailbox.take(1) == b""


def test_a_resync_of_one_workspace_leaves_the_lines_of_others():
    mailbox = Mailbox()
    mailbox.put([line("wsp_1"), line("wsp_2")])

    mailbox.put([wire.resync("wsp_1")])

    assert mailbox.take(1) == line("wsp_2") + wire.resync("wsp_1")


@pytest.mark.parametrize(
    ("waiting", "remains"),
    [
        (wire.line(RULE), True),
        (wire.line({**RULE, "type": "event"}), False),
        (wire.resync("wsp_1", types=["event"]), False),
        (wire.resync("wsp_1", types=["event", "rule"]), True),
        (wire.resync("wsp_1"), True),
        (wire.resync("wsp_2", types=["event"]), True),
        (wire.resync(), True),
    ],
)
def test_a_resync_of_some_types_replaces_waiting_changes_of_these_types(waiting: bytes, remains: bool):
    resync = wire.resync("wsp_1", types=["incident", "event"])
    mailbox = Mailbox()
    mailbox.put([waiting])

    mailbox.put([resync])

    assert mailbox.take(1) == (waiting if remains else b"") + resync


def test_a_personal_resync_replaces_waiting_changes_in_all_workspaces():
    mailbox = Mailbox()
    mailbox.put([line("wsp_1"), wire.line({**RULE, "type": "me", "workspaceId": None})])

    mailbox.put([wire.resync(types=["me"])])

    assert mailbox.take(1) == line("wsp_1") + wire.resync(types=["me"])
