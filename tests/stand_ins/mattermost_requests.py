"""Requests of a Mattermost server for pressed buttons, as its documentation shows them."""

from __future__ import annotations

import json
from typing import Any

CHANNEL, PERSON = "4xp9fdt77pncbef59f4k1qe83o", "mia0000000000000000000000a"


def payload(token: str, *, id: str = "1", user: str = PERSON, **more: Any) -> dict[str, Any]:
    """What Mattermost says of a pressed button with this token in its context."""
    return {
        "user_id": user,
        "user_name": "mia",
        "channel_id": CHANNEL,
        "channel_name": "ops",
        "team_id": "team000000000000000000000a",
        "team_domain": "shop",
        "post_id": "post000000000000000000000a",
        "trigger_id": f"trigger-{id}",
        "type": "",
        "data_source": "",
        "context": {"token": token},
        **more,
    }


def sent(fields: Any) -> tuple[bytes, dict[str, str]]:
    """The body and the headers of a request."""
    return json.dumps(fields).encode(), {"Content-Type": "application/json"}
