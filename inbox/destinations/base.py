"""Interface of a destination kind: validated settings, their public part, and the method that sends."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Protocol, runtime_checkable

from inbox.destinations.callbacks import Callback
from inbox.destinations.descriptors import KindDescription
from inbox.destinations.http import Client
from inbox.destinations.templates import TextTemplate
from inbox.domain.deliveries.delivery import Receipt
from inbox.domain.explaining import notice_content
from inbox.domain.explaining.notice_content import ActionLink, NoticeContent

HEADERS = "headers"
"""The secret with the headers that a person added, as JSON."""

SHORTEST_HIDDEN = 8
"""Shorter values of headers are no credentials, so answers that repeat them keep them."""


@dataclass(frozen=True, slots=True)
class Config:
    """The settings of a destination.

    `public` is stored and returned unchanged. `secrets` are stored sealed and never returned.
    """

    public: Mapping[str, Any]
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def headers(self) -> dict[str, str]:
        """Returns the headers that a person added."""
        return dict(json.loads(self.secrets[HEADERS])) if HEADERS in self.secrets else {}

    @property
    def hidden_texts(self) -> list[str]:
        """Returns the texts that answers and stored requests must not repeat: secrets, and values of headers."""
        values = (part for value in self.headers.values() for part in (value, value.rpartition(" ")[2]))
        others = (text for name, text in self.secrets.items() if name != HEADERS)
        return [*others, *(value for value in values if len(value) >= SHORTEST_HIDDEN)]

    def to_seal(self) -> bytes:
        """Serializes the secrets into the bytes that `sealing` encrypts."""
        return json.dumps(dict(self.secrets), separators=(",", ":"), sort_keys=True).encode()

    @classmethod
    def unsealed_from(cls, public: Mapping[str, Any], unsealed: bytes | None) -> Config:
        """Restores the settings from the stored values. `unsealed` is the result of `to_seal`."""
        return cls(public, json.loads(unsealed) if unsealed else {})


@dataclass(frozen=True, slots=True)
class Message:
    """A notice as one attempt sends it.

    `delivery_id` is the TypeID by which receivers identify the delivery. `at` is the time of this attempt. `body` is
    the exact webhook JSON. `reference` comes from an earlier message of the incident (`Receipt.reference`).
    `action_links` appear only in the message, because anyone who has a link can act. `template` replaces the title and
    the body. `callback` is the address that services call when a button is pressed. `unsubscribe_urls` are the links
    at the end of mails, by the address of the mail. `status_url` is the address to which a service reports delivery,
    `answer_url` the one for pressed keys of a call. They are empty when unused.
    """

    delivery_id: str
    body: bytes
    at: datetime
    reference: Mapping[str, Any] = field(default_factory=dict)
    action_links: tuple[ActionLink, ...] = field(default=(), repr=False)
    template: TextTemplate | None = None
    callback: Callback | None = None
    unsubscribe_urls: Mapping[str, str] = field(default_factory=dict, repr=False)
    status_url: str = field(default="", repr=False)
    answer_url: str = field(default="", repr=False)

    @property
    def content(self) -> NoticeContent:
        """Returns the content of the notice for kinds with their own format. Raises `TemplateFault`."""
        content = replace(notice_content.of_body(self.body), action_links=self.action_links)
        return content if self.template is None else self.template.apply(content)


UrlCheck = Callable[[str], None]
"""Raises `AddressRefused` for a URL that the service refuses to call: `Client.vet`."""


class DestinationKind(Protocol):
    """A destination kind. Each package in `inbox.destinations` provides one as `KIND`."""

    @property
    def name(self) -> str:
        """Returns the name of the kind, which is the value of `kind` of a destination."""

    @property
    def description(self) -> KindDescription:
        """Returns the description of the kind for forms and lists."""

    def unavailable_because(self) -> str | None:
        """Returns a sentence that says why this instance cannot use the kind; None when it can."""

    def validate(self, config: Mapping[str, Any], vet: UrlCheck, stored: Config | None = None) -> Config:
        """Validates the settings that a person entered. With `stored` (an edit), absent settings stay unchanged.

        Raises `refusals.ValidationFailed` with pointers below `/config`. Its text repeats no secret.
        """

    def send(self, message: Message, config: Config, client: Client) -> Receipt:
        """Sends the message once. The receipt contains network and receiver errors."""

    def keeps_state(self, config: Mapping[str, Any]) -> bool:
        """Returns whether the service keeps one state per incident, which an older notice would overwrite."""


@runtime_checkable
class RenewingKind(Protocol):
    """A kind whose former secret stays in use beside a new one (specification 9.3)."""

    def renewed(self, config: Config, stored: Config, now: datetime) -> Config:
        """Returns the settings of an edit, with the former secrets that stay in use."""


@runtime_checkable
class ReportingKind(Protocol):
    """A kind whose service reports later whether a message was delivered (specification 9.21)."""

    def undelivered_because(self, form: Mapping[str, str]) -> str | None:
        """Returns a sentence that says why the reported message failed; None when it arrived or is in transit."""
