"""The reference of a message: what a later message of the incident needs to change this one or to reply to it."""

from __future__ import annotations

from collections.abc import Mapping

from inbox.domain.values.text import is_storable as is_storable_text

LONGEST = 4_096
"""Characters of a text in a reference. The address of a server is the longest one; ids of messages are far shorter."""


def is_storable(reference: Mapping[str, object]) -> bool:
    """Whether a reference can be stored. A receiver chooses its texts, and any receiver may answer anything."""
    return all(_is_short(str(value)) for value in reference.values())


def _is_short(text: str) -> bool:
    return len(text) <= LONGEST and is_storable_text(text)
