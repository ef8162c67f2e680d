"""The rule of edits: the people who are on call now stay on call (specification 23.4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from inbox.domain.oncall.schedule import Layer, People
from inbox.domain.oncall.turns import turn_at


def keep_present(before: Sequence[Layer], after: Sequence[Layer], now: datetime) -> tuple[Layer, ...]:
    """Returns the edited layers, with members rotated so that the people of the present turns stay.

    If they were removed, the next ones of the former order take over. A layer with another `start` begins anew with its
    first member, and so does a new layer.
    """
    former = {layer.id: layer for layer in before}
    return tuple(_kept(former[layer.id], layer, now) if layer.id in former else layer for layer in after)


def _kept(before: Layer, after: Layer, now: datetime) -> Layer:
    old, new = turn_at(before, now), turn_at(after, now)
    if after.start != before.start or old is None or new is None or not before.members:
        return after
    wanted = _present_place(before, before.place(old), after)
    return after if wanted is None else _rotated(after, wanted - after.place(new))


def _rotated(layer: Layer, by: int) -> Layer:
    by %= len(layer.members)
    return replace(layer, members=layer.members[by:] + layer.members[:by])


def _present_place(before: Layer, place: int, after: Layer) -> int | None:
    """Returns the place in the new list of the people on call, or of the next ones who are still in it."""
    if before.members == after.members:
        return place
    order = before.members[place:] + before.members[:place]
    for position, people in enumerate(order):
        following = order[(position + 1) % len(order)]
        for places in _candidates(people, after.members):
            return next((each for each in places if _next(after, each) == following), places[0])
    return None


def _candidates(people: People, members: Sequence[People]) -> Iterator[list[int]]:
    """Yields the places with the same people, else the places with some of them."""
    same = [place for place, each in enumerate(members) if set(each) == set(people)]
    shared = [place for place, each in enumerate(members) if set(each) & set(people)]
    yield from filter(None, (same, shared))


def _next(layer: Layer, place: int) -> People:
    return layer.members[(place + 1) % len(layer.members)]
