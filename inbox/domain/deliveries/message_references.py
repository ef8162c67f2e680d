"""The reference of a message, by which a later message of the incident changes it or replies to it."""

from __future__ import annotations

from collections.abc import Mapping

from inbox.domain.values.text import is_storable as is_storable_text

LONGEST = 4_096
"""The maximum characters of a text in a reference. The longest text is a server's address; message ids are far shorter."""


def is_storable(reference: Mapping[str, object]) -> bool:
    """Returns whether a reference can be stored. Its texts come from a receiver, which may answer anything."""
    return all(_is_short(str(value)) for value in reference.values())


def _is_short(text: str) -> bool:
    return len(text) <= LONGEST and is_storable_text(text)
