"""Interface of kinds whose service reports later whether a message was delivered (specification 9.21)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, runtime_checkable


@runtime_checkable
class ReportingKind(Protocol):
    """A kind that passes `Message.status_url` to its service."""

    def undelivered_because(self, form: Mapping[str, str]) -> str | None:
        """Returns a sentence that says why the reported message failed; None when it arrived or is in transit."""
