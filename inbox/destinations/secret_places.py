"""Keeps stored secrets at the place for which they were entered (specification 9.3).

A person who edits a destination may not know its secrets. So an edit that would send a stored secret to another place
is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inbox.destinations.base import Config
from inbox.destinations.descriptors import FieldDescription, FieldType, KindDescription
from inbox.domain.values.addresses import AddressRefused, parse
from inbox.domain.values.refusals import Fault


def faults(
    description: KindDescription, given: Mapping[str, Any], stored: Config, public: Mapping[str, Any]
) -> list[Fault]:
    """Returns a fault for each stored secret that an edit would send to another place.

    `given` is the edit, and `public` its valid settings without the secrets. A refused setting does not count.
    """
    fields = {each.name: each for each in description.fields}
    remaining = [each for each in description.fields if each.name in stored.secrets and each.name not in given]
    removed = {name for name, value in given.items() if value is None or value == ""}
    after = {name: value for name, value in {**stored.public, **public}.items() if name not in removed}
    found = []
    for secret in remaining:
        places = (fields[place] for place in secret.sent_to or ())
        moved = next((each for each in places if _place(each, stored.public) != _place(each, after)), None)
        if moved is not None:
            detail = f"must be entered again: the {_in_sentence(moved.label)} changed"
            found.append(Fault(f"/config/{secret.name}", detail))
    return found


def _place(field: FieldDescription, settings: Mapping[str, Any]) -> object:
    """Returns the place that the field names, the same for every spelling of one address.

    The client parses addresses by the same function, so that equal places compare as equal. An address that cannot be
    parsed equals only its own text.
    """
    value = settings.get(field.name, field.when_absent)
    if field.type is not FieldType.URL or not isinstance(value, str):
        return value
    try:
        url = parse(value)
    except AddressRefused:
        return value
    return url.scheme, url.host, url.port, url.path.rstrip("/")


def _in_sentence(label: str) -> str:
    """Returns the label as it stands within a sentence: `Server` becomes `server`, `API server` stays."""
    return label if label[1:2].isupper() else label[:1].lower() + label[1:]
