"""Keeps a user group and the topic of a channel of Slack in step with who is on call (specification 23.23)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from urllib.parse import urlencode

from inbox.destinations.base import Config
from inbox.destinations.http import Client
from inbox.destinations.service import Answer

SERVER = "https://slack.com"

LONGEST_TOPIC = 250


class SlackRefused(Exception):
    """Slack did not do what was asked. The text has its word for the reason; `retry_after` is its time to wait."""

    def __init__(self, text: str, retry_after: timedelta | None = None) -> None:
        super().__init__(text)
        self.retry_after = retry_after


def member_of(client: Client, config: Config, email: str) -> str | None:
    """Returns the id of the person with this address; None if the team has nobody."""
    answer = _called(client, config, "users.lookupByEmail", {"email": email}, accepts=("users_not_found",))
    user = answer.fields.get("user")
    return str(user["id"]) if isinstance(user, dict) and not user.get("deleted") else None


def set_group(client: Client, config: Config, group: str, members: Sequence[str]) -> bool:
    """Gives a user group these members, unless it has them. Returns whether it changed.

    It is never emptied: Slack refuses that, and nobody could be reached by it.
    """
    found = _called(client, config, "usergroups.users.list", {"usergroup": group}).fields.get("users")
    if not members or (isinstance(found, list) and set(found) == set(members)):
        return False
    _called(client, config, "usergroups.users.update", {"usergroup": group, "users": ",".join(sorted(members))})
    return True


def set_topic(client: Client, config: Config, topic: str) -> bool:
    """Sets the topic of the channel, unless it is the same: each change posts a message. Returns whether it changed."""
    channel = str(config.public["channel"])
    found = _called(client, config, "conversations.info", {"channel": channel}).fields.get("channel")
    present = found.get("topic") if isinstance(found, dict) else None
    if isinstance(present, dict) and present.get("value") == topic:
        return False
    _called(client, config, "conversations.setTopic", {"channel": channel, "topic": topic})
    return True


def _called(
    client: Client, config: Config, method: str, fields: Mapping[str, str], accepts: Sequence[str] = ()
) -> Answer:
    """Calls a method of the API. Methods that read take forms only. Raises `SlackRefused`."""
    headers = {
        "Authorization": f"Bearer {config.secrets['token']}",
        "Content-Type": "application/x-www-form-urlencoded",
    }
    server = str(config.public.get("server", SERVER)).rstrip("/")
    result = client.exchange("POST", f"{server}/api/{method}", headers, urlencode(fields).encode())
    answer = Answer.of(result)
    if result.receipt.failure is not None:
        raise SlackRefused("Slack cannot be reached.")
    if result.receipt.status_code != 200:
        raise SlackRefused(f"Slack answered {result.receipt.status_code}.", result.receipt.retry_after)
    error = answer.word("error")
    if answer.fields.get("ok") is not True and error not in accepts:
        raise SlackRefused(f"Slack refused {method}: {error[:60] or 'no reason'}.")
    return answer
