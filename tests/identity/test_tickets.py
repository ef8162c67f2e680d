"""Tickets: accepted unchanged, for their purpose, in time, or not at all."""

from __future__ import annotations

import contextlib
from datetime import timedelta

import pytest

from inbox.identity import tickets
from inbox.identity.tickets import TicketRefused
from tests.cast import NOW

KEY, MINUTE = "k" * 32, timedelta(minutes=1)


def issued(purpose: str = "mfa", key: str = KEY) -> str:
    return tickets.issue(key, purpose, {"user": "usr_1", "n": 7}, now=NOW, lifetime=MINUTE)


def test_a_ticket_comes_back_with_its_values() -> None:
    ticket = tickets.verify(KEY, "mfa", issued(), now=NOW + timedelta(seconds=59))

    assert ticket.values == {"user": "usr_1", "n": 7}
    assert ticket.expires_at == NOW + MINUTE


def test_two_tickets_are_never_equal() -> None:
    first, second = (tickets.verify(KEY, "mfa", issued(), now=NOW) for _ in range(2))

    assert first.digest != second.digest and len(first.digest) == 32


def test_a_ticket_ends_when_its_time_is_over() -> None:
    with pytest.raises(TicketRefused):
        tickets.verify(KEY, "mfa", issued(), now=NOW + MINUTE)


@pytest.mark.parametrize(
    "text",
    [
        *(None, "", "a", "a.b", "é", "\x00", "A" * 5_000, issued("passkey"), issued(key="x" * 32)),
        *(issued()[:-1], issued() + "A", "." + issued(), issued().replace(".", ".A", 1)),
    ],
)
def test_a_ticket_for_another_purpose_is_refused(text: str | None) -> None:
    with pytest.raises(TicketRefused):
        tickets.verify(KEY, "mfa", text, now=NOW)


def test_a_ticket_with_any_letter_changed_is_refused() -> None:
    text = issued()
    for place in range(len(text) - 1):
        other = "A" if text[place] != "A" else "B"
        with pytest.raises(TicketRefused):
            tickets.verify(KEY, "mfa", text[:place] + other + text[place + 1 :], now=NOW)


def test_a_signature_that_is_written_in_another_way_is_on_the_same_ticket() -> None:
    text = issued()
    digests = set()
    for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_":
        with contextlib.suppress(TicketRefused):
            digests.add(tickets.verify(KEY, "mfa", text[:-1] + letter, now=NOW).digest)

    assert len(digests) == 1
