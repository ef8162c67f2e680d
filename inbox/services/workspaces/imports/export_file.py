"""Reads an export of a workspace record by record, in bounded memory (specification 12.6)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import Any

import orjson

from inbox.domain.workspaces.export_format import FORMAT, READABLE_VERSIONS
from inbox.models.workspaces.exports import SECTIONS

MAX_LINE = 8 * 1024**2
"""The maximum bytes of a record. A record of the service is far smaller."""

NAMES = {section.name: section for section in SECTIONS}

NOT_AN_EXPORT = (
    "The file is no export of a workspace. Save it from the settings of the workspace, and keep it as it is."
)
TRUNCATED = "The file ends before the end of the export. Export the workspace again."

_OPENING = re.compile(rb'"([A-Za-z]+)":\[(\](,|\}))?')


class ImportRefused(Exception):
    """The import cannot go on. The text says why, with the number of the record where one is at fault."""


@dataclass(frozen=True, slots=True)
class Head:
    """The beginning of an export: its version, its time as it is written, and the workspace."""

    version: int
    exported_at: str
    workspace: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Record:
    """A record of the file: its section and its number there, from 1. `after` is the offset of the next record."""

    section: str
    number: int
    item: dict[str, Any]
    after: int
    size: int

    def refusal(self, detail: str) -> ImportRefused:
        """Returns the refusal of this record."""
        return ImportRefused(f"{self.section}, record {self.number:,}: {detail}")


@dataclass(frozen=True, slots=True)
class Position:
    """Where reading goes on: an offset inside a section, after a number of its records."""

    offset: int
    section: str
    number: int


class ExportFile:
    """An export on disk. It is opened for each reading, so a reading can begin at any position."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def head(self) -> Head:
        """Returns the head. Raises `ImportRefused`."""
        with self._open() as file:
            return _head_of(_line(file))

    def digest(self) -> bytes:
        """Returns the SHA-256 of the whole file. Raises `ImportRefused`."""
        with self._open() as file:
            return hashlib.file_digest(file, "sha256").digest()

    def records(self, start: Position | None = None) -> Iterator[Record]:
        """Yields all records in the order of the file, or those from a position on. Raises `ImportRefused`.

        The last record is yielded before the end of the document is read, so a reader goes through to the end.
        """
        with self._open() as file:
            if start is None:
                _head_of(_line(file))
                yield from _sections(file, None)
            else:
                file.seek(start.offset)
                yield from _sections(file, start)

    def _open(self) -> BufferedReader:
        try:
            return self.path.open("rb")
        except OSError as fault:
            raise ImportRefused(f"{self.path} cannot be read: {fault.strerror}.") from None


def _head_of(line: bytes) -> Head:
    try:
        found = orjson.loads(line.removesuffix(b",") + b"}")
    except orjson.JSONDecodeError:
        raise ImportRefused(NOT_AN_EXPORT) from None
    if not isinstance(found, dict) or found.get("format") != FORMAT or not line.endswith(b","):
        raise ImportRefused(NOT_AN_EXPORT)
    version, workspace = found.get("version"), found.get("workspace")
    if type(version) is not int or version not in READABLE_VERSIONS:
        raise ImportRefused(
            f"The export has version {version}. This instance reads versions up to {READABLE_VERSIONS[-1]}."
        )
    if not isinstance(workspace, dict):
        raise ImportRefused(NOT_AN_EXPORT)
    return Head(version, str(found.get("exportedAt")), workspace)


def _sections(file: BufferedReader, start: Position | None) -> Iterator[Record]:
    """Yields the records of the sections up to the end of the document, which must end the file."""
    is_last = False
    if start is not None:
        is_last = yield from _items(file, start.section, start.number)
    seen: set[str] = set()
    while not is_last:
        opening = _OPENING.fullmatch(_line(file))
        name = "" if opening is None else opening[1].decode()
        if opening is None or name not in NAMES or name in seen:
            raise ImportRefused(f"After {len(seen)} lists, the file has no list of an export where one must begin.")
        seen.add(name)
        is_last = opening[3] == b"}" if opening[2] else (yield from _items(file, name, 0))
    if file.read(1):
        raise ImportRefused("The file goes on after the end of the export.")


def _items(file: BufferedReader, section: str, number: int) -> Generator[Record, None, bool]:
    """Yields the records of a section. Returns whether it was the last section."""
    while (line := _line(file)) not in (b"],", b"]}"):
        number += 1
        try:
            item = orjson.loads(line.removesuffix(b","))
        except orjson.JSONDecodeError:
            raise ImportRefused(f"{section}, record {number:,}: This is no complete JSON object on one line.") from None
        if not isinstance(item, dict):
            raise ImportRefused(f"{section}, record {number:,}: This is no JSON object.")
        yield Record(section, number, item, file.tell(), len(line))
    return line == b"]}"


def _line(file: BufferedReader) -> bytes:
    line = file.readline(MAX_LINE)
    if line.endswith(b"\n"):
        return line[:-1]
    if len(line) == MAX_LINE:
        raise ImportRefused(f"A line has more than {MAX_LINE:,} bytes. An export has one record on a line.")
    raise ImportRefused(TRUNCATED)
