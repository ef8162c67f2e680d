"""Descriptions of destination kinds: the name, the fields of the settings, and the abilities.

Forms are rendered from a description, and the server validates the same fields.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from inbox.domain.deliveries.paid_messages import Channel


class FieldType(StrEnum):
    """The input type of a field."""

    TEXT = "text"
    URL = "url"
    SECRET = "secret"
    NUMBER = "number"
    FLAG = "flag"
    CHOICE = "choice"
    HEADERS = "headers"
    """An object of names and values."""

    TEMPLATE = "template"
    """A text of several lines with variables."""


class Generator(StrEnum):
    """A value that the client generates for a field, so that the person enters nothing."""

    WHSEC = "whsec"
    """`whsec_` and base64 of 32 random bytes."""


class Icon(StrEnum):
    """The icon of a kind."""

    WEBHOOK = "webhook"
    CHAT = "chat"
    PHONE = "phone"
    PAGER = "pager"
    MAIL = "mail"


ADDRESS_ITSELF: tuple[str, ...] = ()
"""The secret is itself the target address, such as the URL of an incoming webhook."""

FIXED_ADDRESS: tuple[str, ...] = ()
"""The secret is sent to an address that no setting changes."""

NEVER_SENT: tuple[str, ...] = ()
"""The secret signs messages or verifies requests, so no message contains it."""


@dataclass(frozen=True, slots=True)
class FieldDescription:
    """A field of `config`.

    A secret field can be set but is never returned. The field `hint_name` of an answer shows its last characters. With
    `is_password` the hint only shows that a value is stored, because people choose short passwords. `pattern` is a
    regular expression for the whole text. `default` applies to a missing field. `check` returns a fault that the other
    members cannot express.

    `sent_to` of a secret names the fields that define its target. Changing one of them requires the secret again. Every
    secret must define it, so that a new kind cannot forget it. `when_absent` is the value that applies when the field
    is missing.
    """

    name: str
    label: str
    type: FieldType
    help: str
    example: str = ""
    required: bool = True
    secret: bool = False
    is_password: bool = False
    generate: Generator | None = None
    max_length: int | None = None
    pattern: str | None = None
    choices: tuple[str, ...] = ()
    default: str | int | bool | None = None
    sent_to: tuple[str, ...] | None = None
    when_absent: str | None = None
    check: Callable[[str], str | None] | None = field(default=None, repr=False)
    hint_name: str | None = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "hint_name", f"{self.name}Hint" if self.secret else None)
        if self.secret is not (self.sent_to is not None):
            raise ValueError(f"{self.name}: a secret, and nothing else, says in sent_to which fields are its place")


@dataclass(frozen=True, slots=True)
class Abilities:
    """Features of a kind.

    - `edits`: later notices change the earlier message.
    - `threads`: later messages are replies to the first.
    - `replaces`: an incident has one notification, which later ones replace.
    - `action_links`: messages contain links that acknowledge and resolve.
    - `digests`: one message can count and list several notices.
    - `templates`: people can write the title and the body.
    """

    edits: bool = False
    threads: bool = False
    replaces: bool = False
    action_links: bool = False
    digests: bool = False
    templates: bool = False

    @property
    def keeps_messages(self) -> bool:
        """Returns whether a later message needs the reference of an earlier one."""
        return self.edits or self.threads

    @property
    def tells_people(self) -> bool:
        """Returns whether people read the messages. An incident tool keeps an alert for each incident instead."""
        return self.digests or not self.replaces


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of the service: the maximum message length in characters, and the seconds between messages."""

    text_length: int | None = None
    pace_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Personal:
    """How members are paged through a destination: each of them enters `field`, as a contact method.

    `label` names the method. Settings in `without` suit the destination alone. `pattern` is that of a person's address,
    if it is narrower than that of the field. Messages of a `channel` cost money, so they are paced and counted.
    """

    field: str
    label: str
    without: tuple[str, ...] = ()
    pattern: str | None = None
    channel: Channel | None = None


@dataclass(frozen=True, slots=True)
class Mode:
    """A way to use a kind, of which a destination has one: a webhook or a bot. `needs` and `takes` name its own fields."""

    label: str
    needs: tuple[str, ...]
    takes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KindDescription:
    """A destination kind. `target` names the field that distinguishes two destinations of the kind.

    Lists sort kinds by `position`, then by name. Fields that no mode names belong to all modes. `personal` is there if the
    kind can page members by addresses of their own.
    """

    kind: str
    label: str
    summary: str
    target: str
    fields: tuple[FieldDescription, ...]
    icon: Icon = Icon.CHAT
    can: Abilities = Abilities()
    limits: Limits = Limits()
    position: int = 1_000
    modes: tuple[Mode, ...] = ()
    personal: Personal | None = None

    def __post_init__(self) -> None:
        names = {each.name for each in self.fields}
        unnamed = {name for mode in self.modes for name in (*mode.needs, *mode.takes)} - names
        if unnamed:
            raise ValueError(f"{self.kind}: {', '.join(sorted(unnamed))} of a mode is no field")
        if self.personal is not None and not {self.personal.field, *self.personal.without} <= names:
            raise ValueError(f"{self.kind}: the field of a person is no field")
        public = {each.name for each in self.fields if not each.secret}
        unknown = {place for each in self.fields for place in each.sent_to or ()} - public
        if unknown:
            raise ValueError(f"{self.kind}: {', '.join(sorted(unknown))} in sent_to is no public field")
