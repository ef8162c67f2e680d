"""PagerDuty: a stand-in as strict as its documentation, and the rows of its kind in the tests of all kinds."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

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
    text_of,
)
from tests.stand_ins.receivers import Answer, Request

PAGERDUTY_KEY = "R0SecretOfPagerDuty0123456789ABC"


class PagerDuty(StandIn):
    """PagerDuty: `messages` are the alerts by their keys."""

    origin = "https://events.eu.pagerduty.com"

    def answer(self, request: Request) -> Answer:
        assert request.path == "/v2/enqueue"
        assert len(request.body) <= 512 * 1024
        event = json_of(request)
        assert event["routing_key"] == PAGERDUTY_KEY
        key = text_of(event["dedup_key"], 255)
        if event["event_action"] == "trigger":
            members(event, "routing_key event_action dedup_key payload", "client client_url links")
            self.show(f"triggered {self._read(event)}", key)
        else:
            members(event, "routing_key event_action dedup_key")
            words = {"acknowledge": "ACKNOWLEDGED", "resolve": "RESOLVED"}
            if key in self.messages:
                self.messages[key] = f"{words[event['event_action']]} {self.messages[key].split(' ', 1)[1]}"
        return given(202, {"status": "success", "message": "Event processed", "dedup_key": key})

    def _read(self, event: Any) -> str:
        payload = members(event["payload"], "summary source severity", "timestamp custom_details")
        assert payload["severity"] in ("critical", "error", "warning", "info")
        own_link(members(event["links"][0], "href text")["href"])
        own_link(event["client_url"])
        assert text_of(payload["source"], 1_024)
        return f"{text_of(payload['summary'], 1_024)}\n{payload['custom_details']['Reason']}"


def too_many(wait: timedelta) -> Answer:
    """No time is named."""
    message = "Requests for this service are arriving too quickly. Please retry later."
    return limited({"status": "throttle exceeded", "message": message})


CASES = (
    Case(
        "pagerduty",
        "pagerduty",
        {"routingKey": PAGERDUTY_KEY, "region": "eu"},
        PagerDuty,
        too_many=too_many,
        names_wait=False,
        window=60 * SECOND,
        published="PagerDuty",
    ),
)
ANSWERS: list[Row] = [
    ("pagerduty", given(400, {"status": "invalid event", "errors": ["'routing_key' is invalid"]}), STOP, None),
    ("pagerduty", given(400, {"status": "invalid event", "errors": ["'payload.summary' is missing"]}), MESSAGE, None),
    ("pagerduty", Answer(400, b"not JSON"), MESSAGE, None),
    ("pagerduty", Answer(429), RETRY, 60),
    ("pagerduty", Answer(500), RETRY, None),
]  # fmt: skip
"""What an answer means, and the pause for which it asks."""

REFUSED: list[tuple[str, dict[str, Any], set[str]]] = [
    ("pagerduty", {"routingKey": "SecretKey", "region": "mars"}, {"routingKey", "region"}),
]  # fmt: skip
"""Changes of the settings, and the fields at fault."""

PLACES = [
    ("pagerduty", "region", {"routingKey"}),
]
"""The fields that say where a stored secret is sent, and the secrets that a change of one needs."""
