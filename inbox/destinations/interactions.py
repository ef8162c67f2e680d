"""Interface of kinds with buttons, and the values that a chat service reports when a button is pressed.

A request is verified before it is read.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, ClassVar, Protocol, runtime_checkable

from inbox.destinations.base import Config
from inbox.destinations.callbacks import Callback
from inbox.destinations.http import Client
from inbox.domain.explaining.notice_content import NoticeContent
from inbox.domain.incidents.incident import State
from inbox.domain.values.text import is_storable

OLDEST = timedelta(minutes=5)
"""The maximum difference between the time of a request and now, in the past and in the future."""


class ChatAct(StrEnum):
    """What a button does."""

    ACKNOWLEDGE = "acknowledge"
    RESOLVE = "resolve"

    TAKE = "take"
    """Acknowledges the incident and assigns it to the person (specification 23.17)."""

    ESCALATE = "escalate"
    """Takes the next step now."""


ACTS: Mapping[str, ChatAct] = {str(each): each for each in ChatAct}
"""The acts by the ids of their buttons."""

OF_OPEN = (ChatAct.TAKE, ChatAct.ESCALATE)
"""The acts of an open incident that need a person, so no link does them."""

LONGEST_NAME = 100
LINK_LABEL = "Link your account"


def labels(content: NoticeContent) -> list[str]:
    """Returns the labels of the buttons that act, in order; empty where the message has no action links."""
    found = [link.label for link in content.action_links]
    return [*found, *(each.capitalize() for each in OF_OPEN if found and content.state == State.OPEN)]


class InteractionRefused(Exception):
    """The request is too old, or does not come from the service or for this destination."""


@dataclass(frozen=True, slots=True)
class InteractionRequest:
    """A request as received. The names in `headers` are in lower case; `at` is the time of receipt."""

    headers: Mapping[str, str]
    body: bytes
    at: datetime
    callback: Callback


@dataclass(frozen=True, slots=True)
class Press:
    """A pressed button: the account, the act and the incident. `incident_id` is a TypeID.

    `act` is None for a person who only asks to link their account. `replay_key` is the same for a repeat of the
    request. `reply_to` is the value that a kind needs for its answer or hint. `link_url` leads to the page with the
    account link, if the answer to a button cannot show it. `verifier` is a digest of the verification key in the
    settings of the destination. Another key vouches for other accounts.
    """

    account_id: str
    account_name: str
    act: ChatAct | None
    incident_id: str
    replay_key: str
    reply_to: str = ""
    link_url: str = ""
    verifier: str = ""


@dataclass(frozen=True, slots=True)
class Ignored:
    """A request without an act. Its answer is a JSON object or none."""

    answer: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A verified press in the place of another destination, which these settings distinguish.

    `answer` is for a place that no destination of the same app has.
    """

    settings: Mapping[str, str]
    answer: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Named:
    """What an unverified request names: an incident, and settings of the destination whose secret verifies it."""

    incident_id: str
    settings: Mapping[str, str]


@runtime_checkable
class SharedKind(Protocol):
    """A kind whose app calls one address for all its destinations (specification 9.18)."""

    def named(self, body: bytes) -> Named:
        """Returns what the request names, before it is verified. Raises `InteractionRefused`."""


@runtime_checkable
class InteractiveKind(Protocol):
    """A kind whose service calls back when a button is pressed.

    With `repeats_refused` the service repeats a request until it gets 2xx. Such a kind refuses only requests that do
    not come from the service.
    """

    repeats_refused: ClassVar[bool]

    def press(self, request: InteractionRequest, config: Config) -> Press | Ignored | Elsewhere:
        """Verifies the request and reads it. Raises `InteractionRefused`."""

    def answer_to(self, press: Press, text: str, url: str) -> Mapping[str, Any] | None:
        """Returns the JSON object that answers a press.

        `text` is a hint to the person, with a link if `url` is not empty. Returns None when the service ignores the
        answer: then `hint` shows the text.
        """

    def hint(self, press: Press, text: str, url: str, client: Client) -> None:
        """Shows the hint by a separate call, for services that ignore the answer."""


@contextlib.contextmanager
def reading() -> Iterator[None]:
    """Raises `InteractionRefused` when the block cannot read a verified body."""
    try:
        yield
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError):
        raise InteractionRefused from None


def verified_by(key: str, found: Press | Ignored) -> Press | Ignored:
    """Returns the request, marked with the key that verified it."""
    return replace(found, verifier=hashlib.sha256(key.encode()).hexdigest()) if isinstance(found, Press) else found


def check_time(stamp: str, at: datetime) -> None:
    """Checks the time of a request, in seconds since 1970. Raises `InteractionRefused`."""
    if not re.fullmatch(r"[0-9]{1,12}", stamp) or abs(at.timestamp() - int(stamp)) > OLDEST.total_seconds():
        raise InteractionRefused


def display_name(*names: object) -> str:
    """Returns the first name that is not empty and can be stored."""
    return next((str(each)[:LONGEST_NAME] for each in names if each and is_storable(str(each))), "")


def markdown_hint(text: str, url: str) -> str:
    """Returns a hint in Markdown."""
    return f"{text} [{LINK_LABEL}]({url})" if url else text
