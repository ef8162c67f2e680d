"""What the kinds of services have in common: settings, a call with JSON, and messages that are changed later."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from inbox.destinations.base import Config, Message, UrlCheck
from inbox.destinations.configuration import validated
from inbox.destinations.descriptors import KindDescription
from inbox.destinations.http import CallResult, Client
from inbox.domain.delivery import FailureReason, Receipt
from inbox.domain.refusals import Fault, ValidationFailed


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a service. `fields` is its JSON object, empty for any other body."""

    receipt: Receipt
    fields: Mapping[str, Any]
    text: str = ""

    @classmethod
    def of(cls, result: CallResult) -> Answer:
        """Read the body of a call's result."""
        text = result.body.decode("utf-8", errors="replace")
        try:
            fields = json.loads(text)
        except ValueError:
            fields = {}
        return cls(result.receipt, fields if isinstance(fields, dict) else {}, text)

    def failed(self, failure: FailureReason, *, retry_after: Any = None) -> Receipt:
        """The receipt, with what the body says instead of the status."""
        return replace(self.receipt, failure=failure, retry_after=retry_after or self.receipt.retry_after)

    def kept(self, **reference: Any) -> Receipt:
        """The receipt of an accepted message, with what a later message needs."""
        return replace(self.receipt, reference=reference)


class ServiceKind(ABC):
    """A kind whose settings are those of its description."""

    description: ClassVar[KindDescription]

    @property
    def name(self) -> str:
        """The name of the kind."""
        return self.description.kind

    def validate(self, config: Mapping[str, Any], vet: UrlCheck, stored: Config | None = None) -> Config:
        """Validate the settings by the description of the kind, and then by `faults`."""
        found = validated(self.description, config, vet, stored)
        if faults := self.faults(found):
            raise ValidationFailed(errors=faults)
        return found

    def faults(self, config: Config) -> list[Fault]:
        """What is wrong with settings whose fields are right one by one."""
        return []

    def unavailable_because(self) -> str | None:
        """Why this instance has no such destinations, in a sentence; None when it has."""
        return None

    @abstractmethod
    def send(self, message: Message, config: Config, client: Client) -> Receipt:
        """Send the message once. The receipt contains network and receiver errors."""


class EditingKind(ServiceKind):
    """A kind that keeps one message per incident in its latest state.

    1. The first notice of an incident posts a message.
    2. Each later one changes this message. A message that is gone is posted anew.
    3. Changes make no sound. So a notice that asks for attention is posted as a reply, too.
    """

    def send(self, message: Message, config: Config, client: Client) -> Receipt:
        if not message.reference:
            return self.post(message, config, client)
        changed = self.edit(message, config, client)
        if changed is None:
            return self.post(message, config, client)
        if not changed.is_accepted or message.content.is_quiet:
            return changed
        return self.reply(message, config, client)

    @abstractmethod
    def post(self, message: Message, config: Config, client: Client) -> Receipt:
        """Post the message. The receipt has its reference."""

    @abstractmethod
    def edit(self, message: Message, config: Config, client: Client) -> Receipt | None:
        """Change the message of `message.reference`; None when the service has it no more."""

    @abstractmethod
    def reply(self, message: Message, config: Config, client: Client) -> Receipt:
        """Post the notice as a reply to the message of `message.reference`."""


def call(
    client: Client,
    method: str,
    url: str,
    body: Mapping[str, Any] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Answer:
    """Call with a JSON body."""
    data = None if body is None else json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
    return Answer.of(client.exchange(method, url, {"Content-Type": "application/json", **(headers or {})}, data))
