"""Realistic defects, one list for each room; `bin/bench sabotage` plants them one at a time."""

from __future__ import annotations

from bench.defects import delivery, ingest, people, reads, routing, silences
from bench.defects.defect import Defect, Unfit

DEFECTS: tuple[Defect, ...] = (
    *ingest.DEFECTS, *routing.DEFECTS, *silences.DEFECTS, *delivery.DEFECTS, *people.DEFECTS, *reads.DEFECTS,
)  # fmt: skip

__all__ = ["DEFECTS", "Defect", "Unfit"]
