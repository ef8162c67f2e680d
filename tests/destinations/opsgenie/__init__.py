"""Opsgenie: a stand-in as strict as its documentation, and the rows of its kind in the tests of all kinds."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

from tests.destinations.kinds.documented import Documented, several
from tests.destinations.kinds.rates import SECOND, limited, whole
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
    text_of,
)
from tests.stand_ins.receivers import Answer, Request

OPSGENIE_KEY = "Secret00-0000-0000-0000-OpsgenieSecr"
FIELD_OF_ALERT = {"message": 130, "alias": 512, "description": 15_000, "entity": 512, "source": 100}
LONGEST_DETAILS, LONGEST_NOTE = 8_000, 25_000


class Opsgenie(StandIn):
    """Opsgenie: `messages` are the alerts by their aliases."""

    origin = "https://api.atlassian.com"

    def answer(self, request: Request) -> Answer:
        path = request.path.removeprefix("/jsm/ops/integration/v2/alerts")
        assert path != request.path
        assert request.headers["authorization"] == f"GenieKey {OPSGENIE_KEY}"
        fields = json_of(request)
        if path == "":
            members(fields, "message alias", "description priority source entity details")
            for name, most in FIELD_OF_ALERT.items():
                assert isinstance(fields[name], str), name
                assert len(fields[name]) <= most, name
            assert fields["message"], "an alert has a message"
            assert fields["priority"] in ("P1", "P2", "P3", "P4", "P5")
            assert all(isinstance(value, str) for value in fields["details"].values())
            assert sum(map(len, fields["details"].values())) <= LONGEST_DETAILS
            self.show(f"open {fields['message']}\n{fields['description']}", fields["alias"])
        else:
            text_of(members(fields, "source", "note")["source"], FIELD_OF_ALERT["source"])
            text_of(fields.get("note", "none"), LONGEST_NOTE)
            found = re.fullmatch(r"/([^/?]+)/(close|acknowledge)\?identifierType=alias", path)
            assert found, path
            if found[1] not in self.messages:
                return given(404, {"message": "Alert does not exist"})
            word = {"close": "RESOLVED", "acknowledge": "ACKNOWLEDGED"}[found[2]]
            self.messages[found[1]] = f"{word} {self.messages[found[1]].split(' ', 1)[1]}"
        return given(202, {"result": "Request will be processed", "took": 0.1, "requestId": "r1"})


def too_many(wait: timedelta) -> Answer:
    fields = {"message": "You are making too many requests!", "took": 0.0, "requestId": "r1"}
    limit = {"X_RateLimit_State": "THROTTLED", "X_RateLimit_Reason": "ACCOUNT"}
    return limited(fields, X_RateLimit_Period_In_Sec=whole(wait), **limit)


CASES = (
    Case(
        "opsgenie",
        "opsgenie",
        {"apiKey": OPSGENIE_KEY, "service": "jira"},
        Opsgenie,
        too_many=too_many,
        window=60 * SECOND,
    ),
)
ANSWERS: list[Row] = [
    ("opsgenie", given(429, {"message": "slow"}, **{"X-RateLimit-Period-In-Sec": "60"}), RETRY, 60),
    ("opsgenie", Answer(503), RETRY, None),
    *(("opsgenie", given(status, {"message": "no"}), STOP, None) for status in (401, 402, 403)),
    *(("opsgenie", given(status, {"message": "no"}), MESSAGE, None) for status in (400, 422)),
]  # fmt: skip
"""What an answer means, and the pause for which it asks."""

REFUSED: list[tuple[str, dict[str, Any], set[str]]] = [
    ("opsgenie", {"apiKey": "Secret Key", "service": "mars"}, {"apiKey", "service"}),
]  # fmt: skip
"""Changes of the settings, and the fields at fault."""

PLACES = [
    ("opsgenie", "service", {"apiKey"}),
]
"""The fields that say where a stored secret is sent, and the secrets that a change of one needs."""

DOCUMENTED = Documented(
    "authorization",
    (("message",), ("alias",)),
    {
        ("message",): (130, len),
        ("alias",): (512, len),
        ("description",): (15_000, len),
        ("entity",): (512, len),
        ("source",): (100, len),
        ("note",): (25_000, len),
    },
    several(("priority",), "P1", "P5"),
    (
        *several(("priority",), "P0", "P6", 1),
        *several(("message",), ""),
        *several(("details",), {"a": "x" * 4_000, "b": "x" * 4_001}, {"a": 1}),
    ),
)
