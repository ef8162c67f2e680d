"""The interface of kinds whose service reports later what became of a message (specification 9.21)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, runtime_checkable


@runtime_checkable
class ReportingKind(Protocol):
    """A kind that gives its service the address of `Message.status_url`."""

    def undelivered_because(self, form: Mapping[str, str]) -> str | None:
        """Why the message of this report did not arrive, in a sentence; None when it did, or is still in transit."""
