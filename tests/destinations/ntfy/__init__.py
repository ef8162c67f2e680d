"""ntfy: a stand-in as strict as its documentation, and the rows of its kind in the tests of all kinds."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

from inbox.destinations.layout import utf8_length
from tests.destinations.kinds.documented import Documented, several
from tests.destinations.kinds.rates import limited
from tests.destinations.kinds.stand_in import (
    MESSAGE,
    RETRY,
    STOP,
    Case,
    Row,
    StandIn,
    bearer,
    given,
    json_of,
    members,
    own_link,
    text_of,
)
from tests.stand_ins.receivers import Answer, Request

NTFY_TOKEN = "tk_SecretOfNtfy"


class Ntfy(StandIn):
    """ntfy from version 2.16 on: a later notification replaces that with its sequence id."""

    origin = "https://ntfy.sh"

    def answer(self, request: Request) -> Answer:
        bearer(request, NTFY_TOKEN)
        assert request.path == "/", "JSON sent to a topic is shown as it is"
        fields = members(json_of(request), "topic message", "title priority click actions sequence_id")
        assert fields["topic"] == "ops-3f9a2c"
        text_of(fields["message"], 4_096, utf8_length)
        assert fields["priority"] in (1, 2, 3, 4, 5)
        assert isinstance(fields["title"], str)
        assert len(fields["actions"]) <= 3
        for action in fields["actions"]:
            assert action["action"] in ("view", "http")
            own_link(members(action, "action label url", "clear")["url"])
            assert isinstance(action["label"], str)
        own_link(fields["click"])
        assert re.fullmatch(r"[-_A-Za-z0-9]{1,64}", fields.get("sequence_id", "x"))
        id = self.show(f"{fields['title']}\n{fields['message']}", fields.get("sequence_id"))
        if fields["priority"] < 3:
            self.alerts.pop()
        return given(200, {"id": "n1", "event": "message", "sequence_id": id})


def refused(code: int) -> Answer:
    return given(code // 100, {"code": code, "http": code // 100, "error": "no"})


def too_many(wait: timedelta) -> Answer:
    """No time is named."""
    error, link = "limit reached: too many requests", "https://ntfy.sh/docs/publish/#limitations"
    return limited({"code": 42901, "http": 429, "error": error, "link": link})


CASES = (Case("ntfy", "ntfy", {"topic": "ops-3f9a2c", "token": NTFY_TOKEN}, Ntfy, too_many=too_many, names_wait=False),)
ANSWERS: list[Row] = [
    *(("ntfy", refused(code), RETRY, None) for code in (42901, 42905, 42909, 50001)),
    *(("ntfy", refused(code), MESSAGE, None) for code in (40001, 41301, 50701)),
    *(("ntfy", refused(code), STOP, None) for code in (40009, 40010, 40101, 40301, 40401)),
]  # fmt: skip
"""What an answer means, and the pause for which it asks."""

REFUSED: list[tuple[str, dict[str, Any], set[str]]] = [
    ("ntfy", {"topic": "ops/secret"}, {"topic"}),
    ("ntfy", {"topic": "a" * 65}, {"topic"}),
    ("ntfy", {"user": "olga"}, {"password"}),
    ("ntfy", {"password": "SecretPassword"}, {"password"}),
    ("ntfy", {"user": "olga", "password": "SecretPassword"}, {"token"}),
    ("ntfy", {"token": "SecretTokén"}, {"token"}),
]  # fmt: skip
"""Changes of the settings, and the fields at fault."""

PLACES = [
    ("ntfy", "server", {"token"}),
    ("ntfy_password", "server", {"password"}),
]
"""The fields that say where a stored secret is sent, and the secrets that a change of one needs."""

MORE_SETTINGS = {
    "ntfy_password": {"topic": "ops-3f9a2c", "user": "olga", "password": "correct horse battery staple"},
}
"""Further forms of the settings, by name."""

OTHER_TEXTS = {"topic": "other", "user": "mallory"}
"""Another value of each field that takes a text and is no secret."""

DOCUMENTED = Documented(
    "authorization",
    (("topic",), ("message",), ("actions", 0, "action"), ("actions", 0, "label"), ("actions", 0, "url")),
    {("message",): (4_096, utf8_length), ("sequence_id",): (64, len)},
    several(("priority",), 1, 5),
    (
        *several(("priority",), 0, 6, "5"),
        *several(("sequence_id",), "", "a/b", "a b", "é"),
        *several(("topic",), "other", ""),
        *several(("actions", 0, "action"), "email"),
        *several(("actions",), [{"action": "view", "label": "Open", "url": "x"}] * 4),
        *several(("message",), ""),
    ),
)
