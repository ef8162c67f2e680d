"""Tokens of action links: permissions, expiry and refusals."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from inbox.domain.incidents.incident import Act
from inbox.identity import action_links, tickets
from inbox.identity.action_links import LIFETIME, Permission
from inbox.identity.tickets import TicketRefused

KEY = "k" * 32
NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
GIVEN = Permission(Act.RESOLVE, uuid4(), uuid4())


@pytest.mark.parametrize("act", action_links.ACTS)
def test_a_token_permits_the_act_it_was_issued_for(act: Act) -> None:
    given = Permission(act, uuid4(), uuid4())

    assert action_links.verify(KEY, action_links.issue(KEY, given, NOW), NOW) == given


def test_a_token_ends_after_a_day() -> None:
    token = action_links.issue(KEY, GIVEN, NOW)

    assert action_links.verify(KEY, token, NOW + LIFETIME - timedelta(seconds=1)) == GIVEN
    with pytest.raises(TicketRefused):
        action_links.verify(KEY, token, NOW + LIFETIME)


def values(**changed: object) -> dict[str, object]:
    return {"act": "resolve", "incident": GIVEN.incident_id.hex, "destination": GIVEN.destination_id.hex, **changed}


@pytest.mark.parametrize(
    "wrong",
    [{"act": "snooze"}, {"act": "nothing"}, {"act": 1}, {"incident": "x"}, {"destination": None}, {"incident": 5}],
)
def test_a_signed_token_with_other_values_is_refused(wrong: dict[str, object]) -> None:
    token = tickets.issue(KEY, action_links.PURPOSE, values(**wrong), now=NOW, lifetime=LIFETIME)

    with pytest.raises(TicketRefused):
        action_links.verify(KEY, token, NOW)


def test_a_token_of_another_key_or_purpose_is_refused() -> None:
    foreign = action_links.issue("f" * 32, GIVEN, NOW)
    other = tickets.issue(KEY, "sign_in", values(), now=NOW, lifetime=LIFETIME)
    own = action_links.issue(KEY, GIVEN, NOW)

    for token in (foreign, other, "", "x" * 5_000, own[:-1], own.swapcase()):
        with pytest.raises(TicketRefused):
            action_links.verify(KEY, token, NOW)
