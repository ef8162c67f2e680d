"""The interface of a destination kind: validated settings, the public part of them, and a method that sends."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Protocol

from inbox.destinations.callbacks import Callback
from inbox.destinations.descriptors import KindDescription
from inbox.destinations.http import Client
from inbox.destinations.templates import TextTemplate
from inbox.domain.deliveries.delivery import Receipt
from inbox.domain.explaining import notice_content
from inbox.domain.explaining.notice_content import ActionLink, NoticeContent


@dataclass(frozen=True, slots=True)
class Config:
    """The settings of a destination.

    `public` is stored and answered unchanged. `secrets` are stored sealed and never answered.
    """

    public: Mapping[str, Any]
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)

    def to_seal(self) -> bytes:
        """Serialize the secrets into the bytes that `sealing` encrypts."""
        return json.dumps(dict(self.secrets), separators=(",", ":"), sort_keys=True).encode()

    @classmethod
    def unsealed_from(cls, public: Mapping[str, Any], unsealed: bytes | None) -> Config:
        """Restore the settings from the stored values. `unsealed` is the result of `to_seal`."""
        return cls(public, json.loads(unsealed) if unsealed else {})


@dataclass(frozen=True, slots=True)
class Message:
    """A notice as one attempt sends it.

    `delivery_id` is the TypeID by which receivers identify the delivery. `at` is the time of this attempt. `body` is
    the exact webhook JSON. `reference` is what an earlier message of the incident left (`Receipt.reference`).
    `action_links` are for the message alone: who has one can act. `template` replaces the title and the body. `callback` is
    where kinds with buttons are called back. `unsubscribe_url` ends the mails of a destination. `status_url` is where a service
    reports whether the message arrived. Both are empty where there is none.
    """

    delivery_id: str
    body: bytes
    at: datetime
    reference: Mapping[str, Any] = field(default_factory=dict)
    action_links: tuple[ActionLink, ...] = field(default=(), repr=False)
    template: TextTemplate | None = None
    callback: Callback | None = None
    unsubscribe_url: str = field(default="", repr=False)
    status_url: str = field(default="", repr=False)

    @property
    def content(self) -> NoticeContent:
        """What the notice says, for kinds with a format of their own. Raises `TemplateFault`."""
        content = replace(notice_content.of_body(self.body), action_links=self.action_links)
        return content if self.template is None else self.template.apply(content)


UrlCheck = Callable[[str], None]
"""Raises `AddressRefused` for a URL that the service refuses to call: `Client.vet`."""


class DestinationKind(Protocol):
    """A destination kind. Each kind is a package in `inbox.destinations` with one as its `KIND`."""

    @property
    def name(self) -> str:
        """The name of the kind, as in `kind` of a destination."""

    @property
    def description(self) -> KindDescription:
        """What the kind is for people."""

    def unavailable_because(self) -> str | None:
        """Why this instance has no such destinations, in a sentence; None when it has."""

    def validate(self, config: Mapping[str, Any], vet: UrlCheck, stored: Config | None = None) -> Config:
        """Validate the settings that a person entered. With `stored` (an edit), absent settings stay unchanged.

        Raises `refusals.ValidationFailed` with pointers below `/config`. Its text repeats no secret.
        """

    def send(self, message: Message, config: Config, client: Client) -> Receipt:
        """Send the message once. The receipt contains network and receiver errors."""

    def keeps_state(self, config: Mapping[str, Any]) -> bool:
        """Whether the service keeps a state of an incident with these settings, which an older notice would set back."""
