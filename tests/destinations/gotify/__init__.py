"""Gotify: a stand-in as strict as its documentation, and the rows of its kind in the tests of all kinds."""

from __future__ import annotations

import re
from typing import Any

from tests.destinations.kinds.documented import Documented, several
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
    plain_markdown,
    text_of,
)
from tests.stand_ins.receivers import Answer, Request

GOTIFY_TOKEN = "ASecretOfGotify"


class Gotify(StandIn):
    """Gotify below a base path."""

    origin = "https://gotify.example.org"

    def answer(self, request: Request) -> Answer:
        assert request.path == "/push/message"
        assert request.headers["x-gotify-key"] == GOTIFY_TOKEN
        fields = members(json_of(request), "message", "title priority extras")
        assert members(fields["extras"], "client::display client::notification")["client::display"] == {
            "contentType": "text/markdown"
        }
        notification = members(fields["extras"]["client::notification"], "click")
        own_link(members(notification["click"], "url")["url"])
        assert 0 <= fields["priority"] <= 10
        assert isinstance(fields["title"], str)
        message, links = text_of(fields["message"], 8_000).rsplit("\n\n", 1)
        for link in links.split(" · "):
            found = re.fullmatch(r"\[(Open|Acknowledge|Resolve|Runbook|Open in sender)\]\(([^()\s]+)\)", link)
            assert found, link
            own_link(found[2])
        self.show(f"{fields['title']}\n{plain_markdown(message)}")
        return given(200, {"id": 1, "appid": 1, "date": "2026-11-22T10:00:00Z"})


SETTINGS = {"server": "https://gotify.example.org/push/", "token": GOTIFY_TOKEN}
CASES = (Case("gotify", "gotify", SETTINGS, Gotify, is_limited=False),)
ANSWERS: list[Row] = [
    ("gotify", given(400, {"error": "Bad Request", "errorCode": 400}), MESSAGE, None),
    ("gotify", given(401, {"error": "Unauthorized", "errorCode": 401}), STOP, None),
    ("gotify", given(403, {"error": "Forbidden", "errorCode": 403}), STOP, None),
    ("gotify", Answer(404), STOP, None),
    ("gotify", Answer(503), RETRY, None),
]  # fmt: skip
"""What an answer means, and the pause for which it asks."""

REFUSED: list[tuple[str, dict[str, Any], set[str]]] = [
    ("gotify", {"token": "Secret\u0416Token", "server": "bad"}, {"token", "server"}),
]  # fmt: skip
"""Changes of the settings, and the fields at fault."""

PLACES = [
    ("gotify", "server", {"token"}),
]
"""The fields that say where a stored secret is sent, and the secrets that a change of one needs."""

DOCUMENTED = Documented(
    "x-gotify-key",
    (("message",),),
    {("message",): (8_000, len)},
    several(("priority",), 0, 10),
    (
        *several(("priority",), -1, 11, "8"),
        *several(("message",), ""),
        *several(("extras", "client::display", "contentType"), "text/html"),
    ),
)
EFFECTS = ("](https://evil",)
"""What a text of a sender must not contain in the request of a digest."""
