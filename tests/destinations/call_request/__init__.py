"""Calls by HTTP: a telephone system as a stand-in, and the rows of the kind in the tests of all kinds."""

from __future__ import annotations

from typing import Any

from tests.destinations.kinds.documented import Documented, several
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
    text_of,
)
from tests.stand_ins.receivers import SECRET, Answer, Request

TOKEN = "SecretOfTheExchange"


class Exchange(StandIn):
    """Stands for a telephone system that takes the documented requests."""

    origin = "https://pbx.example.org"

    def answer(self, request: Request) -> Answer:
        bearer(request, TOKEN)
        assert request.path == "/calls"
        fields = members(json_of(request), "id to text severity title source keys keysText answerUrl statusUrl")
        assert request.has_signature_of(SECRET) and request.id == fields["id"]
        assert fields["to"] == "+491700000000"
        assert fields["keys"] == {} and fields["answerUrl"] is None
        self.show(text_of(fields["text"], 240))
        return given(202, {})


CASES = (
    Case(
        "call_request",
        "call_request",
        {
            "url": "https://pbx.example.org/calls",
            "secret": SECRET,
            "headers": {"Authorization": f"Bearer {TOKEN}"},
            "to": "+491700000000",
        },
        Exchange,
        is_limited=False,
    ),
)
ANSWERS: list[Row] = [
    ("call_request", Answer(503), RETRY, None),
    ("call_request", Answer(400), MESSAGE, None),
    ("call_request", Answer(410), STOP, None),
]
"""What an answer means, and the pause for which it asks."""

REFUSED: list[tuple[str, dict[str, Any], set[str]]] = [
    ("call_request", {"url": "ftp://pbx.example.org", "to": "0170 0000"}, {"url", "to"}),
    ("call_request", {"secret": "short"}, {"secret"}),
]
"""Changes of the settings, and the fields at fault."""

PLACES = [("call_request", "url", {"headers"})]
"""The fields that say where a stored secret is sent, and the secrets that a change of one needs."""

OTHER_TEXTS = {"url": "https://pbx.example.net/calls", "to": "+491700000009"}
"""Another value of each field that takes a text and is no secret."""

DOCUMENTED = Documented("authorization", (("to",), ("text",)), {}, (), several(("to",), "0170", ""))
