"""Requests of tools that are set up by a snippet: the headers that follow from the form's fields."""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

Fields = Mapping[str, str]
Headers = dict[str, str]
Sent = Mapping[str, Callable[[Fields, bytes], Headers]]


def basic(user: str, password: str) -> Headers:
    return {"Authorization": "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()}


def of_address(fields: Fields, body: bytes) -> Headers:
    """What a client sends that finds a user and a password in the address."""
    parts = urlsplit(address_in(fields))
    return basic(str(parts.username), str(parts.password))


def digest(secret: str, body: bytes) -> str:
    return hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def address_in(fields: Fields) -> str:
    [found] = [value for value in fields.values() if "/v1/hooks/" in value]
    return found
