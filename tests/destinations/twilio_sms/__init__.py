"""Twilio: a stand-in as strict as its documentation, and the rows of its kind in the tests of all kinds."""

from __future__ import annotations

import base64
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from tests.destinations.kinds.documented import Documented, several
from tests.destinations.kinds.rates import limited
from tests.destinations.kinds.stand_in import (
    MESSAGE,
    RETRY,
    STOP,
    Case,
    Row,
    StandIn,
    given,
    members,
    text_of,
)
from tests.stand_ins.receivers import Answer, Request

TWILIO_ACCOUNT, TWILIO_KEY, TWILIO_SECRET = "AC" + "0" * 32, "SK" + "1" * 32, "SecretOfTwilio"


class Twilio(StandIn):
    """Twilio, with a number that sends. `reports_to` are the addresses for reports on the messages; `hosts` those it can reach."""

    origin = "https://api.twilio.com"
    hosts = frozenset({"inbox.example.org"})

    def __init__(self) -> None:
        super().__init__()
        self.reports_to: list[str] = []

    def answer(self, request: Request) -> Answer:
        assert (request.method, request.path) == ("POST", f"/2010-04-01/Accounts/{TWILIO_ACCOUNT}/Messages.json")
        assert request.headers["content-type"] == "application/x-www-form-urlencoded"
        pair = f"{TWILIO_KEY}:{TWILIO_SECRET}".encode()
        assert request.headers["authorization"] == f"Basic {base64.b64encode(pair).decode()}"
        pairs = parse_qsl(request.body.decode(), keep_blank_values=True, strict_parsing=True)
        form = dict(pairs)
        assert len(pairs) == len(form), "a parameter is given twice"
        members(form, "To From Body", "ValidityPeriod StatusCallback")
        if "StatusCallback" in form:
            address = urlsplit(form["StatusCallback"])
            overrides = dict(pair.split("=") for pair in address.fragment.split("&"))
            assert overrides.keys() <= {"rc", "rp", "ct", "rt", "tt", "e", "sni"}, "unknown connection overrides"
            assert 0 <= int(overrides["rc"]) <= 5
            assert set(overrides["rp"].split(",")) <= {"4xx", "5xx", "ct", "rt", "all"}
            if address.scheme not in ("http", "https") or address.hostname not in self.hosts:
                return given(
                    400, {"code": 21609, "message": "The StatusCallback URL is not a valid URL.", "status": 400}
                )
            self.reports_to.append(urlunsplit(address._replace(fragment="")))
        assert 1 <= int(form["ValidityPeriod"]) <= 14_400
        assert (form["To"], form["From"]) == ("+491700000000", "+15550100")
        assert form["Body"].isprintable() or "\u202e" in form["Body"], "control characters"
        self.show(text_of(form["Body"], 1_600))
        return given(201, {"sid": "SM1", "status": "queued"})


def refused(status: int, code: int) -> Answer:
    return given(status, {"code": code, "message": "no", "status": status})


def too_many(wait: timedelta) -> Answer:
    """No time is named."""
    link = "https://www.twilio.com/docs/errors/20429"
    return limited({"code": 20429, "message": "Too Many Requests", "more_info": link, "status": 429})


CASES = (
    Case(
        "twilio_sms",
        "twilio_sms",
        {
            "accountSid": TWILIO_ACCOUNT,
            "keySid": TWILIO_KEY,
            "keySecret": TWILIO_SECRET,
            "from": "+15550100",
            "to": "+491700000000",
        },
        Twilio,
        too_many=too_many,
        names_wait=False,
    ),
)
ANSWERS: list[Row] = [
    ("twilio_sms", refused(429, 20429), RETRY, None),
    ("twilio_sms", refused(400, 21611), RETRY, None),
    ("twilio_sms", Answer(503), RETRY, None),
    ("twilio_sms", refused(400, 21617), MESSAGE, None),
    ("twilio_sms", refused(400, 21602), MESSAGE, None),
    ("twilio_sms", refused(401, 20003), STOP, None),
    *(("twilio_sms", refused(400, code), STOP, None) for code in (
        10001, 21211, 21408, 21603, 21606, 21608, 21610, 21612, 21614,
    )),
]  # fmt: skip
"""What an answer means, and the pause for which it asks."""

REFUSED: list[tuple[str, dict[str, Any], set[str]]] = [
    ("twilio_sms", {"accountSid": "AC1", "keySid": "XX", "from": "a long name of a sender"}, {"accountSid", "keySid", "from"}),
    ("twilio_sms", {"to": "0170 0000", "keySecret": None}, {"to", "keySecret"}),
]  # fmt: skip
"""Changes of the settings, and the fields at fault."""

PLACES = [
    ("twilio_sms", "accountSid", {"keySecret"}),
    ("twilio_sms", "server", {"keySecret"}),
]
"""The fields that say where a stored secret is sent, and the secrets that a change of one needs."""

OTHER_TEXTS = {"accountSid": f"AC{'9' * 32}", "keySid": f"SK{'9' * 32}", "from": "+15550199", "to": "+491700000009"}
"""Another value of each field that takes a text and is no secret."""

DOCUMENTED = Documented(
    "authorization",
    (("To",), ("From",), ("Body",)),
    {("Body",): (1_600, len)},
    several(("ValidityPeriod",), 1, 14_400),
    (
        *several(("ValidityPeriod",), 0, 14_401, "soon"),
        *several(("To",), "0170000000", "+49170000000x", ""),
        *several(("From",), "+15550199", ""),
        *several(("Body",), "", "a\x00b"),
    ),
)
