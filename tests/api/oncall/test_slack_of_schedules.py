"""What follows a schedule in Slack, over HTTP (specification 23.23)."""

from __future__ import annotations

from typing import Any

import pytest

from inbox.destinations.base import Config
from inbox.models.deliveries.destinations import Destination
from tests.api.oncall.test_schedules import (
    Browsers,
    path,  # noqa: F401
    pointers,
    schedule,  # noqa: F401
    workspace,  # noqa: F401
)
from tests.cast import Cast, typeid
from tests.stand_ins.outgoing_posts import make_destination, store_destination

BOT = Config({"channel": "C0123456789"}, {"token": "xoxb-1-secret"})


@pytest.fixture
def chat(cast: Cast) -> Destination:
    return store_destination(cast.workspace, "slack", BOT)


def given(destination: Destination, **fields: Any) -> dict[str, Any]:
    return {"slack": {"destinationId": typeid("dst", destination.id), "setsTopic": True, **fields}}


def test_an_administrator_chooses_what_follows_in_slack(browser: Browsers, path: str, chat: Destination) -> None:
    adam = browser("adam")
    answer = adam.patch(path, given(chat, userGroupId="S0123456789"))

    assert answer.status_code == 200, answer.json
    assert browser("vic").get(path).json["slack"] == {
        "destinationId": typeid("dst", chat.id), "userGroupId": "S0123456789", "setsTopic": True,
        "failingSince": None, "failure": None,
    }  # fmt: skip
    assert adam.patch(path, {"name": "Renamed"}).json["slack"] is not None
    assert adam.patch(path, {"slack": None}).json["slack"] is None
    assert browser("mia").patch(path, given(chat)).status_code == 403


@pytest.mark.parametrize("group", ["S", "s0123456789", "S0123456789 ", "S" + "A" * 21, "@team"])
def test_a_user_group_is_an_id(browser: Browsers, path: str, chat: Destination, group: str) -> None:
    assert pointers(browser("adam").patch(path, given(chat, userGroupId=group))) == ["/slack/userGroupId"]


def test_only_a_bot_of_slack_in_the_same_workspace_follows(browser: Browsers, cast: Cast, path: str) -> None:
    adam = browser("adam")
    webhook = store_destination(cast.workspace, "slack", Config({}, {"url": "https://hooks.slack.com/services/a"}))
    others = [
        webhook,
        make_destination(cast.workspace, "http://127.0.0.1:9/"),
        store_destination(cast.foreign, "slack", BOT),
    ]

    found = [pointers(adam.patch(path, given(each))) for each in others]

    assert found == [["/slack/destinationId"]] * 3


def test_something_must_follow(browser: Browsers, path: str, chat: Destination) -> None:
    assert pointers(browser("adam").patch(path, given(chat, setsTopic=False))) == ["/slack"]
