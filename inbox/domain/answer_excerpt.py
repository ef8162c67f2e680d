"""What is stored of the answer of a receiver (specification 9.6)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from inbox.domain.redaction import MARK, redact

EXCERPT_BYTES = 2_048
SHORTEST_PART = 4
"""The length from which the beginning of a secret at the end of a response is removed."""


def excerpt(answer: str, secrets: Iterable[str] = ()) -> str:
    """The beginning of a response as stored and shown, at most 2 KiB. Keys of the service and `secrets` are removed.

    They are removed from the whole response, so that the cut leaves no part of one. A response that breaks off in a
    secret loses that part.
    """
    forms = sorted({each for each in secrets if each}, key=len, reverse=True)
    if forms:
        answer = re.sub("|".join(map(re.escape, forms)), MARK, answer)
        answer = _without_beginning_of(forms, answer)
    return redact(answer).encode("utf-8")[:EXCERPT_BYTES].decode("utf-8", errors="ignore").strip()


def _without_beginning_of(secrets: Iterable[str], text: str) -> str:
    """The text without the part of a secret at its end."""
    for secret in secrets:
        for length in range(min(len(secret) - 1, len(text)), SHORTEST_PART - 1, -1):
            if text.endswith(secret[:length]):
                return text[:-length] + MARK
    return text
