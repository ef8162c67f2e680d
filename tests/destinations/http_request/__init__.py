"""HTTP requests: a ticket system as a stand-in, and the rows of the kind in the tests of all kinds."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote_plus

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
    own_link,
    text_of,
)
from tests.stand_ins.receivers import Answer, Request

TOKEN, KEY = "SecretOfTickets", "SecretKeyOfTickets"
BODY = """{"ticket": {"title": "{{ status }}: {{ title }}", "text": "{{ sentence }}",
  "priority": {% if severity == "CRITICAL" %}1{% else %}{{ 2 if severity == "ERROR" else 3 }}{% endif %},
  "link": "{{ url }}"}, "key": "{{ key }}"}"""


class Tickets(StandIn):
    """Stands for a ticket system with its own JSON format."""

    origin = "https://tickets.example.org"

    def answer(self, request: Request) -> Answer:
        bearer(request, TOKEN)
        place, _, title = request.path.partition("&title=")
        assert place == "/api/tickets?queue=ops"
        assert not set(request.path) & set('"<> \\')
        assert request.headers["idempotency-key"].startswith("dlv_")
        fields = members(json_of(request, "PUT"), "ticket key")
        assert fields["key"] == KEY
        ticket = members(fields["ticket"], "title text priority link")
        assert ticket["priority"] in (1, 2, 3)
        own_link(ticket["link"])
        shown = text_of(ticket["title"], 300)
        assert shown.partition(": ")[2].startswith(unquote_plus(title).removesuffix("…"))
        self.show(f"{shown}\n{text_of(ticket['text'], 1_000)}")
        return given(201, {"id": 1})


SETTINGS = {
    "url": "https://tickets.example.org/api/tickets?queue=ops",
    "method": "PUT",
    "body": BODY,
    "query": "title={{ title }}",
    "headers": {"Authorization": f"Bearer {TOKEN}"},
    "key": KEY,
}
CASES = (Case("http_request", "http_request", SETTINGS, Tickets, is_limited=False),)
ANSWERS: list[Row] = [
    ("http_request", given(400, {"error": "no such queue"}), MESSAGE, None),
    ("http_request", Answer(401), STOP, None),
    ("http_request", Answer(404), STOP, None),
    ("http_request", Answer(429, b"", {"Retry-After": "20"}), RETRY, 20),
    ("http_request", Answer(503), RETRY, None),
]  # fmt: skip
"""What an answer means, and the pause for which it asks."""

REFUSED: list[tuple[str, dict[str, Any], set[str]]] = [
    ("http_request", {"method": "DELETE", "contentType": "text/html"}, {"method", "contentType"}),
    ("http_request", {"headers": {"Host": "SecretHost"}}, {"headers"}),
    ("http_request", {"key": "Secret key"}, {"key"}),
    ("http_request", {"body": "{{ SecretVariable"}, {"body"}),
    ("http_request", {"body": None}, {"body"}),
    ("http_request", {"query": "a={% for x in y %}{% endfor %}"}, {"query"}),
    ("http_request", {"key": None}, {"key"}),
]  # fmt: skip
"""Changes of the settings, and the fields at fault."""

PLACES = [("http_request", "url", {"headers", "key"})]
"""The fields that say where a stored secret is sent, and the secrets that a change of one needs."""

OTHER_TEXTS = {"body": '{"text": "{{ key }}"}', "query": "k={{ key }}"}
"""Another value of each field that takes a text and is no secret."""

DOCUMENTED = Documented(
    "authorization",
    (("ticket", "title"), ("ticket", "text"), ("ticket", "link"), ("key",)),
    {("ticket", "title"): (300, len), ("ticket", "text"): (1_000, len)},
    several(("ticket", "priority"), 1, 3),
    several(("ticket", "priority"), 0, 4, "1"),
)
