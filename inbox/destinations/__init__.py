"""Registry of the destination kinds. Each package in this folder is a kind, and its `KIND` describes it."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from datetime import timedelta
from types import MappingProxyType
from typing import Any

from inbox.destinations.base import Config, DestinationKind, Message, ReportingKind
from inbox.destinations.email import Email
from inbox.destinations.interactions import InteractiveKind
from inbox.destinations.phone_answers import CallingKind
from inbox.destinations.web_push import WebPush
from inbox.destinations.webhook import Webhook
from inbox.domain.deliveries.paid_messages import Channel
from inbox.domain.values.refusals import Fault, ValidationFailed

__all__ = [
    "CALLING",
    "INTERACTIVE",
    "KINDS",
    "MAIL",
    "PACES",
    "PAID",
    "PERSONAL_KINDS",
    "PHONE",
    "REPORTING",
    "ROUTABLE",
    "SERVICES",
    "WITH_ACTION_LINKS",
    "WITH_DIGESTS",
    "WITH_EDITS",
    "WITH_MESSAGES",
    "WITH_PAUSES",
    "WITH_SUMMARIES",
    "WITH_TEMPLATES",
    "Config",
    "DestinationKind",
    "Message",
    "kind",
]


def _discovered() -> Iterator[DestinationKind]:
    for found in pkgutil.iter_modules(__path__):
        if found.ispkg:
            yield importlib.import_module(f"{__name__}.{found.name}").KIND


_ALL = tuple(sorted(_discovered(), key=lambda kind: (kind.description.position, kind.name)))

PHONE = WebPush.name
"""The kind of phones. Paired devices create and own these destinations, and no route names them."""

MAIL = Email.description.kind
"""The kind that sends mails."""

KINDS: Mapping[str, DestinationKind] = MappingProxyType({each.name: each for each in _ALL})

ROUTABLE = tuple(name for name in KINDS if name != PHONE)
"""The kinds that administrators create and that routes can name."""

SERVICES = frozenset(ROUTABLE) - {Webhook().name}
"""The kinds that call a third-party service. A webhook calls a program of the administrator."""

WITH_PAUSES = frozenset(KINDS) - {Webhook().name}
"""The kinds that pause when their service asks for it."""

PACES: Mapping[str, timedelta] = MappingProxyType(
    {
        each.name: timedelta(seconds=each.description.limits.pace_seconds)
        for each in _ALL
        if each.description.limits.pace_seconds
    }
)
"""The minimum time between two messages to a destination, for kinds whose services require one."""

WITH_MESSAGES = frozenset(each.name for each in _ALL if each.description.can.keeps_messages)
"""The kinds that need the reference of an earlier message of the incident."""

WITH_DIGESTS = frozenset(each.name for each in _ALL if each.description.can.digests)
"""The kinds that can send a digest of several notices."""

WITH_SUMMARIES = frozenset(each.name for each in _ALL if each.name in PACES and each.description.can.tells_people)
"""The kinds whose most urgent notices are sent first. Of many waiting notices they send a summary."""

WITH_TEMPLATES = frozenset(each.name for each in _ALL if each.description.can.templates)
"""The kinds whose title and body can be customised."""

WITH_EDITS = frozenset(each.name for each in _ALL if each.description.can.edits)
"""The kinds that update the message of an incident to its latest state."""

INTERACTIVE: Mapping[str, InteractiveKind] = MappingProxyType(
    {each.name: each for each in _ALL if isinstance(each, InteractiveKind)}
)
"""The kinds whose service calls back when a button is pressed."""

CALLING: Mapping[str, CallingKind] = MappingProxyType(
    {each.name: each for each in _ALL if isinstance(each, CallingKind)}
)
"""The kinds whose service calls a person and reports pressed keys."""

REPORTING: Mapping[str, ReportingKind] = MappingProxyType(
    {each.name: each for each in _ALL if isinstance(each, ReportingKind)}
)
"""The kinds whose service reports later whether a message was delivered."""

PERSONAL_KINDS = tuple(each.name for each in _ALL if each.description.personal is not None)
"""The kinds that page members by addresses of their own, through a destination of the workspace."""

PAID: Mapping[str, Channel] = MappingProxyType(
    {
        each.name: each.description.personal.channel
        for each in _ALL
        if each.description.personal is not None and each.description.personal.channel is not None
    }
)
"""The channels of the kinds whose messages to members cost money."""

WITH_ACTION_LINKS = frozenset(each.name for each in _ALL if each.description.can.action_links)
"""The kinds whose messages can contain action links."""


def kind(name: str, *, is_new: bool = False) -> DestinationKind:
    """Returns the kind with this name.

    Raises `refusals.ValidationFailed` at `/kind` for an unknown name. With `is_new` it also raises when the kind is
    unavailable on this instance.
    """
    if name not in ROUTABLE:
        raise ValidationFailed(errors=[Fault("/kind", f"must be one of: {', '.join(ROUTABLE)}")])
    reason = KINDS[name].unavailable_because() if is_new else None
    if reason is not None:
        raise ValidationFailed(errors=[Fault("/kind", f"is not available here: {reason}")])
    return KINDS[name]


def keeps_state(kind: str, config: Mapping[str, Any]) -> bool:
    """Returns whether the service keeps one state per incident, which an older notice would overwrite."""
    return KINDS[kind].keeps_state(config)
