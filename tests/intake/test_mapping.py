"""The mapping of a source: arbitrary JSON and arbitrary mappings (specification 19.17)."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inbox.domain.events import validation
from inbox.domain.events.validation import NewEvent
from inbox.domain.values.severity import Severity
from inbox.intake import mapping, paths
from inbox.intake.base import Payload, Result, WrongPayload
from inbox.intake.mapping import EventMapping
from tests.cast import NOW
from tests.database.call_counts import calls_of

BODY = {
    "site": "berlin",
    "alerts": [
        {
            "name": "DiskFull",
            "host": "db2",
            "level": "high",
            "state": "firing",
            "at": 1_795_251_600,
            "labels": {"team": "ops"},
        },
        {
            "name": "Ping",
            "host": "db3",
            "level": "page",
            "state": "ok",
            "at": "2026-11-20T10:15:30Z",
            "tags": ["net", "wan"],
        },
        {"other": 1},
    ],
}
FULL = {
    "items": "alerts[*]",
    "title": {"template": "{name} on {host}", "default": "Alarm"},
    "severity": {"template": "{level}", "table": {"Page": "CRITICAL"}, "default": "WARNING"},
    "action": {"template": "{state}", "table": {"OK": "resolve", "firing": "trigger"}},
    "dedup_key": {"template": "{$.site}:{host}:{name}"},
    "resource": {"template": "host:{host}"},
    "type": {"template": "custom.alert"},
    "occurred_at": {"template": "{at}"},
    "tags": ["site:{$.site}", "{tags[*]}"],
    "metadata": {"labels": "{labels}", "site": "{$.site}"},
}


def result_of(stored: dict[str, Any], document: Any) -> Result:
    return EventMapping(stored).events(Payload(document))


def accepted(result: Result) -> list[NewEvent]:
    """The events as ingest would store them, in batches."""
    found = []
    for first in range(0, len(result.events), validation.BATCH_LIMIT):
        batch = {"events": result.events[first : first + validation.BATCH_LIMIT]}
        found += validation.accept(orjson.loads(orjson.dumps(batch)), received_at=NOW, default_severity=Severity.INFO)
    return found


def test_each_item_is_an_event_and_one_without_values_is_a_fault() -> None:
    result = result_of(FULL, BODY)

    first, second = accepted(result)
    assert (first.title, first.severity, first.dedup_key) == ("DiskFull on db2", Severity.ERROR, "berlin:db2:DiskFull")
    assert (first.resource, first.type, str(first.action)) == ("host:db2", "custom.alert", "trigger")
    assert (second.severity, second.recovers) == (Severity.CRITICAL, True)
    assert [fault.pointer for fault in result.faults] == ["/alerts/2"]
    assert result.warnings == [[], []]


def test_tags_metadata_and_times_are_taken_from_item_and_body() -> None:
    first, second = accepted(result_of(FULL, BODY))

    assert (first.tags, second.tags) == (["site:berlin"], ["site:berlin", "net", "wan"])
    assert first.metadata == {"labels": {"team": "ops"}, "site": "berlin"}
    times = [each.occurred_at.isoformat() for each in (first, second)]
    assert times == ["2026-11-21T09:00:00+00:00", "2026-11-20T10:15:30+00:00"]


@pytest.mark.parametrize(
    ("document", "pointer", "word"),
    [({"t": "x", "level": "blorp"}, "/severity", "blorp"), ({"t": "x", "state": "odd"}, "/action", "odd"),
     ({"t": "x", "at": "yesterday"}, "/occurredAt", "yesterday"), ({"k": "x"}, "/title", "title")],
)  # fmt: skip
def test_a_value_that_cannot_be_mapped_is_a_warning_of_its_event(
    document: dict[str, Any], pointer: str, word: str
) -> None:
    stored = {
        "title": {"template": "{t}"}, "dedup_key": {"template": "{k}"}, "occurred_at": {"template": "{at}"},
        "severity": {"template": "{level}"}, "action": {"template": "{state}", "table": {"ok": "resolve", "bad": "trigger"}},
    }  # fmt: skip

    result = result_of(stored, document)

    [[warning]] = result.warnings
    assert (warning.pointer, str(warning.code)) == (pointer, "not_mapped") and word in warning.detail
    [event] = accepted(result)
    assert event.title in ("x", mapping.NO_TITLE) and event.severity is Severity.INFO and not event.recovers


@pytest.mark.parametrize(
    ("stored", "document"),
    [({"items": "alerts[*]", "title": {"template": "{x}"}}, {"alarms": []}), ({"title": {"template": "{x}"}}, {"y": 1}),
     ({"title": {"template": "constant"}, "items": "a[*]"}, {"a": []}), ({}, {"a": 1})],
)  # fmt: skip
def test_a_payload_that_does_not_fit_is_refused_with_its_place(stored: dict[str, Any], document: Any) -> None:
    with pytest.raises(WrongPayload) as refused:
        result_of(stored, document)

    assert refused.value.faults


def test_a_table_of_recoveries_alone_makes_triggers_of_other_words() -> None:
    stored = {
        "title": {"template": "{t}"},
        "dedup_key": {"template": "k"},
        "action": {"template": "{s}", "table": {"ok": "resolve"}},
    }

    results = [result_of(stored, {"t": "x", "s": word}) for word in ("firing", "OK", "")]

    assert [result.events[0]["action"] for result in results] == ["trigger", "resolve", "trigger"]
    assert [result.warnings for result in results] == [[[]]] * 3


def test_a_recovery_without_a_dedup_key_is_stored_with_a_warning() -> None:
    result = result_of(
        {"title": {"template": "{t}"}, "action": {"template": "resolve", "table": {"resolve": "resolve"}}}, {"t": "x"}
    )

    [event] = accepted(result)
    assert event.recovers and [each.pointer for each in result.warnings[0]] == ["/dedupKey"]


def test_constants_alone_make_an_event_of_each_item() -> None:
    result = result_of({"title": {"template": "Called"}, "items": "a[*]"}, {"a": [1, 2]})

    assert [event.title for event in accepted(result)] == ["Called", "Called"]


@pytest.mark.parametrize(("items", "faults"), [(999, 0), (1_000, 0), (1_001, 1)])
def test_a_payload_has_a_bounded_number_of_items(items: int, faults: int) -> None:
    result = result_of({"title": {"template": "{@}"}, "items": "[*]"}, [f"item {number}" for number in range(items)])

    assert (len(result.events), len(result.faults)) == (min(items, mapping.MOST_ITEMS), faults)


@pytest.mark.parametrize("nested", [48, 49, 50])
def test_a_large_object_in_metadata_is_text_with_a_warning(nested: int) -> None:
    document = {"t": "x", "big": list(range(nested))}

    result = result_of({"title": {"template": "{t}"}, "metadata": {"big": "{big}"}}, document)

    is_small = nested + 1 <= mapping.MOST_NESTED
    [event] = accepted(result)
    assert isinstance((event.metadata or {})["big"], list if is_small else str)
    assert bool(result.warnings[0]) is not is_small


@pytest.mark.parametrize(
    ("sent", "stored"),
    [
        ("1795251600", "2026-11-21T09:00:00"),
        ("1795251600000", "2026-11-21T09:00:00"),
        ("2026-11-20T10:00:00+02:00", "2026-11-20T08:00:00"),
    ],
)
def test_a_time_is_a_text_or_seconds_or_milliseconds(sent: str, stored: str) -> None:
    result = result_of({"title": {"template": "x {at}"}, "occurred_at": {"template": "{at}"}}, {"at": sent})

    [event] = accepted(result)
    assert event.occurred_at.isoformat().startswith(stored) and event.flags == []


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["a", "b", "c.d", "x y", ""]), inner, max_size=4)
    ),
    max_leaves=25,
)
PATHS = st.sampled_from(["a", "b", "a.b", "a[0]", "a[*]", "b[*].a", "$.a", "$.b[*]", "@", '["c.d"]', '["x y"].a'])
TEMPLATES = st.lists(
    PATHS.map(lambda path: f"{{{path}}}") | st.sampled_from(["x", ":", " ", "\x00", "{{"]), max_size=4
).map("".join)
TEXTS = st.fixed_dictionaries({"template": TEMPLATES}, optional={"default": st.text(max_size=8)})
MAPPINGS = st.fixed_dictionaries(
    {},
    optional={
        "items": st.sampled_from(["", "a", "a[*]", "a[*].b[*]", "[*]", "$"]),
        **{name: TEXTS for name in mapping.TEXTS},
        "severity": st.fixed_dictionaries(
            {"template": TEMPLATES, "table": st.just({"x": "ERROR"})}, optional={"default": st.just("DEBUG")}
        ),
        "action": st.fixed_dictionaries({"template": TEMPLATES, "table": st.just({"x": "resolve"})}),
        "tags": st.lists(TEMPLATES, max_size=3),
        "metadata": st.dictionaries(st.text(min_size=1, max_size=8), TEMPLATES, max_size=3),
    },
)


@given(MAPPINGS, JSON)
def test_any_mapping_of_any_json_gives_valid_events_or_faults(stored: dict[str, Any], document: Any) -> None:
    try:
        result = result_of(stored, document)
    except WrongPayload as refused:
        assert refused.faults
        return
    made = accepted(result)

    assert made and len(made) == len(result.events) == len(result.warnings)
    assert all(event.title for event in made)


def test_the_deepest_payload_is_an_event() -> None:
    document: Any = "deep"
    for _ in range(30):
        document = {"a": document}

    result = result_of({"title": {"template": "x"}, "metadata": {"all": "{a}"}, "items": "$"}, document)

    assert accepted(result)


def test_every_place_of_a_mapping_at_its_limits_stays_cheap_for_many_items() -> None:
    places = "{$.all[*].a}" * paths.MOST_PLACES
    stored = {"items": "all[*]", **{name: {"template": places} for name in mapping.TEXTS}}
    document = {"all": [{"a": "x" * 100} for _ in range(1_000)]}

    result = result_of(stored, document)

    assert len(result.events) == 1_000


def test_a_tag_of_the_whole_body_is_read_once_for_all_items() -> None:
    stored = {"items": "all[*]", "title": {"template": "x"}, "tags": ["{$.hosts[*].name}"]}
    document = {"all": [0] * 1_000, "hosts": [0] * 10_000}

    # Read again for each item, the body would take ten million steps.
    assert calls_of(lambda: result_of(stored, document)) < 20 * (len(document["all"]) + len(document["hosts"]))


def test_a_payload_that_costs_a_mapping_too_much_is_refused_and_the_path_is_named() -> None:
    metadata = {f"m{name}": "".join(f"{{[*].x{name}y{place}}}" for place in range(10)) for name in range(20)}
    stored = {"title": {"template": "x"}, "metadata": metadata}

    with pytest.raises(WrongPayload) as wrong:
        result_of(stored, [0] * 10_000)

    assert "more than 1,000,000 values of the payload, the last one is `@[*].x" in str(wrong.value)


def test_a_large_payload_of_a_rich_mapping_is_accepted() -> None:
    texts = {name: {"template": "{labels.a} {labels.b} {$.site}"} for name in mapping.TEXTS if name != "occurred_at"}
    metadata = {f"m{number}": f"{{labels.l{number}}}" for number in range(20)}
    stored = {"items": "alerts[*]", **texts, "tags": ["{tags[*]}"] * 20, "metadata": metadata}
    alert = {"labels": {"a": "A", "b": "B"}, "tags": ["x"] * 15}

    result = result_of(stored, {"site": "berlin", "alerts": [alert] * 1_000})

    assert (len(result.events), result.faults) == (1_000, [])


def test_the_paths_of_a_stored_mapping_are_parsed_once() -> None:
    assert mapping.of_stored(FULL) is mapping.of_stored(dict(FULL))
