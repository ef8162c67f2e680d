"""Limits of Discord for the whole instance: only Discord itself can report one."""

from __future__ import annotations

from datetime import timedelta

import pytest

from inbox.destinations import Config
from inbox.flow.delivery.deliver import claim_due
from inbox.flow.delivery.results import record_results
from inbox.flow.delivery.senders import send_one
from tests.cast import Cast, present
from tests.destinations.kinds.notice_bodies import body
from tests.destinations.kinds.stand_in import RedirectedClient
from tests.stand_ins.outgoing_posts import fresh, make_incident, owe, store_destination
from tests.stand_ins.receivers import Answer, Receiver


@pytest.mark.parametrize(
    ("host", "is_global", "is_shared"),
    [
        ("discord.com", True, True),
        ("DISCORD.com:443", True, True),
        ("ptb.discordapp.com", True, True),
        ("discord.com", False, False),
        ("discord.com.example.org", True, False),
        ("notdiscord.com", True, False),
        ("example.org", True, False),
    ],
)
def test_a_global_limit_of_discord_pauses_all_its_webhooks(
    cast: Cast, receiver: Receiver, host: str, is_global: bool, is_shared: bool
) -> None:
    answering = store_destination(cast.workspace, "discord", Config({}, {"url": f"https://{host}/api/webhooks/1/t"}))
    other = store_destination(cast.foreign, "discord", Config({}, {"url": "https://discord.com/api/webhooks/2/t"}))
    receiver.answer = Answer(429, b'{"retry_after": 10, "global": %s}' % (b"true" if is_global else b"false"))
    owe(answering, make_incident(cast), 1, body=body().decode())
    began = present()
    ((claimed, state),) = claim_due(began, 1).calls

    record_results([send_one(claimed, state, RedirectedClient(receiver), present)], present())

    assert len(receiver.requests) == 1
    assert fresh(answering).next_call_at >= began + timedelta(seconds=10)
    rests_until = fresh(other).next_call_at
    assert (rests_until is not None and rests_until >= began + timedelta(seconds=10)) is is_shared
