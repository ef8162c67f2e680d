"""Interface of kinds that call people and take keys as answers, and what a call says (specification 23.21)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple, Protocol, runtime_checkable

from inbox.destinations.base import Config
from inbox.domain.deliveries.phone_answers import ACKNOWLEDGE_KEY, ESCALATE_KEY, REPEAT_KEY, RESOLVE_KEY
from inbox.domain.explaining.notice_content import CODE, DIGEST, NoticeContent
from inbox.domain.values.redaction import cut

KEYS_TEXT = (
    f"Press {ACKNOWLEDGE_KEY} to acknowledge, {ESCALATE_KEY} to escalate, {RESOLVE_KEY} to resolve,"
    f" or {'star' if REPEAT_KEY == '*' else REPEAT_KEY} to hear it again."
)

LONGEST_SPEECH = 240
"""The characters of what is said once: about 20 seconds."""

_ADDRESS = re.compile(r"\b[a-z][a-z0-9+.-]*://\S+", re.IGNORECASE)
_LONG_ID = re.compile(r"\b(?=\w*\d)\w{16,}\b|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", re.IGNORECASE)


class Keyed(NamedTuple):
    """A pressed key, and the id of the call. `answers_once`: the address of the report serves one answer."""

    key: str
    call_id: str
    answers_once: bool = False


@runtime_checkable
class CallingKind(Protocol):
    """A kind whose service calls a person, and reports pressed keys."""

    def keys(self, url: str, form: Mapping[str, str], signature: str, config: Config) -> Keyed | None:
        """Returns the pressed key of a report to this address; None for one that is not of the service."""

    def repeat(self, words: str, url: str) -> tuple[str, str]:
        """Returns the media type and the body that make the service speak again and take another key."""

    def end(self, words: str) -> tuple[str, str]:
        """Returns the media type and the body that make the service say these words and end the call."""


def speech(content: NoticeContent) -> str:
    """Returns what a call says once: severity, title and source, without addresses and long ids."""
    if content.reason == CODE:
        return f"Your code is {'. '.join(str(content.data['code']))}."
    source = content.data.get("sourceName", "")
    subject = "" if content.reason == DIGEST else f"{content.status.capitalize()}. "
    parts = f"{subject}{_plain(content.title)}.{f' From {_plain(source)}.' if source else ''}"
    return cut(parts, LONGEST_SPEECH)


def _plain(text: str) -> str:
    found = _LONG_ID.sub("", _ADDRESS.sub("", text))
    return " ".join("".join(sign if sign.isprintable() else " " for sign in found).split())
