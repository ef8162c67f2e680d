"""Action links of messages: the states and destinations that send them, and their acts."""

from __future__ import annotations

import re
from typing import Any

import pytest

from inbox.config.settings import current
from inbox.destinations import Config
from inbox.domain.deliveries import notices
from inbox.domain.deliveries.notices import NoticeFields
from inbox.domain.incidents.incident import Act, State
from inbox.domain.incidents.state_machine import Reason
from inbox.domain.values import ids
from inbox.flow.delivery.deliver import deliver
from inbox.identity import action_links
from inbox.models.deliveries.destinations import Destination
from tests.cast import NOW, Cast, present
from tests.stand_ins.outgoing_posts import make_destination, make_incident, owe, store_destination
from tests.stand_ins.receivers import Answer, Receiver

LINK = re.compile(r"https?://[^\"\s)]+/act/([A-Za-z0-9._-]+)")


def chat(cast: Cast, receiver: Receiver, kind: str = "teams", **config: Any) -> Destination:
    secrets = {"url": receiver.url, "token": "tk_1"}
    return store_destination(cast.workspace, kind, Config({"urlHint": "…oken", **config}, secrets), name="Receiver")


def sent_acts(cast: Cast, destination: Destination, receiver: Receiver, state: str = "open") -> list[Act]:
    """The acts of the links of one message about an incident in this state."""
    incident = make_incident(cast)
    about = NoticeFields(
        title="Disk full", severity="ERROR", state=state, source_name="Backups", workspace_name="Home",
        incident_id=ids.encode("inc", incident.id), first_seen_at=NOW, url="https://inbox.example.org/w/home",
    )  # fmt: skip
    body = notices.body_text(notices.payload(Reason.OPENED, about, NOW))
    owe(destination, incident, 1, body=body)
    receiver.script(Answer(200, b"{}"))
    deliver(present)
    tokens = LINK.findall(receiver.requests[-1].body.decode())
    permissions = [action_links.verify(current().signing_key, token, present()) for token in tokens]
    assert all((each.incident_id, each.destination_id) == (incident.id, destination.id) for each in permissions)
    return [each.act for each in permissions]


@pytest.mark.parametrize(
    ("state", "acts"),
    [
        (State.OPEN, [Act.ACKNOWLEDGE, Act.RESOLVE]),
        (State.SNOOZED, [Act.ACKNOWLEDGE, Act.RESOLVE]),
        (State.ACKNOWLEDGED, [Act.RESOLVE]),
        (State.SILENCED, [Act.RESOLVE]),
        (State.RESOLVED, []),
    ],
)
def test_a_message_has_links_for_the_acts_that_its_state_allows(
    cast: Cast, receiver: Receiver, state: State, acts: list[Act]
) -> None:
    assert sent_acts(cast, chat(cast, receiver), receiver, str(state)) == acts


@pytest.mark.parametrize(
    ("kind", "config", "has_links"),
    [
        ("teams", {}, True), ("teams", {"actionLinks": True}, True), ("teams", {"actionLinks": False}, False),
        ("ntfy", {}, False), ("ntfy", {"actionLinks": True}, True), ("ntfy", {"actionLinks": False}, False),
    ],
)  # fmt: skip
def test_the_settings_of_a_destination_decide(
    cast: Cast, receiver: Receiver, kind: str, config: dict[str, Any], has_links: bool
) -> None:
    destination = chat(cast, receiver, kind, server=receiver.url, topic="ops", **config)

    assert bool(sent_acts(cast, destination, receiver)) is has_links


def test_a_webhook_has_none(cast: Cast, receiver: Receiver) -> None:
    assert sent_acts(cast, make_destination(cast.workspace, receiver), receiver) == []
