"""Builds events for matches, and clauses in a short notation."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from inbox.domain.values.severity import Severity

SOURCE = "src_01h455vb4pex5vsknk084sn02q"


@dataclass
class Seen:
    """What a match is asked about; each test names what matters to it."""

    severity: Severity = Severity.ERROR
    type: str | None = None
    resource: str | None = None
    title: str = "Disk full"
    body: str | None = None
    tags: list[str] = field(default_factory=list)
    action: str = "trigger"
    dedup_key: str | None = None
    external_id: str | None = None
    url: str | None = None
    source_id: str = SOURCE
    source_name: str = "Prometheus"
    metadata: dict[str, Any] | None = None


def clause(field: str, op: str, value: Any) -> dict[str, Any]:
    return {"field": field, "op": op, "value": value}


YES = clause("title", "exists", True)
NO = clause("title", "exists", False)
