"""Setting fields that several kinds share."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from inbox.destinations.base import HEADERS
from inbox.destinations.descriptors import ADDRESS_ITSELF, FieldDescription, FieldType

ACTION_LINKS, BUTTONS, UNSUBSCRIBE = "actionLinks", "buttons", "unsubscribe"
SERVER = "server"


def webhook_address(
    advice: str, example: str, *, required: bool = True, pattern: str | None = None, max_length: int | None = None
) -> FieldDescription:
    """Returns a field for the address of a webhook. It is a secret, because anyone who knows it can post."""
    return FieldDescription(
        name="url",
        label="Webhook address",
        type=FieldType.URL,
        help=advice,
        example=example,
        required=required,
        secret=True,
        sent_to=ADDRESS_ITSELF,
        pattern=pattern,
        max_length=max_length,
    )


def secret(
    name: str, label: str, advice: str, example: str, *, sent_to: tuple[str, ...], pattern: str | None = None
) -> FieldDescription:
    """Returns a field for a secret in one line of text, such as a key or a token."""
    return FieldDescription(
        name=name,
        label=label,
        type=FieldType.SECRET,
        help=advice,
        example=example,
        secret=True,
        sent_to=sent_to,
        pattern=pattern,
    )


def headers(advice: str, example: str) -> FieldDescription:
    """Returns a field for further headers of the requests to the address `url`."""
    return FieldDescription(
        name=HEADERS,
        label="Headers",
        type=FieldType.HEADERS,
        help=advice,
        example=example,
        required=False,
        secret=True,
        sent_to=("url",),
    )


def token(
    label: str,
    advice: str,
    example: str,
    *,
    pattern: str,
    required: bool = True,
    sent_to: tuple[str, ...] = (SERVER,),
) -> FieldDescription:
    """Returns a field for the token of a bot or account, which is sent to the server of the settings."""
    return replace(secret("token", label, advice, example, sent_to=sent_to, pattern=pattern), required=required)


def text(name: str, label: str, advice: str, example: str, *, pattern: str) -> FieldDescription:
    """Returns a field for a required text that matches the pattern."""
    return FieldDescription(name=name, label=label, type=FieldType.TEXT, help=advice, example=example, pattern=pattern)


def choice(name: str, label: str, advice: str, choices: Iterable[str]) -> FieldDescription:
    """Returns a field with these choices. The first one is the default."""
    values = tuple(choices)
    return FieldDescription(
        name=name, label=label, type=FieldType.CHOICE, help=advice, choices=values, default=values[0]
    )


def server(
    label: str,
    advice: str,
    example: str,
    *,
    required: bool = True,
    default: str | None = None,
    when_absent: str | None = None,
) -> FieldDescription:
    """Returns a field for the address of a server without a path.

    `when_absent` is the server that applies when the settings name none.
    """
    return FieldDescription(
        name=SERVER,
        label=label,
        type=FieldType.URL,
        help=advice,
        example=example,
        required=required,
        default=default,
        when_absent=when_absent,
    )


def action_links(*, default: bool = True) -> FieldDescription:
    """Returns the field that turns action links in messages on or off."""
    return _flag(
        ACTION_LINKS,
        "Acknowledge and resolve from the message",
        "Adds action links to messages. For 24 hours, anyone who can read a message can use them.",
        default=default,
    )


def buttons(service: str, condition: str) -> FieldDescription:
    """Returns the field that replaces links by buttons that act in the chat."""
    return _flag(
        BUTTONS,
        f"Buttons that act in {service}",
        f"Instead of links, for members who linked their account. {condition}",
        default=False,
    )


def unsubscribe() -> FieldDescription:
    """Returns the field that offers an unsubscribe link in mails."""
    return _flag(
        UNSUBSCRIBE,
        "Readers can unsubscribe",
        "Mail programs show a button that turns this destination off. Requires an https address.",
        default=True,
    )


def _flag(name: str, label: str, advice: str, *, default: bool) -> FieldDescription:
    return FieldDescription(name=name, label=label, type=FieldType.FLAG, help=advice, required=False, default=default)
