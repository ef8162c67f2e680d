"""Base classes of the kinds that call a service: settings, JSON calls, and messages that are edited later."""

from __future__ import annotations

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any, ClassVar

from inbox.destinations.base import Config, Message, UrlCheck
from inbox.destinations.configuration import validated
from inbox.destinations.descriptors import KindDescription
from inbox.destinations.http import CallResult, Client
from inbox.domain.deliveries.delivery import FailureReason, Receipt
from inbox.domain.values.refusals import Fault, ValidationFailed

LONGEST_PAUSE_SECONDS = 32 * 86_400
"""Longer pauses are ignored."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a service. `fields` is its JSON object, empty for any other body. `headers` are in lower case."""

    receipt: Receipt
    fields: Mapping[str, Any]
    text: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, result: CallResult) -> Answer:
        """Reads the body of a call's result."""
        text = result.body.decode("utf-8", errors="replace")
        try:
            fields = json.loads(text)
        except (ValueError, RecursionError):
            fields = {}
        return cls(result.receipt, fields if isinstance(fields, dict) else {}, text, result.headers)

    def word(self, name: str) -> str:
        """Returns the text of a field; empty when it is no text."""
        value = self.fields.get(name)
        return value if isinstance(value, str) else ""

    def code(self, name: str = "code") -> int | None:
        """Returns the whole number of a field; None when it is none."""
        value = self.fields.get(name)
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def failed(self, failure: FailureReason, *, retry_after: timedelta | None = None) -> Receipt:
        """Returns the receipt with the failure that the body reports, in place of the status."""
        return replace(self.receipt, failure=failure, retry_after=retry_after or self.receipt.retry_after)

    def with_reference(self, **reference: Any) -> Receipt:
        """Returns the receipt of an accepted message, with the reference that a later message needs."""
        return replace(self.receipt, reference=reference)


def pause(value: object, unit: timedelta = timedelta(seconds=1)) -> timedelta | None:
    """Returns the pause that a service requests, as a number of units or its text; None when it is none."""
    try:
        count = float(value) if isinstance(value, int | float | str) and not isinstance(value, bool) else math.nan
    except (ValueError, OverflowError):
        return None
    is_possible = math.isfinite(count) and 0 < count * unit.total_seconds() <= LONGEST_PAUSE_SECONDS
    return count * unit if is_possible else None


class ServiceKind(ABC):
    """A kind whose settings are the fields of its description."""

    description: ClassVar[KindDescription]

    @property
    def name(self) -> str:
        """Returns the name of the kind."""
        return self.description.kind

    def validate(self, config: Mapping[str, Any], vet: UrlCheck, stored: Config | None = None) -> Config:
        """Validates the settings by the description of the kind, and then by `faults`."""
        found = validated(self.description, config, vet, stored)
        if faults := self.faults(found):
            raise ValidationFailed(errors=faults)
        return found

    def faults(self, config: Config) -> list[Fault]:
        """Returns the faults of a combination of fields that are valid one by one."""
        return []

    def unavailable_because(self) -> str | None:
        """Returns a sentence that says why this instance cannot use the kind; None when it can."""
        return None

    def keeps_state(self, config: Mapping[str, Any]) -> bool:
        """Returns whether the service has one notification per incident, which an older notice would overwrite."""
        return self.description.can.replaces

    @abstractmethod
    def send(self, message: Message, config: Config, client: Client) -> Receipt:
        """Sends the message once. The receipt contains network and receiver errors."""


class EditingKind(ServiceKind):
    """A kind that keeps one message per incident in its latest state.

    1. The first notice of an incident posts a message.
    2. Each later one edits this message. A deleted message is posted again.
    3. Edits make no sound. So a notice that asks for attention is posted as a reply, too.

    When the settings name another place than the earlier message, the notice is posted there. The earlier message stays
    unchanged.
    """

    def send(self, message: Message, config: Config, client: Client) -> Receipt:
        place = self.place(config)
        is_there = place is not None and message.reference.get("place") == place
        changed = self.edit(message, config, client) if is_there else None
        if changed is None:
            posted = self.post(message, config, client)
            return replace(posted, reference={**posted.reference, "place": place}) if posted.reference else posted
        if not changed.is_accepted or message.content.is_quiet:
            return changed
        return self.reply(message, config, client)

    @abstractmethod
    def place(self, config: Config) -> str | None:
        """Returns the place where messages are posted; None when they cannot be edited."""

    @abstractmethod
    def post(self, message: Message, config: Config, client: Client) -> Receipt:
        """Posts the message. The receipt has its reference."""

    @abstractmethod
    def edit(self, message: Message, config: Config, client: Client) -> Receipt | None:
        """Edits the message of `message.reference`; returns None when the service no longer has it."""

    @abstractmethod
    def reply(self, message: Message, config: Config, client: Client) -> Receipt:
        """Posts the notice as a reply to the message of `message.reference`."""


def call(
    client: Client,
    method: str,
    url: str,
    body: Mapping[str, Any] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Answer:
    """Calls the service with a JSON body."""
    data = None if body is None else json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
    return Answer.of(client.exchange(method, url, {"Content-Type": "application/json", **(headers or {})}, data))
