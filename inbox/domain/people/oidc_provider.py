"""Identity providers from the setting of the operator."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

from inbox.domain.values import addresses

PROVIDER_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")
_PROVIDER_FIELDS = {
    "id": str,
    "name": str,
    "issuer": str,
    "clientId": str,
    "clientSecret": str,
    "allowSignup": bool,
    "trustEmail": bool,
    "tokenAuthMethod": str,
}
TOKEN_AUTH_METHODS = ("client_secret_basic", "client_secret_post")
"""The ways to send the client secret to the token endpoint (OpenID Connect Core 9)."""


@dataclass(frozen=True, slots=True)
class OidcProvider:
    """An identity provider for sign-in (specification 11.7).

    `allow_signup`: a person without an account may create one. `trust_email`: an address counts as verified unless the
    provider says that it is not. An empty `token_auth_method` is chosen from the provider's metadata.
    """

    id: str
    name: str
    issuer: str
    client_id: str
    client_secret: str = field(default="", repr=False)
    allow_signup: bool = False
    trust_email: bool = False
    token_auth_method: str = ""


def parse_providers(raw: str) -> tuple[OidcProvider, ...]:
    """Parses the providers of a JSON list. Raises `ValueError` that describes the fault without any secret."""
    try:
        items = json.loads(raw)
    except ValueError:
        items = None
    if type(items) is not list:
        raise ValueError("must be a JSON list")
    found = tuple(_provider(item, number) for number, item in enumerate(items, start=1))
    if len({provider.id for provider in found}) < len(found):
        raise ValueError("has two providers with one id")
    return found


def _provider(item: object, number: int) -> OidcProvider:
    if not isinstance(item, dict) or any(type(item[key]) is not _PROVIDER_FIELDS.get(key) for key in item):
        raise ValueError(f"provider {number} may have the fields {', '.join(_PROVIDER_FIELDS)}, each of its type")
    if missing := [key for key in ("id", "name", "issuer", "clientId") if not item.get(key)]:
        raise ValueError(f"provider {number} needs {', '.join(missing)}")
    if not PROVIDER_ID.fullmatch(item["id"]):
        raise ValueError(f"provider {number} needs an id of lower-case letters, digits and dashes, at most 32")
    try:
        addresses.parse(item["issuer"])
    except addresses.AddressRefused as refused:
        raise ValueError(f"provider {number} has an issuer that {refused}") from None
    if "?" in item["issuer"]:
        raise ValueError(f"provider {number} has an issuer that must not have a query")
    if item.get("tokenAuthMethod", TOKEN_AUTH_METHODS[0]) not in TOKEN_AUTH_METHODS:
        raise ValueError(f"provider {number} needs a tokenAuthMethod of {' or '.join(TOKEN_AUTH_METHODS)}")
    return OidcProvider(
        item["id"],
        item["name"],
        item["issuer"],
        item["clientId"],
        item.get("clientSecret", ""),
        item.get("allowSignup", False),
        item.get("trustEmail", False),
        item.get("tokenAuthMethod", ""),
    )
