"""Pushover: a stand-in as strict as its documentation, and the rows of its kind in the tests of all kinds."""

from __future__ import annotations

import math
import re
import time
from datetime import timedelta
from typing import Any

from tests.destinations.kinds.documented import Documented, several
from tests.destinations.kinds.rates import SECOND, limited
from tests.destinations.kinds.stand_in import (
    MESSAGE,
    RETRY,
    STOP,
    Case,
    Row,
    StandIn,
    given,
    json_of,
    members,
    own_link,
    read_html,
    text_of,
)
from tests.stand_ins.receivers import Answer, Request

PUSHOVER_USER, PUSHOVER_TOKEN = "uSecretUserOfPushover000000000", "aSecretTokenOfPushover00000000"


class Pushover(StandIn):
    """Pushover. `repeating` are the tags of notifications that repeat."""

    origin = "https://api.pushover.net"

    def __init__(self) -> None:
        super().__init__()
        self.repeating: list[str] = []

    def answer(self, request: Request) -> Answer:
        fields = json_of(request)
        assert fields["token"] == PUSHOVER_TOKEN
        if request.path.startswith("/1/receipts/cancel_by_tag/"):
            members(fields, "token")
            tag = re.fullmatch(r"/1/receipts/cancel_by_tag/([^/?]+)\.json", request.path)
            assert tag, request.path
            self.repeating = [each for each in self.repeating if each != tag[1]]
            return given(200, {"status": 1, "request": "r1"})
        assert request.path == "/1/messages.json"
        members(fields, "token user message priority", "title timestamp url url_title device retry expire tags html")
        assert fields["user"] == PUSHOVER_USER
        message = text_of(fields["message"], 1_024)
        assert fields.get("html", 0) in (0, 1)
        shown = f"{text_of(fields['title'], 250)}\n{read_html(message, 'a') if fields.get('html') else message}"
        text_of(own_link(fields["url"]), 512)
        text_of(fields["url_title"], 100)
        assert isinstance(fields["timestamp"], int)
        assert fields["priority"] in (-2, -1, 0, 1, 2)
        if fields["priority"] == 2:
            assert fields["retry"] >= 30
            assert fields["expire"] <= 10_800
            self.repeating.append(text_of(fields["tags"], 255))
        self.show(shown)
        return given(200, {"status": 1, "request": "r1", **({"receipt": "x" * 30} if fields["priority"] == 2 else {})})


def too_many(wait: timedelta) -> Answer:
    """The header has the time at which there are messages again, in seconds of the epoch."""
    fields = {"status": 0, "errors": ["application is over its message quota"], "request": "r1"}
    reset = math.ceil(time.time() + wait / SECOND)
    return limited(fields, X_Limit_App_Limit=10_000, X_Limit_App_Remaining=0, X_Limit_App_Reset=reset)


CASES = (
    Case(
        "pushover",
        "pushover",
        {"user": PUSHOVER_USER, "token": PUSHOVER_TOKEN},
        Pushover,
        too_many=too_many,
        window=600 * SECOND,
    ),
)
TOKEN_REFUSED = {"token": "invalid", "errors": ["application token is invalid"], "status": 0}
USER_REFUSED = {"user": "invalid", "errors": ["user identifier is not valid"], "status": 0}
ANSWERS: list[Row] = [
    ("pushover", given(400, USER_REFUSED), STOP, None),
    ("pushover", given(400, TOKEN_REFUSED), STOP, None),
    ("pushover", given(400, {"errors": ["message cannot be blank"], "status": 0}), MESSAGE, None),
    ("pushover", given(200, {"status": 0, "errors": ["no"]}), MESSAGE, None),
    ("pushover", Answer(500), RETRY, None),
    ("pushover", given(429, {"status": 0, "errors": ["application is over its quota"]}), RETRY, None),
]  # fmt: skip
"""What an answer means, and the pause for which it asks."""

REFUSED: list[tuple[str, dict[str, Any], set[str]]] = [
    ("pushover", {"user": "SecretUser", "token": "SecretToken"}, {"user", "token"}),
    ("pushover", {"emergency": "yes", "device": "a phone"}, {"emergency", "device"}),
]  # fmt: skip
"""Changes of the settings, and the fields at fault."""

OTHER_TEXTS = {"device": "tablet"}
"""Another value of each field that takes a text and is no secret."""

DOCUMENTED = Documented(
    "token",
    (("token",), ("user",), ("message",), ("retry",), ("expire",)),
    {("title",): (250, len), ("message",): (1_024, len), ("url_title",): (100, len)},
    (*several(("priority",), -2, 1), *several(("retry",), 30), *several(("expire",), 10_800)),
    (
        *several(("priority",), -3, 3),
        *several(("retry",), 29),
        *several(("expire",), 10_801),
        *several(("user",), "uSecretUserOfPushover000000001"),
        *several(("message",), ""),
    ),
)
