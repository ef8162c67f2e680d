"""Describes each importer: the documents it reads, and where they come from (specification 22.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

import orjson

from inbox.intake.importers.plan import Plan, Unreadable


class ImportForm(StrEnum):
    """The form in which a set-up is given."""

    DOCUMENT = "document"
    """A text: a configuration file, or a saved answer of an API."""

    FILE = "file"
    """The bytes of a file."""

    ADDRESS = "address"
    """The address of a server with an API, and a token."""


@dataclass(frozen=True, slots=True)
class Options:
    """Options for texts that do not contain these values themselves."""

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
    """The paths that are read below the address."""

    read_answers: Callable[[dict[str, Any]], Plan] | None = None
    first_paths: Callable[[datetime], Sequence[str]] | None = None
    """The paths of a whole set-up that are read first, at this time. `paths` are those that must be answered."""

    further_paths: Callable[[str, Any, datetime], Iterable[str]] = lambda path, answer, at: ()
    """The paths that follow from an answer: its next page, and the parts of its entries."""

    read_setup: Callable[[dict[str, Any], datetime], Plan] | None = None
    """Reads the answers of a whole set-up. An answer that the server refused is None."""

    header: tuple[str, str] = ("Authorization", "")
    """The name of the header with the token, and the prefix of its value."""

    accept: str = "application/json"
    default_address: str = ""
    has_schedules: bool = False
    """Whether the importer uses the options."""

    position: int = 1_000
    """The position in lists. Kinds of the same position are sorted by name."""

    def headers(self, token: str) -> Mapping[str, str]:
        """Returns the headers with the token."""
        name, before = self.header
        return {name: f"{before}{token}"}


def json_of(text: str) -> Any:
    """Parses a text as JSON. Raises `Unreadable`."""
    try:
        return orjson.loads(text)
    except ValueError:
        raise Unreadable("It is no JSON.") from None


def of_one_answer(
    kind: str, label: str, texts: tuple[str, str], path: str, read: Callable[[Any], Plan], **more: Any
) -> ImportKind:
    """Returns a kind that reads one answer of an API, from the server or from a saved file.

    `texts` are the summary and the set-up.
    """
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
