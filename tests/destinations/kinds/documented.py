"""Requirements on requests in the documentation of services without published types."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tests.destinations.kinds.defects import Path


@dataclass(frozen=True)
class Documented:
    """What the documentation of a service demands: members, the longest text of some, and values at a limit and beyond.

    `credential` is the header or the member that proves who sends.
    """

    credential: str
    required: tuple[Path, ...]
    longest: Mapping[Path, tuple[int, Callable[[str], int]]]
    taken: tuple[tuple[Path, Any], ...]
    refused: tuple[tuple[Path, Any], ...]


def several(path: Path, *values: Any) -> tuple[tuple[Path, Any], ...]:
    """Each value at the place."""
    return tuple((path, value) for value in values)
