"""Discord: a stand-in as strict as its documentation, and the rows of its kind in the tests of all kinds."""

from __future__ import annotations

import re
import time
from datetime import timedelta
from typing import Any

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
    own_link,
    plain_markdown,
    text_of,
    without_action_links,
)
from tests.stand_ins.receivers import Answer, Request

DISCORD_PATH = "/api/webhooks/1234/Secret-of_Discord"


class Discord(StandIn):
    """Discord, by a webhook with a thread."""

    origin = "https://discord.com"

    def answer(self, request: Request) -> Answer:
        path, _, query = request.path.partition("?")
        assert re.fullmatch(r"DiscordBot \(https://\S+, \S+\)", request.headers["user-agent"])
        fields = json_of(request, request.method)
        allowed = fields["allowed_mentions"]
        assert allowed == {"parse": []} or (self.mention and request.method == "POST")
        place = "with_components=true&" * ("components" in fields) + "thread_id=1180000000000000000"
        self._buttons(fields.pop("components", []))
        if request.method == "PATCH":
            assert (path.startswith(f"{DISCORD_PATH}/messages/"), query) == (True, place)
            id = path.rsplit("/", 1)[1]
            if id not in self.messages:
                return given(404, {"code": 10008, "message": "Unknown Message"})
            self.messages[id] = self._read(members(fields, "embeds allowed_mentions"))
            return given(200, {"id": id})
        assert (path, query) == (DISCORD_PATH, f"wait=true&{place}")
        return given(200, {"id": self.show(self._read(members(fields, "allowed_mentions", "embeds content")))})

    def _buttons(self, rows: Any) -> None:
        assert len(rows) <= 5
        for row in rows:
            assert members(row, "type components")["type"] == 1
            assert 0 < len(row["components"]) <= 5
            for each in row["components"]:
                assert members(each, "type style label custom_id")["type"] == 2
                assert each["style"] in (1, 2, 3, 4)
                assert re.fullmatch(
                    r"(acknowledge|resolve|take|escalate):inc_[0-9a-z]{26}", text_of(each["custom_id"], 100)
                )
                text_of(each["label"], 80)

    def _read(self, fields: Any) -> str:
        content = fields.get("content", "").removeprefix(self.mention)
        if content:
            head, *lines, link = text_of(content, 2_000).split("\n")
            own_link(link.strip("<>"))
            return plain_markdown("\n".join([head.replace("**", "", 2), *lines]))
        assert 0 < len(fields["embeds"]) <= 10
        texts = [text for embed in fields["embeds"] for text in self._texts(embed)]
        assert sum(map(len, texts)) <= 6_000
        return "\n".join(map(plain_markdown, texts))

    def _texts(self, embed: Any) -> list[str]:
        members(embed, "title url description color timestamp fields footer")
        own_link(embed["url"])
        assert 0 <= embed["color"] <= 0xFFFFFF
        assert len(embed["fields"]) <= 25
        facts = [
            text_of(each[part], most) for each in embed["fields"] for part, most in (("name", 256), ("value", 1_024))
        ]
        return [
            text_of(embed["title"], 256),
            without_action_links(text_of(embed["description"], 4_096)),
            *facts,
            embed["footer"]["text"],
        ]


def refused(status: int, code: int) -> Answer:
    return given(status, {"code": code, "message": "no"})


def too_many(wait: timedelta) -> Answer:
    """The body has the time as a number with a fraction."""
    fields = {"message": "You are being rate limited.", "retry_after": wait / SECOND, "global": False}
    return limited(fields, Retry_After=whole(wait), X_RateLimit_Scope="user", **discord_allowance(0, wait))


def discord_allowance(left: int, wait: timedelta) -> dict[str, object]:
    """The headers of each answer: how many calls are left, and the time until there are more."""
    return {
        "X-RateLimit-Limit": 5,
        "X-RateLimit-Remaining": left,
        "X-RateLimit-Reset": f"{time.time() + wait / SECOND:.3f}",
        "X-RateLimit-Reset-After": f"{wait / SECOND:.3f}",
        "X-RateLimit-Bucket": "abcd1234",
    }


CASES = (
    Case(
        "discord",
        "discord",
        {"url": f"https://discord.com{DISCORD_PATH}", "threadId": "1180000000000000000"},
        Discord,
        edits=True,
        too_many=too_many,
        allowance=discord_allowance,
        with_address=lambda address: {"url": address + DISCORD_PATH},
        published=lambda call: {"POST": "DiscordPost", "PATCH": "DiscordChange"}[call["method"]],
    ),
)
ANSWERS: list[Row] = [
    ("discord", given(429, {"retry_after": 1.75, "global": False}), RETRY, 1.75),
    ("discord", Answer(429, b"", {"Retry-After": "9"}), RETRY, 9),
    ("discord", refused(400, 20016), RETRY, None),
    ("discord", refused(400, 20028), RETRY, None),
    ("discord", refused(503, 0), RETRY, None),
    ("discord", Answer(403, b"<html>blocked</html>"), RETRY, None),
    ("discord", refused(403, 40333), RETRY, None),
    *(("discord", refused(400, code), MESSAGE, None) for code in (50035, 50006, 50109, 40005, 200000, 240000)),
    *(("discord", refused(400, code), STOP, None) for code in (10003, 50001, 50013, 160005, 220001, 220003)),
    ("discord", refused(404, 10015), STOP, None),
    ("discord", refused(401, 50027), STOP, None),
]  # fmt: skip
"""What an answer means, and the pause for which it asks."""

GONE = [
    *(("discord", refused(400, code)) for code in (10008, 30046, 50083)),
]  # fmt: skip
"""The answers to a change of a message that cannot be changed."""

REFUSED: list[tuple[str, dict[str, Any], set[str]]] = [
    ("discord", {"url": "https://discord.com/channels/SecretAddress"}, {"url"}),
    ("discord", {"threadId": "general"}, {"threadId"}),
]  # fmt: skip
"""Changes of the settings, and the fields at fault."""

OTHER_TEXTS = {"threadId": "1180000000000000001", "publicKey": "0" * 64}
"""Another value of each field that takes a text and is no secret."""

MENTIONS = [
    ("discord", "role:118000000000000000", "<@&118000000000000000> "),
    ("discord", "user:118000000000000000", "<@118000000000000000> "),
    ("discord", "@here", "@here "),
    ("discord", "everyone", "@everyone "),
]
"""Settings of a mention, and what a message has then."""

EFFECTS = ("@everyone", "](https://evil", "||spoiler")
"""What a text of a sender must not contain in the request of a digest."""
