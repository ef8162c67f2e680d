"""Settings of a destination with the address of one person in place of its own (specification 23.18)."""

from __future__ import annotations

from typing import Any

from inbox.destinations.base import Config, DestinationKind
from inbox.destinations.configuration import field_fault
from inbox.destinations.descriptors import Personal
from inbox.models.deliveries.contacts import ADDRESS, PERSONAL


def for_person(config: Config, kind: DestinationKind) -> Config:
    """Returns the settings that reach the person: the address in its field, without settings of the destination alone."""
    personal = of_kind(kind)
    public: dict[str, Any] = {
        name: each for name, each in config.public.items() if name not in (*personal.without, PERSONAL)
    }
    address = public.pop(ADDRESS)
    if any(each.secret and each.name == personal.field for each in kind.description.fields):
        return Config(public, {**config.secrets, personal.field: address})
    return Config({**public, personal.field: address}, config.secrets)


def address_fault(kind: DestinationKind, address: str) -> str | None:
    """Returns what is wrong with an address of a person; None when it can be used."""
    personal = of_kind(kind)
    return field_fault(kind.description, personal.field, address, pattern=personal.pattern)


def of_kind(kind: DestinationKind) -> Personal:
    """Returns how the kind pages members. It is called for kinds that do."""
    personal = kind.description.personal
    assert personal is not None
    return personal
