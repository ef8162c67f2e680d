"""Validates the settings of a destination by the description of its kind (specification 9.3)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from inbox.destinations import extra_headers, secret_places
from inbox.destinations.base import Config, UrlCheck
from inbox.destinations.descriptors import FieldDescription, FieldType, KindDescription
from inbox.domain.deliveries import signing
from inbox.domain.values.addresses import LONGEST_URL, AddressRefused
from inbox.domain.values.refusals import Fault, ValidationFailed

LONGEST_TEXT = 512
"""The maximum length of a text whose field defines none, in characters."""

LARGEST_NUMBER = 2**53

HIDDEN = "…"
SHOWN_FROM = 12
"""The last characters of a shorter secret would reveal too much of it."""


_EMPTY: Mapping[FieldType, object] = {FieldType.HEADERS: {}}


def validated(
    description: KindDescription, config: Mapping[str, Any], vet: UrlCheck, stored: Config | None = None
) -> Config:
    """Validates the settings that a person entered.

    With `stored` (an edit), absent fields stay unchanged. Null or an empty text removes an optional field. A stored
    secret must be entered again when the edit would send it to another place. Raises `ValidationFailed` with pointers
    below `/config`. Its text repeats no value.
    """
    names = {each.name for each in description.fields}
    faults = [
        Fault(f"/config/{_pointer(name)}", f"is not a setting of {description.label}")
        for name in config
        if name not in names
    ]
    public: dict[str, Any] = {}
    secrets: dict[str, str] = {}
    for field in description.fields:
        value = config[field.name] if field.name in config else _stored_value(field, stored)
        if value is None or value == _EMPTY.get(field.type, ""):
            if field.required:
                faults.append(Fault(f"/config/{field.name}", "is required"))
            continue
        fault = _fault(field, value, vet)
        if fault is not None:
            faults.append(Fault(f"/config/{field.name}", fault))
        elif field.secret:
            secrets[field.name] = extra_headers.to_text(value) if field.type is FieldType.HEADERS else value
            public |= _hint(field, value)
        else:
            public[field.name] = value
    if stored is not None:
        faults += secret_places.faults(description, config, stored, public)
    if faults:
        raise ValidationFailed(errors=faults)
    return Config(public, secrets)


def field_fault(description: KindDescription, name: str, text: str, *, pattern: str | None = None) -> str | None:
    """Returns the fault of one text of the settings, which is no URL; None when it can be stored."""
    (found,) = (each for each in description.fields if each.name == name)
    return _text_fault(replace(found, pattern=pattern or found.pattern), text, lambda _: None)


def hint(secret: str) -> str:
    """Returns the visible hint of a secret: its last four characters, and the host of an address."""
    end = signing.hint(secret) if len(secret) >= SHOWN_FROM else HIDDEN
    if "://" not in secret:
        return end
    parts = urlsplit(secret)
    return f"{parts.scheme}://{parts.hostname}/{end}"


def _hint(field: FieldDescription, value: Any) -> dict[str, str]:
    if field.hint_name is None:
        return {}
    if field.type is FieldType.HEADERS:
        return {field.hint_name: extra_headers.hint(value)}
    return {field.hint_name: HIDDEN if field.is_password else hint(value)}


def _stored_value(field: FieldDescription, stored: Config | None) -> Any:
    if stored is None:
        return field.default
    if field.type is FieldType.HEADERS:
        return stored.headers
    return stored.secrets.get(field.name) if field.secret else stored.public.get(field.name)


def _fault(field: FieldDescription, value: object, vet: UrlCheck) -> str | None:
    """Returns the fault of a field's value; None when it can be stored."""
    match field.type:
        case FieldType.FLAG:
            return None if isinstance(value, bool) else "must be true or false"
        case FieldType.NUMBER:
            if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= LARGEST_NUMBER:
                return None
            return "must be a whole number"
        case FieldType.HEADERS:
            return extra_headers.fault(value)
    if not isinstance(value, str):
        return "must be a URL" if field.type is FieldType.URL else "must be text"
    return _text_fault(field, value, vet)


def _text_fault(field: FieldDescription, text: str, vet: UrlCheck) -> str | None:
    longest = field.max_length or (LONGEST_URL if field.type is FieldType.URL else LONGEST_TEXT)
    if len(text) > longest:
        return f"must have at most {longest:,} characters"
    is_printable = (
        all(map(str.isprintable, text.split("\n"))) if field.type is FieldType.TEMPLATE else text.isprintable()
    )
    if not is_printable:
        return "must not contain control characters"
    if field.choices and text not in field.choices:
        return f"must be one of: {', '.join(field.choices)}"
    if field.type is FieldType.URL:
        try:
            vet(text)
        except AddressRefused as refused:
            return str(refused)
    if field.pattern is not None and not re.fullmatch(field.pattern, text):
        return f"must look like {field.example}"
    return field.check(text) if field.check is not None else None


def _pointer(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")
