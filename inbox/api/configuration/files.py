"""Reads the files of a configuration: one file, or all of a directory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inbox.api.configuration import yaml_documents
from inbox.api.configuration.keys import KEY
from inbox.api.configuration.sections import BY_NAME, Section
from inbox.api.configuration.yaml_documents import MOST_BYTES, Document, FileFault
from inbox.domain.values.jsonbody import escaped
from inbox.domain.values.refusals import Fault

VERSION = 1
"""The version of the format of files."""

MOST_FILES = 500
"""The maximum number of files of a directory."""

MOST_RECORDS = 5_000
"""The maximum number of records of all files together."""

ENDINGS = frozenset({".yaml", ".yml"})

BAD_KEY = "A key has 1 to 100 letters, digits, dots, dashes and underscores, and begins with a letter or digit."


@dataclass(frozen=True, slots=True)
class LineFault:
    """A fault in a file, with its line."""

    file: str
    line: int
    detail: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.detail}"


class FilesRefused(Exception):
    """The files have faults, so nothing is applied."""

    def __init__(self, faults: Sequence[LineFault]) -> None:
        super().__init__("\n".join(map(str, faults)))
        self.faults = tuple(faults)


@dataclass(frozen=True, slots=True)
class File:
    """A file that was read. `name` is shown; secrets are relative to `directory`."""

    name: str
    directory: Path
    document: Document

    def fault(self, at: str, detail: str) -> LineFault:
        """Returns a fault at the line of a value. It begins with the path of the value."""
        path = at.removeprefix("/").replace("/", ".").replace("~1", "/").replace("~0", "~")
        return LineFault(self.name, self.document.line(at), f"{path}: {detail}" if path else detail)


@dataclass(frozen=True, slots=True)
class Entry:
    """A record of a file: its section, its key and its document."""

    section: Section
    key: str
    document: dict[str, Any]
    file: File = field(repr=False)

    def fault(self, fault: Fault) -> LineFault:
        """Returns a fault of the record with its line."""
        return self.file.fault(f"/{self.section.name}/{escaped(self.key)}{fault.pointer}", fault.detail)


@dataclass(frozen=True, slots=True)
class Files:
    """The content of all files. `workspace` is the document of the workspace with its file."""

    name: str
    entries: list[Entry]
    workspace: tuple[dict[str, Any], File] | None

    def of(self, section: Section) -> Iterator[Entry]:
        """Yields the entries of a section in the order of the files."""
        return (each for each in self.entries if each.section is section)


def read(path: Path) -> Files:
    """Reads a file, or all YAML files of a directory in the order of their names. Raises `FilesRefused`."""
    found, faults = [], []
    for place, name in _places(path):
        try:
            found.append(File(name, place.parent, yaml_documents.read(_text(place))))
        except FileFault as fault:
            faults.append(LineFault(name, fault.line, fault.detail))
    content = _Content(name_of(path))
    for file in found:
        content.add(file)
    if faults or content.faults:
        raise FilesRefused([*faults, *content.faults])
    return Files(content.name, list(content.entries.values()), content.workspace)


def name_of(path: Path) -> str:
    """Returns the name of a file or directory, by which it keeps its records. A link has its own name."""
    return path.absolute().name if path.name not in ("", "..") else path.resolve().name


def _places(path: Path) -> list[tuple[Path, str]]:
    if not path.is_dir():
        return [(path, name_of(path))]
    root = name_of(path)
    found = sorted(each for each in path.iterdir() if each.suffix in ENDINGS and each.is_file())
    if not found or len(found) > MOST_FILES:
        what = f"more than {MOST_FILES} files" if found else "no file that ends in .yaml or .yml"
        raise FilesRefused([LineFault(root, 1, f"The directory has {what}.")])
    return [(each, f"{root}/{each.name}") for each in found]


def _text(place: Path) -> str:
    try:
        with place.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise FileFault(f"The file has more than {MOST_BYTES:,} bytes.")
        return content.decode()
    except OSError:
        raise FileFault("The file cannot be read.") from None
    except UnicodeDecodeError:
        raise FileFault("The file is not UTF-8.") from None


@dataclass(slots=True)
class _Content:
    """The content of the files that were read so far, and its faults."""

    name: str
    entries: dict[tuple[str, str], Entry] = field(default_factory=dict)
    workspace: tuple[dict[str, Any], File] | None = None
    faults: list[LineFault] = field(default_factory=list)

    def add(self, file: File) -> None:
        """Adds the sections of a file."""
        value = file.document.value
        if not isinstance(value, Mapping) or value.get("version") != VERSION:
            self.faults.append(file.fault("/version", f"The file must begin with version: {VERSION}."))
            return
        for name, inner in value.items():
            if name == "workspace":
                self._add_workspace(file, inner)
            elif name in BY_NAME:
                self._add_section(file, BY_NAME[name], inner)
            elif name != "version":
                known = ", ".join(["version", "workspace", *BY_NAME])
                self.faults.append(file.fault(f"/{escaped(name)}", f"Unknown section. Use one of: {known}."))

    def _add_workspace(self, file: File, value: Any) -> None:
        if self.workspace is not None:
            self.faults.append(file.fault("/workspace", f"Also in {self.workspace[1].name}. Keep it in one file."))
        elif not isinstance(value, dict):
            self.faults.append(file.fault("/workspace", "Must be an object."))
        else:
            self.workspace = (value, file)

    def _add_section(self, file: File, section: Section, value: Any) -> None:
        if value is not None and not isinstance(value, dict):
            self.faults.append(file.fault(f"/{section.name}", "Must be an object of records by their keys."))
            return
        for key, document in (value or {}).items():
            at = f"/{section.name}/{escaped(key)}"
            if KEY.fullmatch(key) is None:
                self.faults.append(file.fault(at, BAD_KEY))
            elif not isinstance(document, dict):
                self.faults.append(file.fault(at, "Must be an object."))
            elif (section.name, key) in self.entries:
                self.faults.append(file.fault(at, f"Also in {self.entries[section.name, key].file.name}."))
            elif len(self.entries) >= MOST_RECORDS:
                self.faults = [file.fault(at, f"The files have more than {MOST_RECORDS:,} records.")]
                return
            else:
                self.entries[section.name, key] = Entry(section, key, document, file)
