"""Resealing under the newest key, so that an older key can be removed while the service runs (specification 9.3).

The rotation has three steps:

1. Every process gets a ring that begins with the new key and still has the old one.
2. `reseal` runs.
3. The operator removes the old key.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from inbox.database.base import db
from inbox.flow.unit_of_work import work
from inbox.models.instance import sealed
from inbox.models.instance.sealed import COLUMNS, SealedColumn, SealedValue
from inbox.runtime import sealing
from inbox.services.records import audit

MAX_PASSES = 5


@dataclass(slots=True)
class Resealed:
    """The number of resealed values, of values under an older key, and of `unreadable` values, by table."""

    resealed: dict[str, int] = field(default_factory=dict)
    remaining: dict[str, int] = field(default_factory=dict)
    unreadable: dict[str, int] = field(default_factory=dict)

    @property
    def is_complete(self) -> bool:
        """Whether older keys can be removed from the ring."""
        return not any(self.remaining.values()) and not any(self.unreadable.values())


def reseal(now: datetime, *, dry_run: bool = False) -> Resealed:
    """Reseal all values under older keys, a hundred rows per transaction. Concurrent calls are allowed.

    Values that change meanwhile are skipped and checked again. An unreadable value stays unchanged. `dry_run` only
    counts.
    """
    found = Resealed()
    for column in COLUMNS:
        found.resealed[column.table] = 0
        for _ in range(0 if dry_run else MAX_PASSES):
            changed = sum(_reseal_batch(column, batch) for batch in _old(column))
            found.resealed[column.table] += changed
            if not changed:
                break
        _count(column, found)
    if any(found.resealed.values()):
        with work():
            details = {"key": sealing.current().newest, **found.resealed}
            audit.record("secrets.rotated", target=audit.Target("instance"), now=now, details=details)
    return found


def _old(column: SealedColumn) -> Iterator[list[SealedValue]]:
    """Yield the values under an older key, in batches."""
    ring, after = sealing.current(), sealed.FIRST
    while batch := sealed.page(column, after):
        old = [row for row in batch if _is_old(ring, row)]
        if old:
            yield old
        after = batch[-1].id


def _is_old(ring: sealing.KeyRing, row: SealedValue) -> bool:
    try:
        return ring.needs_reseal(row.value)
    except sealing.CannotUnseal:
        return True  # not a sealed value, so it will not open


def _reseal_batch(column: SealedColumn, batch: list[SealedValue]) -> int:
    ring, changed = sealing.current(), 0
    with db.atomic():
        for row in batch:
            place = sealing.associated_data(column.table, row.id, row.scope, column.column)
            try:
                resealed_value = ring.seal(ring.open(row.value, place), place)
            except sealing.CannotUnseal:
                continue
            changed += sealed.replace(column, row, resealed_value)
    return changed


def _count(column: SealedColumn, found: Resealed) -> None:
    """Open every value, because the id of a key does not prove that the ring has the same key."""
    ring, after = sealing.current(), sealed.FIRST
    found.remaining[column.table] = found.unreadable[column.table] = 0
    while batch := sealed.page(column, after):
        for row in batch:
            try:
                ring.open(row.value, sealing.associated_data(column.table, row.id, row.scope, column.column))
                found.remaining[column.table] += ring.needs_reseal(row.value)
            except sealing.CannotUnseal:
                found.unreadable[column.table] += 1
        after = batch[-1].id
