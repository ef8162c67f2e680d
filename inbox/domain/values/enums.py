"""Enumerations whose members hash as fast as their text."""

from __future__ import annotations

from enum import StrEnum


class FastStrEnum(StrEnum):
    """An enumeration used as a dictionary key for every event. `Enum` computes the hash from the name, in Python."""

    __hash__ = str.__hash__
