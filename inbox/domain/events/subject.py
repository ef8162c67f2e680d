"""An event as rules and silences match it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from inbox.domain.values.severity import Severity


class Named(Protocol):
    """The fields by which an event or an incident is named."""

    @property
    def title(self) -> str: ...
    @property
    def type(self) -> str | None: ...
    @property
    def resource(self) -> str | None: ...
    @property
    def dedup_key(self) -> str | None: ...


class Subject(NamedTuple):
    """The fields that rules and silences match (`matchers.MatchSubject`). Unused fields need not be loaded."""

    severity: Severity
    action: str
    title: str
    type: str | None
    resource: str | None
    dedup_key: str | None
    tags: Sequence[str]
    source_id: str
    source_name: str
    body: str | None = None
    url: str | None = None
    external_id: str | None = None
    metadata: dict[str, Any] | None = None
