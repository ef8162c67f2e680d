"""Realistic defects, one list for each room; `bin/bench sabotage` plants them one at a time."""

from __future__ import annotations

from bench.defects import people, reads, silences
from bench.defects.defect import Defect, Unfit

DEFECTS: tuple[Defect, ...] = (*silences.DEFECTS, *people.DEFECTS, *reads.DEFECTS)

__all__ = ["DEFECTS", "Defect", "Unfit"]
