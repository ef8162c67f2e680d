"""Reads the files of the built dashboard once, and keeps them in memory with their compressed forms."""

from __future__ import annotations

import json
import mimetypes
import re
from dataclasses import dataclass
from pathlib import Path

HASHED = re.compile(r"assets/[\w.-]+-[\w-]{8}\.\w+")
"""A name with the hash of the content. The file of such a name never changes."""

TYPES = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
    ".ico": "image/x-icon",
    ".png": "image/png",
    ".txt": "text/plain; charset=utf-8",
    ".json": "application/json",
}
ENCODINGS = (("br", ".br"), ("gzip", ".gz"))
"""The encodings, best first."""


@dataclass(frozen=True, slots=True)
class BuiltFile:
    """One file: its content by encoding, always including `identity`."""

    content_type: str
    is_hashed: bool
    bodies: dict[str, bytes]


@dataclass(frozen=True, slots=True)
class Build:
    """One build: the document with its placeholder for the nonce, and the files by path."""

    stamp: int
    document: str
    files: dict[str, BuiltFile]
    screens: dict[str, list[str]]
    """The scripts and styles of each screen, by its name."""


def stamp(folder: Path) -> int:
    """Returns the time of the build, or 0 without one. A build writes its document last."""
    try:
        return (folder / "index.html").stat().st_mtime_ns
    except OSError:
        return 0


def read(folder: Path) -> Build:
    """Reads the whole folder. Raises `OSError` while a build replaces it."""
    built_at = stamp(folder)
    compressed = tuple(suffix for _, suffix in ENCODINGS)
    paths = [path for path in folder.rglob("*") if path.is_file() and path.suffix not in compressed]
    files = {str(path.relative_to(folder)): _file(path, folder) for path in paths if path.name != "index.html"}
    listed = folder / "screens.json"
    screens = json.loads(listed.read_text()) if listed.exists() else {}
    return Build(built_at, (folder / "index.html").read_text(), files, screens)


def _file(path: Path, folder: Path) -> BuiltFile:
    bodies = {"identity": path.read_bytes()}
    for encoding, suffix in ENCODINGS:
        beside = path.with_name(path.name + suffix)
        if beside.exists():
            bodies[encoding] = beside.read_bytes()
    content_type = TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    return BuiltFile(content_type, bool(HASHED.fullmatch(str(path.relative_to(folder)))), bodies)
