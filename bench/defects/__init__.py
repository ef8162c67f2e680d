"""Realistic defects, one list for each room; `bin/bench sabotage` plants them one at a time."""

from __future__ import annotations

from bench.defects import (
    addresses,
    alerts,
    connections,
    delivery,
    ingest,
    notified,
    operations,
    people,
    phones,
    reads,
    routing,
    senders,
    silences,
    storms,
)
from bench.defects.defect import Defect, NotApplicable

DEFECTS: tuple[Defect, ...] = (
    *ingest.DEFECTS, *routing.DEFECTS, *silences.DEFECTS, *delivery.DEFECTS, *people.DEFECTS, *reads.DEFECTS,
    *connections.DEFECTS, *operations.DEFECTS, *senders.DEFECTS, *notified.DEFECTS, *addresses.DEFECTS,
    *storms.DEFECTS, *alerts.DEFECTS, *phones.DEFECTS,
)  # fmt: skip

__all__ = ["DEFECTS", "Defect", "NotApplicable"]
