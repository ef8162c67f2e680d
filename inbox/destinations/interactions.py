"""What a chat service reports when a person presses a button of a message, and the interface of kinds with such buttons.

A request is read only after it was verified.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, ClassVar, Protocol, runtime_checkable

from inbox.destinations.base import Config
from inbox.destinations.callbacks import Callback
from inbox.destinations.http import Client
from inbox.domain.incidents.incident import Act
from inbox.domain.values.text import is_storable

OLDEST = timedelta(minutes=5)
"""The age of a request from which it is refused, and how far its time may lie ahead."""

ACTS: Mapping[str, Act] = {"acknowledge": Act.ACKNOWLEDGE, "resolve": Act.RESOLVE}
"""The acts by the ids of their buttons."""

LONGEST_NAME = 100
LINK_LABEL = "Link your account"


class InteractionRefused(Exception):
    """The request is not of the service, is too old, or is not of this destination."""


@dataclass(frozen=True, slots=True)
class InteractionRequest:
    """A request as it came in. The names in `headers` are in lower case; `at` is the time of its receipt."""

    headers: Mapping[str, str]
    body: bytes
    at: datetime
    callback: Callback


@dataclass(frozen=True, slots=True)
class Press:
    """A pressed button: by which account, with what act, on which incident. `incident_id` is a TypeID.

    `act` is None for a person who only asks to link their account. `replay_key` is the same for a repeat of the request.
    `reply_to` is what a kind needs for its answer or hint. `link_url` leads to where the service shows the link of an
    account, if its answer to a button cannot. `verifier` is a digest of the key that the settings of the destination
    name for the requests of the service: another key vouches for other accounts.
    """

    account_id: str
    account_name: str
    act: Act | None
    incident_id: str
    replay_key: str
    reply_to: str = ""
    link_url: str = ""
    verifier: str = ""


@dataclass(frozen=True, slots=True)
class Ignored:
    """A request that asks for nothing, and its answer: a JSON object, or none."""

    answer: Mapping[str, Any] | None = None


@runtime_checkable
class InteractiveKind(Protocol):
    """A kind whose service calls back when a button is pressed.

    `repeats_refused`: the service sends a request again until it is answered with 2xx. So only a request that is not of
    the service is refused.
    """

    repeats_refused: ClassVar[bool]

    def press(self, request: InteractionRequest, config: Config) -> Press | Ignored:
        """Verify the request and read it. Raises `InteractionRefused`."""

    def answer_to(self, press: Press, text: str, url: str) -> Mapping[str, Any] | None:
        """The answer to a press, a JSON object. `text` is a hint to the person, with a link if `url` is not empty.

        None for a service whose answer holds nothing: then `hint` follows it.
        """

    def hint(self, press: Press, text: str, url: str, client: Client) -> None:
        """Show the hint by a call, where the answer cannot hold it."""


@contextlib.contextmanager
def reading() -> Iterator[None]:
    """Raise `InteractionRefused` for a verified body that has another form than the one that the block reads."""
    try:
        yield
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError):
        raise InteractionRefused from None


def verified_by(key: str, found: Press | Ignored) -> Press | Ignored:
    """What a request says that this key has verified."""
    return replace(found, verifier=hashlib.sha256(key.encode()).hexdigest()) if isinstance(found, Press) else found


def check_time(stamp: str, at: datetime) -> None:
    """Check the time of a request, in seconds since 1970. Raises `InteractionRefused`."""
    if not re.fullmatch(r"[0-9]{1,12}", stamp) or abs(at.timestamp() - int(stamp)) > OLDEST.total_seconds():
        raise InteractionRefused


def display_name(*names: object) -> str:
    """The first name that is not empty and can be stored, as people read it."""
    return next((str(each)[:LONGEST_NAME] for each in names if each and is_storable(str(each))), "")


def markdown_hint(text: str, url: str) -> str:
    """A hint in Markdown."""
    return f"{text} [{LINK_LABEL}]({url})" if url else text
