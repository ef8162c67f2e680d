"""The limits of imported schedules, profiles and people, and restrictions of several days (specification 22.12)."""

from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime, time, timedelta
from typing import Any
from uuid import UUID

import pytest

from inbox.domain.oncall.schedule import Unit
from inbox.domain.values.windows import Window
from inbox.intake.importers import answers, escalations, on_call_schedules, plan, week_spans
from inbox.intake.importers import people as of_import
from inbox.intake.importers.escalations import EscalationDraft
from inbox.intake.importers.on_call_schedules import LayerDraft, OverrideDraft, ScheduleDraft
from inbox.intake.importers.people import Contact, People, Person
from inbox.intake.importers.plan import Item, Plan, Unreadable
from tests.intake.importers.rotas import DAY, SPRING, WEEK

ANA = UUID(int=1)


def layer(**more: Any) -> LayerDraft:
    values: dict[str, Any] = {"start": datetime(2027, 1, 4, 9), "unit": Unit.DAY, "every": 1, "members": [[ANA]]}
    return LayerDraft("Day", **{**values, **more})


def added(*layers: LayerDraft, zone: str = "UTC", **more: Any) -> tuple[Item | None, str]:
    """The item of a schedule with these layers, or the reason why there is none."""
    made = Plan()
    on_call_schedules.add(made, ScheduleDraft("x", "Rota", zone, layers=list(layers), **more), People(), SPRING)
    return (made.items or [None])[0], made.left_out[0].reason if made.left_out else ""


HOURS = [Window(frozenset({0}), time(hour), time(hour, 30)) for hour in range(21)]


@pytest.mark.parametrize(
    ("field", "allowed", "beyond"),
    [
        ("every", 366, 367),
        ("every", 1, 0),
        ("members", [[ANA]] * 50, [[ANA]] * 51),
        ("members", [[UUID(int=number) for number in range(10)]], [[UUID(int=number) for number in range(11)]]),
        ("windows", HOURS[:20], HOURS),
        ("start", datetime(1970, 1, 1), datetime(1969, 12, 31)),
        ("start", datetime(2100, 12, 31), datetime(2101, 1, 1)),
        ("timezone", "Asia/Kolkata", "Asia/Nowhere"),
    ],
)
def test_a_layer_beyond_a_limit_leaves_the_schedule_out(field: str, allowed: Any, beyond: Any) -> None:
    item, _ = added(layer(**{field: allowed}))
    nothing, reason = added(layer(**{field: beyond}))

    assert item is not None
    assert nothing is None and reason.startswith("Day: ")


@pytest.mark.parametrize(("count", "is_imported"), [(19, True), (20, True), (21, False)])
def test_a_schedule_has_at_most_twenty_layers(count: int, *, is_imported: bool) -> None:
    assert (added(*[layer()] * count)[0] is not None) is is_imported


@pytest.mark.parametrize(("count", "kept"), [(999, 999), (1_000, 1_000), (1_001, 1_000)])
def test_overrides_beyond_a_thousand_are_named_and_left_out(count: int, kept: int) -> None:
    hour = timedelta(hours=1)
    drafts = [OverrideDraft(SPRING + n * hour, SPRING + (n + 1) * hour, people=[ANA]) for n in range(1, count + 1)]

    item, _ = added(layer(), overrides=drafts)

    assert item is not None and len(item.fields["overrides"]) == kept
    assert any("1,000 overrides" in each for each in item.warnings) is (count > kept)


@pytest.mark.parametrize(("more", "kept"), [(timedelta(), 1), (timedelta(seconds=1), 0)])
def test_an_override_of_more_than_a_year_is_left_out(more: timedelta, kept: int) -> None:
    long = OverrideDraft(SPRING, SPRING + timedelta(days=366) + more, people=[ANA])
    ended = OverrideDraft(SPRING - timedelta(days=2), SPRING, people=[ANA])

    item, _ = added(layer(), overrides=[long, ended])

    assert item is not None and len(item.fields["overrides"]) == kept


def test_a_start_that_clocks_show_twice_moves_by_whole_rounds() -> None:
    twice = layer(start=datetime(2026, 10, 25, 2, 30), members=[[ANA], [UUID(int=2)], []])

    item, _ = added(twice, zone="Europe/Berlin")

    assert item is not None
    [found] = item.fields["layers"]
    moved = datetime.fromisoformat(found["start"]) - datetime(2026, 10, 25, 2, 30)
    assert (moved % timedelta(days=3), moved > timedelta()) == (timedelta(), True)


def test_a_later_start_that_clocks_show_twice_leaves_the_schedule_out() -> None:
    _, reason = added(layer(start=datetime(2027, 10, 31, 2, 30)), zone="Europe/Berlin")

    assert reason == "Day: Clocks skip its start, or show it twice."


@pytest.mark.parametrize(
    "spans",
    [
        [(0, 60)], [(23 * 60, 120)], [(4 * DAY + 17 * 60, 64 * 60)], [(6 * DAY + 60, WEEK - 30)], [(0, DAY)],
        [(5 * DAY + 30, DAY + 1)], week_spans.daily(22 * 60, 6 * 60), week_spans.daily(540, 540),
        [week_spans.weekly(6 * DAY, DAY)],
    ],
)  # fmt: skip
def test_windows_cover_the_minutes_of_their_spans(spans: list[tuple[int, int]]) -> None:
    covered = {(start + minute) % WEEK for start, length in spans for minute in range(length)}

    windows = week_spans.windows_of(spans)

    found = set()
    for window in windows:
        for start, end in window.spans():
            first, last = (int(each.total_seconds() // 60) for each in (start, end))
            found |= {minute % WEEK for minute in range(first, last)}
    assert found == covered


@pytest.mark.parametrize(("count", "kept"), [(9, 9), (10, 10), (11, 10)])
def test_a_profile_has_the_first_ten_steps(count: int, kept: int) -> None:
    draft = EscalationDraft("x", "Backend", {minutes: ["a:person:1"] for minutes in range(count)}, repeat=9)
    made = Plan()

    escalations.add(made, draft, [])

    assert (len(made.items[0].fields["steps"]), made.items[0].fields["repeat"]) == (kept, 5)
    assert any("at most 10 steps" in each for each in made.items[0].warnings) is (count > kept)


@pytest.mark.parametrize(("count", "kept"), [(19, 19), (20, 20), (21, 20)])
def test_a_step_has_the_first_twenty_people(count: int, kept: int) -> None:
    draft = EscalationDraft("x", "Backend", {0: [f"a:person:{number}" for number in range(count)]})
    made = Plan()

    escalations.add(made, draft, [])

    assert len(made.items[0].fields["steps"][0]["people"]) == kept


@pytest.mark.parametrize(("minutes", "is_kept"), [(-1, False), (0, True), (10_080, True), (10_081, False)])
def test_a_step_outside_of_a_week_is_left_out(minutes: int, *, is_kept: bool) -> None:
    made = Plan()

    assert escalations.add(made, EscalationDraft("x", "Backend", {minutes: ["a:person:1"]}), []) is is_kept


def test_contact_methods_of_a_person_are_bounded_and_leave_out_the_account() -> None:
    found, made = People(), Plan()
    contacts = [Contact("email", "ana@x.example"), *(Contact("sms", f"+4915{number:04}") for number in range(12))]
    found.know(Person("a:person:1", "Ana", "Ana@x.example", contacts), "1")

    of_import.add(made, found)

    kept = made.items[0].fields["contacts"]
    assert (len(kept), {each["kind"] for each in kept}) == (of_import.MOST_CONTACTS, {"sms"})
    assert made.items[0].warnings == ("Only the first 10 of 12 contact methods are imported.",)


@pytest.mark.parametrize(("count", "beyond"), [(9, 0), (10, 0), (11, 1)])
def test_rules_of_a_list_beyond_ten_are_named(count: int, beyond: int) -> None:
    contacts = [Contact("sms", f"+4915{number:04}") for number in range(9)]
    methods = [*contacts, of_import.PUSH, Contact("email", "ana@x.example")]
    found, made = People(), Plan()
    person = Person("a:person:1", "Ana", "ana@x.example", contacts)
    for each in methods[:count]:
        person.add_rule(of_import.DEFAULT, 1, each.kind, each)
    found.know(person, "1")

    of_import.add(made, found)

    assert len(made.items[0].fields["rules"]["default"]) == count - beyond
    assert [each for each in made.items[0].warnings if "at most 10 rules" in each] == [
        "The notification rule by mail after 1 min is not imported. A list has at most 10 rules.",
    ] * beyond  # fmt: skip


@pytest.mark.parametrize(("count", "listed"), [(49, 49), (50, 50), (52, 51)])
def test_warnings_of_an_item_beyond_fifty_are_counted(count: int, listed: int) -> None:
    texts = [f"Warning {number}." for number in range(count)]

    found = plan.notes([*texts, *texts])

    assert len(found) == listed
    assert ("2 further warnings are not listed." in found) is (count > plan.MAX_ITEM_NOTES)


@pytest.mark.parametrize(("more", "is_read"), [(-1, True), (0, True), (1, False)])
def test_a_file_is_unpacked_to_a_size(more: int, *, is_read: bool) -> None:
    frame = {"kind": "opsgenie", "readAt": "2027-03-03T10:15:00+00:00", "answers": {}, "fill": ""}
    room = answers.MOST_BYTES - len(json.dumps(frame)) + more
    content = gzip.compress(json.dumps({**frame, "fill": " " * room}).encode(), 1)

    if is_read:
        assert answers.read("opsgenie", content) == ({}, datetime(2027, 3, 3, 10, 15, tzinfo=UTC))
    else:
        with pytest.raises(Unreadable, match="33,554,432 bytes"):
            answers.read("opsgenie", content)


def test_saved_answers_of_another_tool_are_refused() -> None:
    with pytest.raises(Unreadable):
        answers.read("pagerduty", answers.written("opsgenie", {"/v2/users": b"{}"}, SPRING))


def test_an_empty_name_leaves_a_schedule_out() -> None:
    made = Plan()
    on_call_schedules.add(made, ScheduleDraft("x", " ", "UTC", layers=[layer()]), People(), SPRING)

    assert (made.items, made.left_out[0].name) == ([], plan.NO_NAME)
