"""Teams: a stand-in as strict as its documentation, and the rows of its kind in the tests of all kinds."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

from tests.destinations.kinds.rates import limited, whole
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

TEAMS_PATH = "/workflows/a0/triggers/manual/paths/invoke?api-version=1&sig=Secret%2Bof-Teams"


class Teams(StandIn):
    """Microsoft Teams, by a workflow. It takes an adaptive card of version 1.4."""

    origin = "https://prod-00.westeurope.logic.azure.com"

    def answer(self, request: Request) -> Answer:
        assert request.path == TEAMS_PATH, "the signature was written in another way"
        assert len(request.body) <= 20 * 1024
        message = members(json_of(request), "type attachments")
        assert message["type"] == "message"
        (attachment,) = message["attachments"]
        members(attachment, "contentType contentUrl content")
        assert attachment["contentType"] == "application/vnd.microsoft.card.adaptive"
        self.show(self._read(attachment["content"]))
        return Answer(202)

    def _read(self, card: Any) -> str:
        members(card, "$schema type version body", "fallbackText msteams actions")
        assert (card["type"], card["version"]) == ("AdaptiveCard", "1.4")
        for action in card["actions"]:
            members(action, "type title url")
            assert action["type"] == "Action.OpenUrl"
            own_link(action["url"])
        texts = [text.removeprefix(self.mention) for element in card["body"] for text in self._texts(element)]
        for text in texts:
            assert not re.search(r"[*_\[\]`#](?!\u200b)", text), text
            assert not re.search(r"(?<!\n)\n(?!\n)", text), "a single line break is not shown"
        return "\n".join(texts)

    def _texts(self, element: Any) -> list[str]:
        if element["type"] == "FactSet":
            assert members(element, "type facts")["facts"]
            return [text_of(members(fact, "title value")["value"], 1_000) for fact in element["facts"]]
        members(element, "type text", "size weight color wrap")
        assert element["type"] == "TextBlock"
        assert element["wrap"] is True
        assert element.get("color", "Default") in ("Default", "Good", "Warning", "Attention")
        return [text_of(element["text"], 10_000)]


def too_many(wait: timedelta) -> Answer:
    error = {"code": "WorkflowTriggerRequestRateLimited", "message": "Too many requests."}
    return limited({"error": error}, Retry_After=whole(wait))


CASES = (Case("teams", "teams", {"url": Teams.origin + TEAMS_PATH}, Teams, too_many=too_many, published="Teams"),)
ANSWERS: list[Row] = [
    ("teams", Answer(429, b"", {"Retry-After": "20"}), RETRY, 20),
    ("teams", Answer(408), RETRY, None),
    ("teams", given(400, {"error": {"code": "WorkflowTriggerIsNotEnabled"}}), STOP, None),
    ("teams", given(400, {"error": {"code": "InvalidRequestContent"}}), MESSAGE, None),
    ("teams", given(401, {"error": {"code": "DirectApiAuthorizationRequired"}}), STOP, None),
    ("teams", Answer(413), MESSAGE, None),
]  # fmt: skip
"""What an answer means, and the pause for which it asks."""

REFUSED: list[tuple[str, dict[str, Any], set[str]]] = [
    ("teams", {"url": "https://contoso.webhook.office.com/SecretAddress"}, {"url"}),
    ("teams", {"url": "x" * 3_000}, {"url"}),
]  # fmt: skip
"""Changes of the settings, and the fields at fault."""

MENTIONS = [
    ("teams", "olga_ops@example.org", "<at>olga_ops@example.org</at>"),
    ("teams", "4f2c1d5e-0000-4000-8000-000000000000", "<at>4f2c1d5e-0000-4000-8000-000000000000</at>"),
]
"""Settings of a mention, and what a message has then."""

EFFECTS = ("](https://evil", "**strong**")
"""What a text of a sender must not contain in the request of a digest."""
