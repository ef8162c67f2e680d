"""Types of a source kind and of its snippets."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from inbox.domain.events.time_meaning import TimeMeaning
from inbox.domain.senders.keys import SenderKeyKind

TEXTS = Path(__file__).parent / "texts"
KEY = "INBOX_KEY_HERE"
"""Placeholder for the key in the texts."""

CLOSES = "An alarm opens an incident, and its end resolves it."
"""The effect of most texts of tools."""

GROUPS = "Each group of alerts becomes one incident, and the end of its last alert resolves it."
"""The effect of texts of tools with a group of their own."""

SOURCE = "INBOX_SOURCE_HERE"
"""Placeholder for the id of the source when no source is known."""


class MailPlace(NamedTuple):
    """The server that receives mails of senders. Without a `domain` it is the host of the instance."""

    domain: str
    port: int


NO_MAIL = MailPlace("", 25)


@dataclass(frozen=True, slots=True)
class Snippet:
    """A text of a kind. `file` is in `texts/` or in the folder of its tool; `expect` describes the effect."""

    name: str
    label: str
    file: str
    expect: str
    key_kind: SenderKeyKind | None = None
    """The key of this text, if it differs from the key of the kind."""

    folder: Path = TEXTS

    @property
    def language(self) -> str:
        """Returns the language by the first ending of the file: `sh`, `py`, `yml`, `js` or `txt`."""
        return self.file.split(".")[1]

    def text(self, base_url: str, source_id: str = SOURCE, mail: MailPlace = NO_MAIL) -> str:
        """Returns the text with the address of the instance, the id of the source and `KEY`."""
        parts = urlsplit(base_url)
        with_key = f"{parts.scheme}://inbox:{KEY}@{parts.netloc}{parts.path}"
        places = {"URL_WITH_KEY": with_key, "URL": base_url, "KEY": KEY}
        places |= {
            "S": "s" if parts.scheme == "https" else "",
            "SCHEME": parts.scheme,
            "HOST": parts.netloc,
            "PATH": parts.path.rstrip("/"),
        }
        places |= {"SOURCE": source_id, "MAIL": mail.domain or parts.hostname or "", "MAIL_PORT": str(mail.port)}
        text = _text(self.folder / self.file)
        for name, value in places.items():
            text = text.replace(f"@{name}@", value)
        return text


@dataclass(frozen=True, slots=True)
class SourceKind:
    """A kind of source.

    Senders call `path` and need a key of `key_kind`; `setup` says where both are entered.
    """

    kind: str
    label: str
    summary: str
    setup: str
    path: str
    key_kind: SenderKeyKind
    snippets: tuple[Snippet, ...]
    time: TimeMeaning | None = None
    """The meaning of the time of its events; None for the service's own formats."""


@cache
def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8").rstrip("\n")
