"""Closed lists of words, each as quick to look up as the text that it is."""

from __future__ import annotations

from enum import StrEnum


class FastStrEnum(StrEnum):
    """A list of words that tables are asked by for every event: an `Enum` finds out its hash by its name, in Python."""

    __hash__ = str.__hash__
