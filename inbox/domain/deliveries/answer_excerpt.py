"""Extracts the stored excerpt of a receiver's answer (specification 9.6)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable

from inbox.domain.values.redaction import MARK, redact

EXCERPT_BYTES = 2_048
SHORTEST_PART = 4
"""The length from which the beginning of a secret at the end of a response is removed."""

_MASKED = 2 * EXCERPT_BYTES
"""The number of characters in which secrets are masked. The excerpt is their beginning, even if redaction shortens them."""


def excerpt(answer: str, secrets: Iterable[str] = ()) -> str:
    """Returns the beginning of a response, at most 2 KiB, without keys of the service and `secrets`.

    Secrets are removed before the cut, so that it leaves no part of one. If the response ends within a secret, that
    part is removed, too.
    """
    forms = {each for each in secrets if each}
    if forms:
        answer = _masked(answer, _Forms(forms))
    return redact(answer).encode("utf-8")[:EXCERPT_BYTES].decode("utf-8", errors="ignore").strip()


def _masked(text: str, secrets: _Forms) -> str:
    """Returns the beginning of a text without the secrets. Reads no more of the text than that takes."""
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
    """Secrets in their order. A regular expression would try hundreds of them at each position of an answer."""

    def __init__(self, forms: Collection[str]) -> None:
        self._sorted = sorted(forms)
        self._longest = max(map(len, forms))
        self._starts = {form[:SHORTEST_PART] for form in forms}
        self._sizes = set(map(len, self._starts))
        self._prefixes = _prefixes(self._sorted)

    def length_at(self, text: str, at: int) -> int:
        """Returns the length of the longest secret at this position; 0 without one.

        At the end of the text, the beginning of a secret counts, too.
        """
        for size in self._sizes:
            if text[at : at + size] in self._starts:
                return self._compared(text, at)
        return 0

    def _compared(self, text: str, at: int) -> int:
        rest = text[at : at + self._longest]
        place = bisect_right(self._sorted, rest)
        if place < len(self._sorted) and len(rest) >= SHORTEST_PART and self._sorted[place].startswith(rest):
            return len(rest)  # the text breaks off
        # A secret with which the rest begins is the last one that is not behind it, or a prefix of that.
        found = self._sorted[place - 1] if place else None
        while found is not None and not rest.startswith(found):
            found = self._prefixes[found]
        return 0 if found is None else len(found)


def _prefixes(forms: Iterable[str]) -> dict[str, str | None]:
    """Returns, for each form, the longest other form that is its prefix. The forms are sorted."""
    found: dict[str, str | None] = {}
    open_forms: list[str] = []
    for form in forms:
        while open_forms and not form.startswith(open_forms[-1]):
            open_forms.pop()
        found[form] = open_forms[-1] if open_forms else None
        open_forms.append(form)
    return found
