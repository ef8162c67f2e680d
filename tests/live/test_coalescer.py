"""Coalescing of changes: the published lines and their times. Time is an argument."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from inbox.live import wire
from inbox.live.coalescer import Coalescer


def reference(number: int = 1, **more: Any) -> dict[str, Any]:
    return {"type": "incident", "id": f"inc_{number}", "workspaceId": "wsp_1", "op": "changed", "rev": 1, **more}


def reported(lines: list[bytes]) -> list[dict[str, Any]]:
    return [orjson.loads(line.removeprefix(b"data: ")) for line in lines]


def test_a_lone_change_after_quiet_is_reported_at_once():
    assert reported(Coalescer().add([reference()], 0.0)) == [reference()]


def test_changes_within_200_ms_are_published_once_at_the_end():
    window = Coalescer()
    window.add([reference(rev=1)], 0.0)

    at_once = [*window.add([reference(rev=2)], 0.05), *window.add([reference(rev=3)], 0.1), *window.flush(0.19)]

    assert at_once == []
    assert reported(window.flush(0.2)) == [reference(rev=3)]


def test_different_things_are_reported_each_in_order():
    window = Coalescer()
    window.add([reference(1)], 0.0)
    window.add([reference(2), reference(3)], 0.1)
    window.add([reference(2)], 0.15)

    assert [line["id"] for line in reported(window.flush(0.2))] == ["inc_2", "inc_3"]


def test_an_idle_coalescer_publishes_nothing_and_then_the_next_change_at_once():
    window = Coalescer()
    window.add([reference(1)], 0.0)

    assert window.flush(0.2) == []
    assert reported(window.add([reference(2)], 0.21)) == [reference(2)]


def test_a_record_created_and_changed_in_one_window_is_reported_as_created():
    window = Coalescer()
    window.add([reference(9)], 0.0)
    window.add([reference(1, op="created", rev=1), reference(1, rev=2)], 0.1)

    assert reported(window.flush(0.2)) == [reference(1, op="created", rev=2)]


def test_a_deletion_outweighs_later_changes():
    window = Coalescer()
    window.add([reference(9)], 0.0)
    window.add([reference(1, op="deleted", rev=5), reference(1, rev=4)], 0.1)

    assert reported(window.flush(0.2)) == [reference(1, op="deleted", rev=5)]


def test_a_hundred_things_in_a_window_are_reported_one_by_one():
    assert len(Coalescer().add([reference(number) for number in range(100)], 0.0)) == 100


def test_more_than_a_hundred_changes_in_a_window_are_one_resync():
    assert Coalescer().add([reference(number) for number in range(101)], 0.0) == [wire.resync(types=["incident"])]


def test_a_resync_names_the_types_of_all_changes_that_it_replaces():
    window = Coalescer("wsp_1")
    window.add([reference(0)], 0.0)
    window.add([{**reference(1), "type": "rule"}], 0.05)
    window.add([reference(number) for number in range(101)], 0.1)
    window.add([{**reference(2), "type": "delivery"}], 0.15)

    (line,) = reported(window.flush(0.2))

    assert line["types"] == ["delivery", "incident", "rule"]
    window.flush(1.2)
    assert reported(window.add([reference()], 9.0)) == [reference()]


def test_a_resync_of_a_large_work_names_its_types_and_the_waiting_types():
    window = Coalescer()
    window.add([reference(0)], 0.0)
    window.add([{**reference(1), "type": "rule"}], 0.05)
    window.add([{"type": "resync", "types": ["event", "delivery"]}], 0.1)

    (line,) = reported(window.flush(0.2))

    assert line["types"] == ["delivery", "event", "rule"]


def test_a_storm_that_lasts_is_one_resync_a_second():
    window, lines = Coalescer(), []
    for step in range(40):  # 60 different things each 0.1 s, for 4 s
        lines += window.add([reference(step * 60 + number) for number in range(60)], step / 10)
        lines += window.flush(step / 10)
    lines += window.flush(5.0)

    resyncs = [line for line in lines if wire.is_resync(line)]
    assert 4 <= len(resyncs) <= 5
    assert len(lines) == 60 + len(resyncs)


def test_no_change_is_lost_between_two_resyncs():
    window = Coalescer()
    window.add([reference(number) for number in range(101)], 0.0)
    window.add([reference(number) for number in range(101)], 0.1)

    assert window.flush(0.2) == []
    assert window.flush(0.99) == []
    assert window.flush(1.0) == [wire.resync(types=["incident"], earlier=1)]


def test_a_resync_that_stands_for_a_large_work_is_reported_as_one():
    assert Coalescer().add([{"type": "resync", "types": ["event"]}], 0.0) == [wire.resync(types=["event"])]


def test_a_window_is_idle_once_its_resync_spread_has_expired():
    window = Coalescer()
    window.add([{"type": "resync", "types": ["event"]}], 0.0)

    assert window.flush(0.9) == []
    assert not window.is_idle
    assert window.flush(1.0) == []
    assert not window.is_idle
    assert window.flush(5.0) == []
    assert window.is_idle


def test_a_resync_names_its_workspace_and_spreads_more_the_longer_a_storm_lasts():
    window, lines = Coalescer("wsp_1"), []
    for second in range(12):
        lines += window.add([reference(second * 101 + number) for number in range(101)], second + 0.5)
        lines += window.flush(second + 1.5)

    found = reported(lines)
    assert {(line["type"], line["workspaceId"]) for line in found} == {("resync", "wsp_1")}
    spreads = [line["spreadSeconds"] for line in found]
    assert spreads == sorted(spreads)
    assert (spreads[0], spreads[-1]) == (1, 5)


def test_a_resync_spreads_more_the_more_streams_there_are():
    def spread(streams: int) -> int:
        many = [reference(number) for number in range(101)]
        (line,) = reported(Coalescer("wsp_1").add(many, 0.0, streams))
        return int(line["spreadSeconds"])

    assert [spread(streams) for streams in (1, 39, 40, 300, 599, 600, 2_000)] == [1, 1, 2, 15, 29, 30, 30]


def test_the_spread_is_short_again_after_a_storm():
    window = Coalescer("wsp_1")
    for second in range(4):
        window.add([reference(second * 101 + number) for number in range(101)], second + 0.5)
        window.flush(second + 1.5)
    window.add([reference(1)], 10.0)
    window.flush(11.0)
    window.flush(12.0)

    (line,) = reported(window.add([reference(number) for number in range(101)], 13.0))

    assert line["spreadSeconds"] == 1


@pytest.mark.parametrize(("streams", "ends"), [(1, 0.2), (200, 0.2), (500, 0.5), (1_000, 1.0), (2_000, 1.0)])
def test_a_window_is_longer_for_many_receivers(streams: int, ends: float):
    window = Coalescer("wsp_1")
    window.add([reference(1)], 0.0, streams)
    window.add([reference(2)], 0.1, streams)

    assert window.flush(ends - 0.01, streams) == []
    assert [line["id"] for line in reported(window.flush(ends, streams))] == ["inc_2"]


@pytest.mark.parametrize(("acts", "at_once"), [(9, 9), (10, 10), (11, 10)])
def test_ten_acts_of_people_in_a_window_do_not_wait(acts: int, at_once: int):
    window = Coalescer()
    window.add([reference(0)], 0.0)

    lines = [line for number in range(1, acts + 1) for line in window.add([reference(number, act=True)], 0.1)]

    assert reported(lines) == [reference(number) for number in range(1, at_once + 1)]
    assert reported(window.flush(0.2)) == [reference(number) for number in range(at_once + 1, acts + 1)]
    window.add([reference(0)], 0.3)
    assert reported(window.add([reference(20, act=True)], 0.31)) == [reference(20)]


def test_an_act_takes_what_waits_of_its_record_and_leaves_the_rest():
    window = Coalescer()
    window.add([reference(0)], 0.0)
    window.add([reference(1, op="created"), reference(2)], 0.05)

    assert reported(window.add([reference(1, rev=2, act=True)], 0.1)) == [reference(1, op="created", rev=2)]
    assert reported(window.flush(0.2)) == [reference(2)]


def test_an_act_in_a_storm_does_not_wait_for_its_resync():
    window = Coalescer()
    window.add([reference(number) for number in range(101)], 0.0)
    window.add([reference(number) for number in range(101)], 0.1)

    assert reported(window.add([reference(500, act=True)], 0.2)) == [reference(500)]
    assert window.flush(1.0) == [wire.resync(types=["incident"], earlier=1)]


def test_a_merged_reference_keeps_the_parents_that_are_known():
    window = Coalescer("wsp_1")
    window.add([reference(9)], 0.0)
    event = {"type": "event", "id": "evt_1", "workspaceId": "wsp_1", "op": "created", "rev": 0}
    window.add([{**event, "incidentId": "inc_1", "sourceId": "src_1"}], 0.1)
    window.add([{**event, "op": "changed", "incidentId": "inc_2", "sourceId": None}], 0.15)

    (line,) = reported(window.flush(0.2))

    assert (line["op"], line["incidentId"], line["sourceId"]) == ("created", "inc_2", "src_1")


@pytest.mark.parametrize(
    ("streams", "spread"), [(1, None), (19, None), (20, 1), (39, 1), (40, 2), (599, 29), (600, 30), (2_000, 30)]
)
def test_a_change_that_many_receive_spreads_their_reads(streams: int, spread: int | None):
    [at_once] = reported(Coalescer().add([reference()], 0.0, streams))

    assert at_once.get("spreadSeconds") == spread


def test_changes_flushed_at_the_end_of_a_window_are_spread_over_its_receivers():
    window = Coalescer()
    window.add([reference(1)], 0.0, 100)
    window.add([reference(2)], 0.1, 100)

    assert [line["spreadSeconds"] for line in reported(window.flush(0.2, 200))] == [10]
