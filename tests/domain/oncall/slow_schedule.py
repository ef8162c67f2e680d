"""The definition of schedules, moment by moment: slow, and an oracle for `inbox.domain.oncall.shifts`.

It calculates no turn: it walks through the time from the start, and remembers the latest time that clocks have shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID

from dateutil.relativedelta import relativedelta

from inbox.domain.oncall.schedule import Layer, Override, OverrideKind, Unit

GRID = timedelta(minutes=15)
"""All times of the drawn schedules, and all changes of clocks, are multiples of it."""

_LONG_AGO = timedelta(days=3)


def people(
    layers: Sequence[Layer], overrides: Sequence[Override], start: datetime, end: datetime
) -> Iterator[tuple[datetime, frozenset[UUID]]]:
    """Yields each moment of the grid with the people on call."""
    walkers = [_Walker(layer) for layer in layers]
    moment = min(start, *(layer.start.replace(tzinfo=UTC) for layer in layers)) - _LONG_AGO
    while moment < end:
        turns = [walker.at(moment) for walker in walkers]
        if moment >= start:
            yield (
                moment,
                _on_call(layers, turns, [each for each in overrides if each.starts_at <= moment < each.ends_at]),
            )
        moment += GRID


class _Walker:
    """The people of one layer while time passes."""

    def __init__(self, layer: Layer) -> None:
        self.layer = layer
        self.latest = datetime.min
        self.turn = -1
        self.begun: datetime | None = None

    def at(self, moment: datetime) -> frozenset[UUID] | None:
        """Returns the people of the layer; None while it is not active."""
        layer = self.layer
        self.latest = max(self.latest, moment.astimezone(layer.zone).replace(tzinfo=None))
        if self.begun is None and self.latest >= layer.start:
            self.begun = moment
        while self._has_begun(self.turn + 1, moment):
            self.turn += 1
        is_limited = (layer.begins_at and moment < layer.begins_at) or (layer.ends_at and moment >= layer.ends_at)
        if self.turn < 0 or is_limited or not self._is_in_a_window():
            return None
        return frozenset(layer.members[self.turn % len(layer.members)])

    def _has_begun(self, turn: int, moment: datetime) -> bool:
        start, number = self.layer.start, turn * self.layer.every
        match self.layer.unit:
            case Unit.HOUR if 24 % self.layer.every:
                return self.begun is not None and moment >= self.begun + timedelta(hours=number)
            case Unit.HOUR:
                return self.latest >= start + timedelta(hours=number)
            case Unit.DAY:
                return self.latest >= start + timedelta(days=number)
            case Unit.WEEK:
                return self.latest >= start + timedelta(weeks=number)
            case Unit.MONTH:
                return self.latest >= start + relativedelta(months=number)

    def _is_in_a_window(self) -> bool:
        if not self.layer.windows:
            return True
        for back in (0, 1):
            day = datetime.combine(self.latest.date() - timedelta(days=back), datetime.min.time())
            for window in self.layer.windows:
                begins = day + timedelta(hours=window.start.hour, minutes=window.start.minute)
                ends = day + timedelta(hours=window.end.hour, minutes=window.end.minute)
                ends += timedelta(days=window.end <= window.start)
                if day.weekday() in window.days and begins <= self.latest < ends:
                    return True
        return False


def _on_call(
    layers: Sequence[Layer], turns: Sequence[frozenset[UUID] | None], overrides: Sequence[Override]
) -> frozenset[UUID]:
    levels: dict[int, frozenset[UUID]] = {}
    for layer, turn in zip(layers, turns, strict=True):
        if turn is not None:
            own = turn
            for override in overrides:
                own = _applied(override, own) if layer.id in override.layer_ids else own
            if own:
                levels[layer.level] = levels.get(layer.level, frozenset()) | own
    found = levels[max(levels)] if levels else frozenset()
    for override in overrides:
        found = found if override.layer_ids else _applied(override, found)
    return found


def _applied(override: Override, found: frozenset[UUID]) -> frozenset[UUID]:
    given = frozenset(override.user_ids)
    if override.kind is OverrideKind.ADD:
        return found | given
    if override.kind is OverrideKind.REMOVE:
        return found - given
    if override.instead_of is None:
        return given
    return found - {override.instead_of} | given if override.instead_of in found else found
