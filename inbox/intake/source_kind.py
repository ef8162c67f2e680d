"""The shape of a source kind and of its snippets."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from inbox.domain.senders.keys import SenderKeyKind

TEXTS = Path(__file__).parent / "texts"
KEY = "INBOX_KEY_HERE"
"""Stands for the key in the texts."""

CLOSES = "An alarm opens an incident, and its end resolves it."
"""What most texts of tools do."""

SOURCE = "INBOX_SOURCE_HERE"
"""Stands for the id of the source where no source is known."""


class MailPlace(NamedTuple):
    """Where mails of senders are received. Without a `domain` it is the host of the instance."""

    domain: str
    port: int


NO_MAIL = MailPlace("", 25)


@dataclass(frozen=True, slots=True)
class Snippet:
    """A text of a kind. `file` is in `texts/`, or in the folder of its tool; `expect` says what happens when it is used."""

    name: str
    label: str
    file: str
    expect: str
    key_kind: SenderKeyKind | None = None
    """The key of this text, where it is not that of the kind."""

    folder: Path = TEXTS

    @property
    def language(self) -> str:
        """The language by the first ending of the file: `sh`, `py`, `yml`, `js` or `txt`."""
        return self.file.split(".")[1]

    def text(self, base_url: str, source_id: str = SOURCE, mail: MailPlace = NO_MAIL) -> str:
        """The text with the address of the instance, the id of the source and `KEY`."""
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
    """A way in. `path` is what senders call; `key_kind` is the key that they need; `setup` says where both are entered."""

    kind: str
    label: str
    summary: str
    setup: str
    path: str
    key_kind: SenderKeyKind
    snippets: tuple[Snippet, ...]


@cache
def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8").rstrip("\n")
