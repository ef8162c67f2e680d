"""Calls by Twilio: a stand-in as strict as its documentation, and the rows of its kind in the tests of all kinds."""

from __future__ import annotations

import base64
from typing import Any
from urllib.parse import parse_qsl

from tests.destinations.kinds.documented import Documented, several
from tests.destinations.kinds.stand_in import MESSAGE, RETRY, STOP, Case, Row, StandIn, given, members, text_of
from tests.destinations.twilio_sms import TWILIO_ACCOUNT, TWILIO_KEY, TWILIO_SECRET, refused, too_many
from tests.stand_ins.receivers import Answer, Request
from tests.stand_ins.twiml import said


class TwilioCalls(StandIn):
    """Twilio, with a number that calls."""

    origin = "https://api.twilio.com"

    def answer(self, request: Request) -> Answer:
        assert (request.method, request.path) == ("POST", f"/2010-04-01/Accounts/{TWILIO_ACCOUNT}/Calls.json")
        assert request.headers["content-type"] == "application/x-www-form-urlencoded"
        pair = f"{TWILIO_KEY}:{TWILIO_SECRET}".encode()
        assert request.headers["authorization"] == f"Basic {base64.b64encode(pair).decode()}"
        pairs = parse_qsl(request.body.decode(), keep_blank_values=True, strict_parsing=True)
        form = dict(pairs)
        assert len(pairs) == len(form), "a parameter is given twice"
        members(form, "To From Twiml", "Timeout StatusCallback")
        assert (form["To"], form["From"]) == ("+491700000000", "+15550100")
        assert 1 <= int(form["Timeout"]) <= 600
        words = said(form["Twiml"])
        assert words[0] == words[1], "it is said twice"
        self.show(text_of(words[0], 4_096))
        return given(201, {"sid": "CA1", "status": "queued"})


CASES = (
    Case(
        "twilio_voice",
        "twilio_voice",
        {
            "accountSid": TWILIO_ACCOUNT,
            "keySid": TWILIO_KEY,
            "keySecret": TWILIO_SECRET,
            "from": "+15550100",
            "to": "+491700000000",
        },
        TwilioCalls,
        too_many=too_many,
        names_wait=False,
    ),
)
ANSWERS: list[Row] = [
    ("twilio_voice", refused(429, 20429), RETRY, None),
    ("twilio_voice", Answer(503), RETRY, None),
    ("twilio_voice", refused(400, 21205), MESSAGE, None),
    ("twilio_voice", refused(401, 20003), STOP, None),
    *(("twilio_voice", refused(400, code), STOP, None) for code in (10001, 21210, 21211, 21215, 21217)),
]  # fmt: skip
"""What an answer means, and the pause for which it asks."""

REFUSED: list[tuple[str, dict[str, Any], set[str]]] = [
    ("twilio_voice", {"accountSid": "AC1", "keySid": "XX", "from": "a sender"}, {"accountSid", "keySid", "from"}),
    ("twilio_voice", {"to": "0170 0000", "keySecret": None}, {"to", "keySecret"}),
]
"""Changes of the settings, and the fields at fault."""

PLACES = [
    ("twilio_voice", "accountSid", {"keySecret"}),
    ("twilio_voice", "server", {"keySecret"}),
]
"""The fields that say where a stored secret is sent, and the secrets that a change of one needs."""

OTHER_TEXTS = {"accountSid": f"AC{'9' * 32}", "keySid": f"SK{'9' * 32}", "from": "+15550199", "to": "+491700000009"}
"""Another value of each field that takes a text and is no secret."""

DOCUMENTED = Documented(
    "authorization",
    (("To",), ("From",), ("Twiml",)),
    {},
    several(("Timeout",), 1, 600),
    (
        *several(("Timeout",), 0, 601, "soon"),
        *several(("To",), "0170000000", "+49170000000x", ""),
        *several(("From",), "+15550199", ""),
        *several(("Twiml",), "", "<Response><Shout>a</Shout></Response>"),
    ),
)
