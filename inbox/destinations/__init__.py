"""The kinds of destinations, one line each."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from inbox.destinations.base import Config, Kind, Message
from inbox.destinations.webhook import Webhook
from inbox.domain.refusals import Fault, ValidationFailed

__all__ = ["KINDS", "Config", "Kind", "Message", "kind"]

_ALL: tuple[Kind, ...] = (Webhook(),)

KINDS: Mapping[str, Kind] = MappingProxyType({each.name: each for each in _ALL})


def kind(name: str) -> Kind:
    """The kind of that name; raises `refusals.ValidationFailed` at `/kind` for any other."""
    found = KINDS.get(name)
    if found is None:
        raise ValidationFailed(errors=[Fault("/kind", f"must be one of: {', '.join(KINDS)}")])
    return found
