"""What a destination kind is for people: its name and the fields of its settings, from which forms are rendered."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class FieldType(StrEnum):
    """How a field is entered."""

    TEXT = "text"
    URL = "url"
    SECRET = "secret"
    NUMBER = "number"
    FLAG = "flag"
    CHOICE = "choice"


class Generator(StrEnum):
    """What the caller creates for a field, so that the person enters nothing."""

    WHSEC = "whsec"
    """`whsec_` and base64 of 32 random bytes."""


@dataclass(frozen=True, slots=True)
class FieldDescription:
    """A field of `config`.

    A secret field is entered and never answered. `hint_name` names the field of an answer that shows its end.
    """

    name: str
    label: str
    type: FieldType
    help: str
    example: str = ""
    required: bool = True
    secret: bool = False
    hint_name: str | None = None
    generate: Generator | None = None
    max_length: int | None = None
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KindDescription:
    """A destination kind. `target` names the field that tells two destinations of the kind apart."""

    kind: str
    label: str
    summary: str
    target: str
    fields: tuple[FieldDescription, ...]
