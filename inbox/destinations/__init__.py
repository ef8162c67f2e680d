"""The registry of the destination kinds, with one line for each kind."""

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
    """Return the kind with this name. Raises `refusals.ValidationFailed` at `/kind` for an unknown name."""
    found = KINDS.get(name)
    if found is None:
        raise ValidationFailed(errors=[Fault("/kind", f"must be one of: {', '.join(KINDS)}")])
    return found
