"""The registry of the destination kinds, with one line for each kind."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from types import MappingProxyType
from typing import Any

from inbox.destinations.base import Config, DestinationKind, Message
from inbox.destinations.interactions import InteractiveKind
from inbox.destinations.kinds.apprise import Apprise
from inbox.destinations.kinds.discord import Discord
from inbox.destinations.kinds.email import Email
from inbox.destinations.kinds.google_chat import GoogleChat
from inbox.destinations.kinds.gotify import Gotify
from inbox.destinations.kinds.matrix import Matrix
from inbox.destinations.kinds.mattermost import Mattermost
from inbox.destinations.kinds.ntfy import Ntfy
from inbox.destinations.kinds.opsgenie import Opsgenie
from inbox.destinations.kinds.pagerduty import PagerDuty
from inbox.destinations.kinds.pushover import Pushover
from inbox.destinations.kinds.slack import Slack
from inbox.destinations.kinds.teams import Teams
from inbox.destinations.kinds.telegram import Telegram
from inbox.destinations.kinds.twilio_sms import TwilioSms
from inbox.destinations.kinds.web_push import WebPush
from inbox.destinations.kinds.webhook import Webhook
from inbox.destinations.status_reports import ReportingKind
from inbox.domain.values.refusals import Fault, ValidationFailed

__all__ = [
    "INTERACTIVE",
    "KINDS",
    "MAIL",
    "PACES",
    "PHONE",
    "REPORTING",
    "ROUTABLE",
    "SERVICES",
    "WITH_ACTION_LINKS",
    "WITH_DIGESTS",
    "WITH_EDITS",
    "WITH_MESSAGES",
    "WITH_PAUSES",
    "WITH_STATE",
    "WITH_TEMPLATES",
    "Config",
    "DestinationKind",
    "Message",
    "kind",
]

_ALL: tuple[DestinationKind, ...] = (
    *(Webhook(), Slack(), Discord(), Telegram(), Mattermost(), Teams(), GoogleChat(), Matrix()),
    *(Ntfy(), Gotify(), Pushover(), PagerDuty(), Opsgenie(), TwilioSms(), Email(), Apprise()),
    WebPush(),
)

PHONE = WebPush.name
"""The kind of phones. They are made by paired devices, belong to them, and are not on any route."""

MAIL = Email.description.kind
"""The kind whose messages are mails."""

KINDS: Mapping[str, DestinationKind] = MappingProxyType({each.name: each for each in _ALL})

ROUTABLE = tuple(name for name in KINDS if name != PHONE)
"""The kinds that administrators create and that routes name."""

SERVICES = frozenset(ROUTABLE) - {Webhook().name}
"""The kinds of services. A webhook is answered by a program of the administrator."""

WITH_PAUSES = frozenset(KINDS) - {Webhook().name}
"""The kinds that are left alone as long as their service asks."""

PACES: Mapping[str, timedelta] = MappingProxyType(
    {
        each.name: timedelta(seconds=each.description.limits.pace_seconds)
        for each in _ALL
        if each.description.limits.pace_seconds
    }
)
"""The time between two messages to a destination, for the kinds whose services demand one."""

WITH_MESSAGES = frozenset(each.name for each in _ALL if each.description.can.keeps_messages)
"""The kinds that need the reference of an incident's earlier message."""

WITH_DIGESTS = frozenset(each.name for each in _ALL if each.description.can.digests)
"""The kinds with messages that count and list several notices."""

WITH_TEMPLATES = frozenset(each.name for each in _ALL if each.description.can.templates)
"""The kinds with a title and a body that people can write."""

WITH_EDITS = frozenset(each.name for each in _ALL if each.description.can.edits)
"""The kinds that keep the message of an incident in its latest state."""

WITH_STATE = frozenset(each.name for each in _ALL if each.description.can.replaces)
"""The kinds whose service has one alert or notification of an incident, which an older notice would set back."""

INTERACTIVE: Mapping[str, InteractiveKind] = MappingProxyType(
    {each.name: each for each in _ALL if isinstance(each, InteractiveKind)}
)
"""The kinds whose service calls back when a button is pressed."""

REPORTING: Mapping[str, ReportingKind] = MappingProxyType(
    {each.name: each for each in _ALL if isinstance(each, ReportingKind)}
)
"""The kinds whose service reports later whether a message arrived."""

WITH_ACTION_LINKS = frozenset(each.name for each in _ALL if each.description.can.action_links)
"""The kinds whose messages can have links that act."""


def kind(name: str, *, is_new: bool = False) -> DestinationKind:
    """Return the kind with this name. Raises `refusals.ValidationFailed` at `/kind` for an unknown name.

    With `is_new` it also raises for a kind that is not available here.
    """
    if name not in ROUTABLE:
        raise ValidationFailed(errors=[Fault("/kind", f"must be one of: {', '.join(ROUTABLE)}")])
    reason = KINDS[name].unavailable_because() if is_new else None
    if reason is not None:
        raise ValidationFailed(errors=[Fault("/kind", f"is not available here: {reason}")])
    return KINDS[name]


def keeps_state(kind: str, config: Mapping[str, Any]) -> bool:
    """Whether the service of a destination keeps a state of an incident. Emergencies of Pushover repeat until it ends."""
    return kind in WITH_STATE or (kind == Pushover.description.kind and bool(config.get("emergency")))
