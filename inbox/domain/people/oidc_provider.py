"""Identity providers from the setting of the operator."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

from inbox.domain.values import addresses

PROVIDER_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")
_PROVIDER_FIELDS = {"id": str, "name": str, "issuer": str, "clientId": str, "clientSecret": str, "allowSignup": bool}


@dataclass(frozen=True, slots=True)
class OidcProvider:
    """An identity provider for sign-in. `allow_signup`: a person without an account may create one.

    Specification 11.7.
    """

    id: str
    name: str
    issuer: str
    client_id: str
    client_secret: str = field(default="", repr=False)
    allow_signup: bool = False


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
    return OidcProvider(
        item["id"],
        item["name"],
        item["issuer"],
        item["clientId"],
        item.get("clientSecret", ""),
        item.get("allowSignup", False),
    )
