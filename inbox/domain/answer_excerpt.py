"""What is stored of the answer of a receiver (specification 9.6)."""

from __future__ import annotations

from collections.abc import Iterable

from inbox.domain.redaction import MARK, redact

EXCERPT_BYTES = 2_048
SHORTEST_PART = 4
"""The length from which the beginning of a secret at the end of a response is removed."""

_MASKED = 2 * EXCERPT_BYTES
"""Characters in which secrets are masked. The excerpt is the beginning of them, also where redaction makes them fewer."""


def excerpt(answer: str, secrets: Iterable[str] = ()) -> str:
    """The beginning of a response as stored and shown, at most 2 KiB. Keys of the service and `secrets` are removed.

    Secrets are removed before the cut, so that it leaves no part of one. A response that breaks off in a secret loses
    that part.
    """
    forms = {each for each in secrets if each}
    if forms:
        answer = _masked(answer, _Forms(forms))
    return redact(answer).encode("utf-8")[:EXCERPT_BYTES].decode("utf-8", errors="ignore").strip()


def _masked(text: str, secrets: _Forms) -> str:
    """The beginning of a text without the secrets. No more of the text is read than this takes."""
    parts: list[str] = []
    at = unmasked_from = written = 0
    while at < len(text) and written < _MASKED:
        length = secrets.length_at(text, at)
        if length:
            parts += (text[unmasked_from:at], MARK)
            unmasked_from = at + length
        at += length or 1
        written += len(MARK) if length else 1
    return "".join((*parts, text[unmasked_from:at]))


class _Forms:
    """Secrets by their first characters. A regular expression would try hundreds of them at each place."""

    def __init__(self, forms: Iterable[str]) -> None:
        self._by_start: dict[str, list[str]] = {}
        for form in sorted(forms, key=len, reverse=True):
            self._by_start.setdefault(form[:SHORTEST_PART], []).append(form)
        self._sizes = sorted(set(map(len, self._by_start)), reverse=True)

    def length_at(self, text: str, at: int) -> int:
        """The length of the longest secret at this place, or of its beginning at the end of the text; 0 without one."""
        for size in self._sizes:
            for form in self._by_start.get(text[at : at + size], ()):
                if text.startswith(form, at) or (len(form) > len(text) - at and form.startswith(text[at:])):
                    return min(len(form), len(text) - at)
        return 0
