"""Fields that the settings of several kinds have in common."""

from __future__ import annotations

from inbox.destinations.descriptors import ADDRESS_ITSELF, FieldDescription, FieldType

ACTION_LINKS, BUTTONS, UNSUBSCRIBE = "actionLinks", "buttons", "unsubscribe"
SERVER = "server"


def webhook_address(
    advice: str, example: str, *, required: bool = True, pattern: str | None = None, max_length: int | None = None
) -> FieldDescription:
    """The address of a webhook. It is a secret: whoever knows it can post."""
    return FieldDescription(
        name="url",
        label="Webhook address",
        type=FieldType.URL,
        help=advice,
        example=example,
        required=required,
        secret=True,
        hint_name="urlHint",
        sent_to=ADDRESS_ITSELF,
        pattern=pattern,
        max_length=max_length,
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
    """The token of a bot or an account, which is sent to the server of the settings."""
    return FieldDescription(
        name="token",
        label=label,
        type=FieldType.SECRET,
        help=advice,
        example=example,
        required=required,
        secret=True,
        hint_name="tokenHint",
        sent_to=sent_to,
        pattern=pattern,
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
    """The address of a server without a path. `when_absent` is the server of settings that name none."""
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
    """Whether messages have links that act."""
    return _flag(
        ACTION_LINKS,
        "Acknowledge and resolve from the message",
        "Messages have links for it. For 24 hours whoever can read a message can use them.",
        default=default,
    )


def buttons(service: str, condition: str) -> FieldDescription:
    """Whether messages have buttons that act in the chat, in place of links."""
    return _flag(
        BUTTONS,
        f"Buttons that act in {service}",
        f"In place of links, for members who linked their account. {condition}",
        default=False,
    )


def unsubscribe() -> FieldDescription:
    """Whether mails offer to turn their destination off."""
    return _flag(
        UNSUBSCRIBE,
        "Readers can unsubscribe",
        "Mail programs show a button that turns this destination off. It needs an https address.",
        default=True,
    )


def _flag(name: str, label: str, advice: str, *, default: bool) -> FieldDescription:
    return FieldDescription(name=name, label=label, type=FieldType.FLAG, help=advice, required=False, default=default)
