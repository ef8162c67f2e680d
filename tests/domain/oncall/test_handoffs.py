"""Handoffs: the moments at which people begin and end to be on call (specification 23.10)."""

from __future__ import annotations

from inbox.domain.oncall.handoffs import Handoff, handoffs
from inbox.domain.oncall.schedule import Unit
from inbox.domain.oncall.shifts import shifts
from tests.domain.oncall.layers import ANA, BEN, CEM, at, layer, override, schedule

START, END = at("2026-01-05 09:00"), at("2026-01-19 09:00")


def test_each_turn_ends_one_person_and_begins_another() -> None:
    found = list(handoffs([ANA], shifts(schedule(layer()), START, END)))

    assert found == [Handoff(at("2026-01-12 09:00"), frozenset([ANA]), frozenset([BEN]))]


def test_the_first_shift_is_a_handoff_if_others_were_on_call() -> None:
    first, *_ = handoffs([CEM], shifts(schedule(layer()), START, END))

    assert first == Handoff(START, frozenset([CEM]), frozenset([ANA]))


def test_a_person_who_stays_for_another_reason_has_no_handoff() -> None:
    own = override(1, "2026-01-06 09:00", "2026-01-07 09:00", ANA)
    alone = schedule(layer("2026-01-05 09:00", 1, Unit.WEEK, ANA), overrides=[own])

    assert len(shifts(alone, START, END)) == 3
    assert list(handoffs([ANA], shifts(alone, START, END))) == []


def test_a_gap_ends_everybody() -> None:
    nobody = override(1, "2026-01-06 09:00", "2026-01-07 09:00")
    alone = schedule(layer("2026-01-05 09:00", 1, Unit.WEEK, [ANA, BEN]), overrides=[nobody])
    both = frozenset([ANA, BEN])

    assert list(handoffs([ANA, BEN], shifts(alone, START, END))) == [
        Handoff(at("2026-01-06 09:00"), both, frozenset()),
        Handoff(at("2026-01-07 09:00"), frozenset(), both),
    ]
