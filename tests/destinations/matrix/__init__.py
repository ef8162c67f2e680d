"""Matrix: a stand-in as strict as its documentation, and the rows of its kind in the tests of all kinds."""

from __future__ import annotations

import json
import math
import re
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
    bearer,
    given,
    json_of,
    members,
    read_html,
    text_of,
)
from tests.stand_ins.receivers import Answer, Request

MATRIX_TOKEN, MATRIX_ROOM = "syt_SecretOfMatrix", "!abcdefg:example.org"
LARGEST_EVENT = 40 * 1024
"""Of Matrix, in bytes. An event may have 64 KiB with what servers add to it."""
_ROOM = "/_matrix/client/v3/rooms/%21abcdefg%3Aexample.org/send/m.room.message/"


class Matrix(StandIn):
    """Matrix. A repeated transaction id gives the event of the first call."""

    origin = "https://matrix.example.org"

    def __init__(self) -> None:
        super().__init__()
        self.transactions: dict[str, str] = {}

    def answer(self, request: Request) -> Answer:
        bearer(request, MATRIX_TOKEN)
        event = json_of(request, "PUT")
        assert len(request.body) <= LARGEST_EVENT
        assert request.path.startswith(_ROOM), request.path
        transaction = request.path.removeprefix(_ROOM)
        assert re.fullmatch(r"[A-Za-z0-9._~-]+", transaction)
        if transaction not in self.transactions:
            self.transactions[transaction] = self._take(event)
        return given(200, {"event_id": self.transactions[transaction]})

    def _take(self, event: Any) -> str:
        relation = event.get("m.relates_to", {})
        assert ("m.new_content" in event) == (relation.get("rel_type") == "m.replace")
        text = self._read(
            {name: value for name, value in event.items() if name not in ("m.relates_to", "m.new_content")}
        )
        match relation.get("rel_type"):
            case "m.replace":
                members(relation, "rel_type event_id")
                assert event["body"].startswith("* ")
                assert relation["event_id"] in self.messages
                self.messages[relation["event_id"]] = self._read(event["m.new_content"])
                return f"$edit{len(self.transactions)}"
            case "m.thread":
                members(relation, "rel_type event_id is_falling_back m.in_reply_to")
                assert relation["event_id"] in self.messages
                assert relation["is_falling_back"] is True
                assert relation["m.in_reply_to"] == {"event_id": relation["event_id"]}
            case _:
                assert relation == {}
        return self.show(text, f"$event{len(self.transactions)}")

    def _read(self, content: Any) -> str:
        members(content, "msgtype body m.mentions", "format formatted_body")
        assert content["msgtype"] in ("m.text", "m.notice")
        mentioned = json.dumps(content["m.mentions"])
        assert mentioned == "{}" or (self.mention and self.mention in mentioned)
        text_of(content["body"], LARGEST_EVENT)
        if "formatted_body" not in content:
            assert "format" not in content
            return text_of(content["body"], 10_000)
        assert content["format"] == "org.matrix.custom.html"
        return read_html(content["formatted_body"], "b br a")


def refused(status: int, code: str, **fields: int) -> Answer:
    return given(status, {"errcode": code, "error": "no", **fields})


def too_many(wait: timedelta) -> Answer:
    """As older servers answer: the time is in milliseconds, and in the body alone."""
    fields = {"errcode": "M_LIMIT_EXCEEDED", "error": "Too Many Requests"}
    return limited({**fields, "retry_after_ms": math.ceil(wait / SECOND * 1_000)})


CASES = (
    Case(
        "matrix",
        "matrix",
        {"server": "https://matrix.example.org", "token": MATRIX_TOKEN, "roomId": MATRIX_ROOM},
        Matrix,
        edits=True,
        too_many=too_many,
        with_address=lambda address: {"server": address},
    ),
)
ANSWERS: list[Row] = [
    ("matrix", refused(429, "M_LIMIT_EXCEEDED", retry_after_ms=2_500), RETRY, 2.5),
    ("matrix", Answer(429, refused(429, "M_LIMIT_EXCEEDED").body, {"Retry-After": "8"}), RETRY, 8),
    ("matrix", Answer(502, b"<html>proxy</html>"), RETRY, None),
    ("matrix", refused(401, "M_UNKNOWN_TOKEN"), STOP, None),
    ("matrix", refused(401, "M_MISSING_TOKEN"), STOP, None),
    ("matrix", refused(403, "M_USER_DEACTIVATED"), STOP, None),
    ("matrix", refused(403, "M_FORBIDDEN"), STOP, None),
    ("matrix", refused(404, "M_NOT_FOUND"), STOP, None),
    ("matrix", refused(413, "M_TOO_LARGE"), MESSAGE, None),
    *(("matrix", refused(400, code), MESSAGE, None) for code in ("M_BAD_JSON", "M_NOT_JSON", "M_INVALID_PARAM")),
]  # fmt: skip
"""What an answer means, and the pause for which it asks."""

REFUSED: list[tuple[str, dict[str, Any], set[str]]] = [
    ("matrix", {"roomId": "#ops:example.org"}, {"roomId"}),
    ("matrix", {"token": "Secret Token", "server": None}, {"token", "server"}),
]  # fmt: skip
"""Changes of the settings, and the fields at fault."""

PLACES = [
    ("matrix", "server", {"token"}),
]
"""The fields that say where a stored secret is sent, and the secrets that a change of one needs."""

OTHER_TEXTS = {"roomId": "!other:example.org"}
"""Another value of each field that takes a text and is no secret."""

HTML = ("m.new_content", "formatted_body")
RELATION = ("m.relates_to",)
DOCUMENTED = Documented(
    "authorization",
    (("msgtype",), ("body",), ("format",), ("m.new_content",), (*RELATION, "rel_type"), (*RELATION, "event_id")),
    {},
    several(("msgtype",), "m.text", "m.notice"),
    (
        *several(("msgtype",), "m.unknown", ""),
        *several(("format",), "text/html"),
        *several(HTML, "<script>x</script>", "<b onclick='x'>x</b>", "<a href='https://evil.example'>x</a>"),
        *several(("m.mentions",), {"room": True}),
        *several((*RELATION, "event_id"), "$unknown"),
        *several((*RELATION, "rel_type"), "m.other"),
        *several((*RELATION, "is_falling_back"), False),
    ),
)
MENTIONS = [
    ("matrix", "@room", '"room": true'),
    ("matrix", "@olga:example.org", '"user_ids": ["@olga:example.org"]'),
]
"""Settings of a mention, and what a message has then."""

EFFECTS = ("<script>alert(1)</script> \\u", "href='https://evil")
"""What a text of a sender must not contain in the request of a digest."""
