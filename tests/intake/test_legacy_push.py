"""Messages in the legacy push format: any fields give an event of the message or a clear refusal (specification 19.2)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inbox.domain.events import validation
from inbox.domain.senders.recovery_presets import RecoveryPreset
from inbox.domain.values.refusals import BadRequest, ValidationFailed
from inbox.intake import legacy_push
from tests.cast import NOW

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
LEAF = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT
)
JSON = st.recursive(
    LEAF, lambda child: st.lists(child, max_size=3) | st.dictionaries(TEXT, child, max_size=3), max_leaves=6
)
MESSAGE = st.sampled_from(
    [
        "[shop] [🔴 Down] timeout",
        "[shop] [✅ Up] 200",
        "CRITICAL, disk = 95%, on web1",
        "\u2028",
        "\u202e",
        "\0",
        " \n x",
    ]
)
LIBRENMS = st.fixed_dictionaries({}, optional={"id": JSON, "state": JSON, "hostname": JSON})
OURS = st.dictionaries(
    st.sampled_from(["title", "severity", "dedupKey", "action", "tags", "metadata", "occurredAt", "x"]),
    JSON,
    max_size=4,
)
EXTRAS = st.fixed_dictionaries(
    {},
    optional={
        legacy_push.EVENT: OURS | JSON,
        legacy_push.LIBRENMS: LIBRENMS | JSON,
        "client::notification": st.fixed_dictionaries({}, optional={"click": JSON}) | JSON,
        "other": JSON,
    },
)
FIELDS = st.fixed_dictionaries(
    {},
    optional={"message": MESSAGE | JSON, "title": TEXT | JSON, "priority": st.sampled_from(["8", " 5 ", ""]) | JSON,
              "extras": EXTRAS | JSON, "other": JSON},
)  # fmt: skip


@settings(max_examples=500, deadline=None)
@given(fields=FIELDS, preset=st.none() | st.sampled_from(list(RecoveryPreset)))
def test_any_fields_give_the_event_of_the_message_or_a_reason(
    fields: dict[str, Any], preset: RecoveryPreset | None
) -> None:
    try:
        message = legacy_push.parse(fields)
        made = legacy_push.event(message, pattern=None, preset=preset)
    except BadRequest as refused:
        assert refused.detail.startswith(("Field '", "extras '"))
        return

    assert message.message == fields["message"]
    chosen = message.extras.get(legacy_push.EVENT) or {}
    try:
        [accepted] = validation.accept(made, received_at=NOW)
    except (BadRequest, ValidationFailed) as refused:
        # Only fields that the sender chose itself, and a title without a visible character, can be refused.
        assert chosen or [each.pointer for each in refused.errors] == ["/title"]
        return
    assert chosen or accepted.title


@pytest.mark.parametrize(("name", "size"), [("x" * 300, 255), ("a\0b", 14), ("\0", 12)])
def test_a_long_key_and_a_key_with_nul_are_equal_for_alarm_and_recovery(name: str, size: int) -> None:
    sent = [
        legacy_push.parse({"title": "Uptime-Kuma", "message": f"[{name}] [{state}] x"})
        for state in ("🔴 Down", "✅ Up")
    ]

    made = [legacy_push.event(message, pattern=None, preset=RecoveryPreset.UPTIME_KUMA) for message in sent]

    [alarm], [end] = (validation.accept(each, received_at=NOW) for each in made)
    assert (alarm.dedup_key, end.recovers, len(alarm.dedup_key or "")) == (end.dedup_key, True, size)


@pytest.mark.parametrize("key", ["x" * 300, "\0", " "])
def test_no_key_of_a_pattern_or_of_librenms_makes_a_message_invalid(key: str) -> None:
    extras = {legacy_push.LIBRENMS: {"id": key}}
    of_librenms = legacy_push.event(legacy_push.parse({"message": "m", "extras": extras}), pattern=None, preset=None)
    of_pattern = legacy_push.event(
        legacy_push.parse({"message": f"m {key}"}), pattern="m (?s:(?P<key>.+))", preset=None
    )

    assert validation.accept(of_librenms, received_at=NOW) and validation.accept(of_pattern, received_at=NOW)


@settings(max_examples=300, deadline=None)
@given(priority=st.integers(-(10**12), 10**12))
def test_a_higher_priority_never_has_a_lower_severity(priority: int) -> None:
    lower, higher = legacy_push.severity_of(priority), legacy_push.severity_of(priority + 1)

    assert lower.rank <= higher.rank


@pytest.mark.parametrize("size", [1_000, 100_000])
def test_a_long_message_takes_bounded_work(size: int) -> None:
    for text in ("[" * size, "] [" * size, "CRITICAL, a = " + "b, on " * size, "```" * size, "\n" * size + "x"):
        for preset in RecoveryPreset:
            sent = legacy_push.parse({"title": text, "message": text})
            assert legacy_push.event(sent, pattern=None, preset=preset)["body"] == text
