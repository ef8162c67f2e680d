"""Common parts of the stand-ins of services, and the stage on which a kind sends to one of them."""

from __future__ import annotations

import contextlib
import json
import re
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from inbox.destinations import KINDS, Config, DestinationKind, Message
from inbox.destinations.callbacks import Callback
from inbox.destinations.http import CallResult, Client
from inbox.domain.deliveries.delivery import GiveUp, Receipt, Retry, Sent, Stop, next_step
from inbox.domain.explaining.notice_content import ActionLink
from inbox.domain.values.addresses import OutboundPolicy
from tests.destinations.kinds.notice_bodies import AT, LINKS, SENDER_LINKS, URL, body
from tests.destinations.kinds.rates import SECOND, Budget
from tests.stand_ins.receivers import Answer, Receiver, Request

OWN_ADDRESS = "http://127.0.0.1:8080"
"""The instance of the tests. In journeys the links of messages lead to it."""

_OF_INSTANCE = re.compile(OWN_ADDRESS + r"/(w/acme/inbox|w/acme/incidents/inc_[0-9a-z]{26}|act/[A-Za-z0-9._-]+)")
_ACTION_LINKS = re.compile(r"\n\n(?:\[(?:Acknowledge|Resolve|Runbook|Open in sender)\]\([^()\s]+\)(?: · )?)+$")
_MARKDOWN = re.compile(r"(?<!\\)(?:\\\\)*[*_~|`\[\]<>#]")
_MENTION = re.compile(r"@\w")

SENT, RETRY, MESSAGE, STOP = "sent", "retry", "message refused", "destination refused"
"""The outcomes of an attempt."""

Row = tuple[str, Answer, str, float | None]
"""The name of a case, an answer, its outcome, and the pause for which it asks in seconds."""


def folder_of(kind: str) -> Path:
    """The folder with the tests and golden files of a kind."""
    return Path(__file__).parent.parent / kind


def given(status: int = 200, fields: Any = None, **headers: str) -> Answer:
    """An answer with JSON."""
    content = b"" if fields is None else json.dumps(fields).encode()
    return Answer(status, content, {"Content-Type": "application/json", **headers})


class StandIn:
    """A service on loopback. `messages` are what people would see, by their ids; `alerts` the ids that made a sound.

    A request that the service would refuse is answered 400 and is in `violations`. A test may set a `budget` of calls.
    """

    origin = ""
    """The scheme and host that the kind calls."""
    mention = ""
    """The mention of the settings, which texts begin with."""

    def __init__(self) -> None:
        self.messages: dict[str, str] = {}
        self.alerts: list[str] = []
        self.violations: list[str] = []
        self.budget: Budget | None = None

    def __call__(self, request: Request) -> Answer:
        refusal = self.budget.refusal() if self.budget else None
        if refusal is not None:
            return refusal
        try:
            answer = self.answer(request)
            return self.budget.with_allowance(answer) if self.budget else answer
        except (AssertionError, KeyError, ValueError, TypeError):
            self.violations.append(traceback.format_exc(limit=-3))
            return given(400, {})

    def answer(self, request: Request) -> Answer:
        """The answer of the service. It raises an assertion for a request that the service refuses."""
        raise NotImplementedError

    def show(self, text: str, id: str | None = None) -> str:
        """Show a message, in place of an earlier one with its id."""
        id = id or f"m{len(self.alerts) + 1}"
        self.messages[id] = text
        self.alerts.append(id)
        return id

    def forget(self) -> None:
        """Delete all messages, as people can."""
        self.messages.clear()


def json_of(request: Request, method: str = "POST") -> dict[str, Any]:
    """The JSON of the request, if it has the method and says that it is JSON."""
    assert request.method == method, request.method
    assert request.headers["content-type"].startswith("application/json"), request.headers
    fields = json.loads(request.body)
    assert isinstance(fields, dict)
    return fields


def bearer(request: Request, token: str) -> None:
    """Check the authorization."""
    assert request.headers["authorization"] == f"Bearer {token}"


def members(value: Mapping[str, Any], required: str, optional: str = "") -> Mapping[str, Any]:
    """The value, if it has all required members, and no other than these and the optional ones."""
    names = set(value)
    assert set(required.split()) <= names, f"missing: {set(required.split()) - names}"
    assert names <= set(required.split()) | set(optional.split()), f"too many: {names}"
    return value


def text_of(value: Any, longest: int, length: Any = len) -> str:
    """The text, if it is not empty and at most so long."""
    assert isinstance(value, str), value
    assert 0 < length(value) <= longest, (length(value), longest)
    return value


def plain_markdown(text: str) -> str:
    """The text, if no sign of Markdown and no mention in it has an effect."""
    assert not _MARKDOWN.search(text), _MARKDOWN.search(text)
    assert not _MENTION.search(text), text
    return text


def own_link(url: str) -> str:
    """The URL, if it is the one of the notice, an action link, or a link of the sender."""
    assert url in (URL, *(link.url for link in LINKS), *SENDER_LINKS) or _OF_INSTANCE.fullmatch(url), url
    return url


def without_action_links(text: str) -> str:
    """The text in Markdown without the last line, if that has action links alone."""
    line = _ACTION_LINKS.search(text)
    if line is None:
        return text
    for url in re.findall(r"\(([^()]+)\)", line[0]):
        own_link(url)
    return text[: line.start()]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.links: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]
        assert {name for name, _ in attrs} <= {"href", "color"}

    def handle_endtag(self, tag: str) -> None:
        assert tag in self.tags

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def read_html(html: str, tags: str) -> str:
    """The text that is shown, if there are only these tags, and only links to the incident."""
    assert not re.search(r"<(?!/?[a-z])|&(?!(amp|lt|gt|quot);)", html), html
    reader = _Reader()
    reader.feed(html)
    reader.close()
    assert set(reader.tags) <= set(tags.split()), reader.tags
    links = [own_link(url) for url in reader.links if not _OF_INSTANCE.fullmatch(url) and url not in SENDER_LINKS]
    acts = [link.url for link in LINKS]
    assert links in ([], [URL], acts, [URL, *acts])
    return "".join(reader.text)


class RedirectedClient(Client):
    """The client of the product. Every call goes to one receiver; `urls` are those that the kind called."""

    def __init__(self, receiver: Receiver) -> None:
        policy = OutboundPolicy(allow_private=True, allow_loopback=True)
        super().__init__(policy, resolver=lambda host, port: ["93.184.216.34"], deadline=60.0)
        self._place = f"127.0.0.1:{receiver.port}"
        self.urls: list[str] = []

    def exchange(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None = None) -> CallResult:
        self.urls.append(url)
        parts = urlsplit(url)
        return super().exchange(method, urlunsplit(("http", self._place, *parts[2:])), headers, body)


def vet(url: str) -> None:
    """A check of addresses that refuses none."""


@dataclass(frozen=True)
class Case:
    """A kind with settings of one form, and the service for it.

    `edits`: the message of an incident is changed. `is_limited`: the service limits calls, and `too_many` is the answer to a call beyond the limit of the service in a
    `window`; without `names_wait` it does not say how long to wait. `allowance` are headers of each answer that say how many
    calls are left. `with_address` are the settings of another address. `published` is the published type of a call.
    """

    name: str
    kind: str
    settings: Mapping[str, Any]
    service: type[StandIn]
    edits: bool = False
    is_limited: bool = True
    too_many: Callable[[timedelta], Answer] | None = None
    names_wait: bool = True
    window: timedelta = 20 * SECOND
    allowance: Callable[[int, timedelta], Mapping[str, object]] | None = None
    with_address: Callable[[str], dict[str, Any]] | None = None
    published: str | Callable[[Any], str] = ""

    @property
    def converges(self) -> bool:
        """Whether one message of an incident is kept in its latest state."""
        return self.edits or KINDS[self.kind].description.can.replaces

    @property
    def folder(self) -> Path:
        """The folder with the golden files of the kind."""
        return folder_of(self.kind)

    @property
    def config(self) -> Config:
        """The settings as they are stored."""
        return KINDS[self.kind].validate(self.settings, vet)


@dataclass
class Stage:
    """A kind, its settings, and its service. The reference of a message is kept as deliveries keep it."""

    case: Case
    config: Config
    service: StandIn
    receiver: Receiver
    client: RedirectedClient
    reference: Mapping[str, Any] = field(default_factory=dict)
    sent: int = 0
    action_links: tuple[ActionLink, ...] = ()
    callback: Callback | None = None

    @property
    def kind(self) -> DestinationKind:
        """The kind."""
        return KINDS[self.case.kind]

    def send(self, reason: str = "opened", text: str = "usual", **data: Any) -> Receipt:
        """Send the notice. It keeps the reference."""
        self.sent += 1
        message = Message(
            f"dlv_{self.sent}",
            body(reason, text, **data),
            AT,
            self.reference,
            self.action_links,
            callback=self.callback,
        )
        receipt = self.kind.send(message, self.config, self.client)
        if receipt.reference is not None:
            self.reference = json.loads(json.dumps(dict(receipt.reference)))
        return receipt

    def calls(self) -> list[tuple[str, str, Request]]:
        """The method, the URL and the request of each call."""
        return [(each.method, url, each) for url, each in zip(self.client.urls, self.receiver.requests, strict=True)]


@contextlib.contextmanager
def staged(case: Case) -> Iterator[Stage]:
    """A stage whose service demands what it documents: at the end nothing was sent that it refuses."""
    service = case.service()
    with Receiver(service) as receiver:
        client = RedirectedClient(receiver)
        yield Stage(case, case.config, service, receiver, client)
        client.close()
    assert service.violations == [], "\n".join(service.violations)
    assert {urlsplit(url)[:2] for url in client.urls} <= {urlsplit(service.origin)[:2]}


def outcome(receipt: Receipt) -> str:
    """What the engine does after the receipt: sent, retry, message refused, destination refused."""
    match next_step(receipt, 1, 0, 0.0):
        case Sent():
            return SENT
        case Retry():
            return RETRY
        case GiveUp():
            return MESSAGE
        case Stop():
            return STOP
