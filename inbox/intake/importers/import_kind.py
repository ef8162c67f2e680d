"""What an importer reads, and from where (specification 22.1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import orjson

from inbox.intake.importers.plan import Plan, Unreadable


class ImportForm(StrEnum):
    """How a set-up is given."""

    DOCUMENT = "document"
    """As a text: a file of configuration, or the answer of an API that somebody has saved."""

    FILE = "file"
    """As the bytes of a file."""

    ADDRESS = "address"
    """As the address of a server with an API, and a token."""


@dataclass(frozen=True, slots=True)
class Options:
    """What a text does not say of itself."""

    timezone: str = "UTC"
    has_user: bool = False


@dataclass(frozen=True, slots=True)
class ImportKind:
    """A tool whose set-up can be read. `setup` says which file or token is needed."""

    kind: str
    label: str
    summary: str
    setup: str
    forms: tuple[ImportForm, ...]
    read_text: Callable[[str, Options], Plan] | None = None
    read_file: Callable[[bytes], Plan] | None = None
    paths: tuple[str, ...] = ()
    """What is read below the address."""

    read_answers: Callable[[dict[str, Any]], Plan] | None = None
    header: tuple[str, str] = ("Authorization", "")
    """The name of the header that carries the token, and what is before the token in its value."""

    default_address: str = ""
    has_schedules: bool = False
    """Whether the options are read."""

    position: int = 1_000
    """The place in lists. Kinds of the same position are listed by name."""

    def headers(self, token: str) -> Mapping[str, str]:
        """The headers that carry the token."""
        name, before = self.header
        return {name: f"{before}{token}"}


def json_of(text: str) -> Any:
    """The JSON of a text. Raises `Unreadable`."""
    try:
        return orjson.loads(text)
    except ValueError:
        raise Unreadable("It is no JSON.") from None


def of_one_answer(
    kind: str, label: str, texts: tuple[str, str], path: str, read: Callable[[Any], Plan], **more: Any
) -> ImportKind:
    """A kind that reads one answer of an API, from the server or as somebody has saved it. `texts`: summary and set-up."""
    return ImportKind(
        kind,
        label,
        *texts,
        (ImportForm.ADDRESS, ImportForm.DOCUMENT),
        lambda text, _: read(json_of(text)),
        paths=(path,),
        read_answers=lambda answers: read(answers[path]),
        **more,
    )
