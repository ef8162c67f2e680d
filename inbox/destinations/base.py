"""What every kind of destination is: settings that are checked, a part of them that is shown, and a way to send."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from inbox.destinations.http import Client
from inbox.domain.delivery import Receipt


@dataclass(frozen=True, slots=True)
class Config:
    """A destination's settings: `public` is stored and answered as it is, `secrets` are stored sealed, never answered."""

    public: Mapping[str, Any]
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)

    def to_seal(self) -> bytes:
        """The secrets as the bytes that `sealing` takes."""
        return json.dumps(dict(self.secrets), separators=(",", ":"), sort_keys=True).encode()

    @classmethod
    def unsealed_from(cls, public: Mapping[str, Any], unsealed: bytes | None) -> Config:
        """Back from what was stored; `unsealed` is what `to_seal` gave."""
        return cls(public, json.loads(unsealed) if unsealed else {})


@dataclass(frozen=True, slots=True)
class Message:
    """A notice as one attempt sends it: `delivery_id` is the TypeID that receivers know it by, `at` this attempt's time.

    `body` is the exact webhook JSON; kinds that speak another language read it.
    """

    delivery_id: str
    body: bytes
    at: datetime


UrlCheck = Callable[[str], None]
"""Raises `AddressRefused` for a URL that is not called: `Client.vet`."""


class Kind(Protocol):
    """One module each; registered in `inbox.destinations` in one line."""

    name: str

    def validate(self, config: Mapping[str, Any], vet: UrlCheck, stored: Config | None = None) -> Config:
        """Check what a person typed. With `stored`, an edit, what is not given stays as it was.

        Raises `refusals.ValidationFailed` with pointers below `/config`; its text repeats no secret.
        """

    def send(self, message: Message, config: Config, client: Client) -> Receipt:
        """Send once. The world's faults are in the receipt."""
