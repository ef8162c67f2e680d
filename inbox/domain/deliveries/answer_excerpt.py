"""What is stored of the answer of a receiver (specification 9.6)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable

from inbox.domain.values.redaction import MARK, redact

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
    """Secrets in their order. A regular expression would try hundreds of them at each place of an answer."""

    def __init__(self, forms: Collection[str]) -> None:
        self._sorted = sorted(forms)
        self._longest = max(map(len, forms))
        self._starts = {form[:SHORTEST_PART] for form in forms}
        self._sizes = set(map(len, self._starts))
        self._prefixes = _prefixes(self._sorted)

    def length_at(self, text: str, at: int) -> int:
        """The length of the longest secret at this place, or of its beginning at the end of the text; 0 without one."""
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
    """For each form the longest other one with which it begins. The forms are sorted."""
    found: dict[str, str | None] = {}
    open_forms: list[str] = []
    for form in forms:
        while open_forms and not form.startswith(open_forms[-1]):
            open_forms.pop()
        found[form] = open_forms[-1] if open_forms else None
        open_forms.append(form)
    return found
