import json
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inbox.domain.events.metadata import BYTES_LIMIT, KEYS_LIMIT, sanitize
from inbox.domain.values.jsonbody import MAX_DEPTH

SCALARS = st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False)
STRINGS = st.text() | st.sampled_from(["é" * 9_000, '"\n\\' * 5_000, "\x00\x01" * 3_000, "😀" * 5_000, "x" * 40_000])
TREES = st.recursive(
    SCALARS | STRINGS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=30
)
METADATA = st.dictionaries(st.text(), TREES)
KEY = "svc_src_" + "k" * 49


def size(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())


def keys_of(value: Any) -> int:
    if isinstance(value, dict):
        return len(value) + sum(map(keys_of, value.values()))
    return sum(map(keys_of, value)) if isinstance(value, list) else 0


def test_ordinary_metadata_stays_unchanged() -> None:
    sent = {"a": 1, "b": [True, None, 2.5, "x", {"c": {}}], "": "", "d": {"e": []}, "-": -(2**63), "+": 2**63 - 1}

    assert sanitize(sent) == (sent, False, False)


def test_sanitizing_does_not_change_the_given_metadata() -> None:
    sent = {"a": KEY, "b": {"c": "x" * 40_000}}
    before = json.dumps(sent)

    sanitize(sent)

    assert json.dumps(sent) == before


@settings(max_examples=100, deadline=None)
@given(METADATA)
def test_metadata_always_ends_within_its_limits_and_can_be_stored(sent: dict[str, Any]) -> None:
    clean, _, truncated = sanitize(sent)

    assert size(clean) <= BYTES_LIMIT
    assert keys_of(clean) <= KEYS_LIMIT
    assert "\\u0000" not in orjson.dumps(clean).decode()
    if not truncated:
        assert keys_of(clean) == keys_of(sent)


@settings(max_examples=40, deadline=None)
@given(METADATA)
def test_sanitized_metadata_is_not_changed_by_sanitizing_again(sent: dict[str, Any]) -> None:
    clean = sanitize(sent).metadata

    assert sanitize(clean) == (clean, False, False)


@pytest.mark.parametrize(("keys", "truncated"), [(255, False), (256, False), (257, True), (5_000, True)])
def test_256_keys_are_kept(keys: int, truncated: bool) -> None:
    clean = sanitize({f"k{number}": number for number in range(keys)})

    assert clean.truncated is truncated
    assert list(clean.metadata) == [f"k{number}" for number in range(min(keys, 256))]


def test_metadata_keys_are_counted_at_all_depths_and_the_topmost_are_kept() -> None:
    sent = {"deep": {f"d{number}": number for number in range(300)}, "list": [{"x": 1}]} | {
        f"k{number}": number for number in range(200)
    }

    clean, _, truncated = sanitize(sent)

    assert truncated
    assert clean.keys() == sent.keys()
    assert len(clean["deep"]) == 256 - 202
    assert keys_of(clean) == 256


@pytest.mark.parametrize(("length", "truncated"), [(254, False), (255, False), (256, True)])
def test_a_key_has_at_most_255_characters(length: int, truncated: bool) -> None:
    clean = sanitize({"é" * length: 1})

    assert clean.truncated is truncated
    assert max(map(len, clean.metadata)) <= 255


def test_long_keys_that_become_one_lose_no_value() -> None:
    clean = sanitize({"k" * 300 + str(number): number for number in range(20)}).metadata

    assert sorted(clean.values()) == list(range(20))
    assert max(map(len, clean)) <= 255


@pytest.mark.parametrize(("beyond", "truncated"), [(-1, False), (0, False), (1, True)])
def test_32_kilobytes_of_json_are_kept(beyond: int, truncated: bool) -> None:
    sent = {"a": "x" * (BYTES_LIMIT - len('{"a":""}') + beyond)}

    clean = sanitize(sent)

    assert clean.truncated is truncated
    assert size(clean.metadata) == min(BYTES_LIMIT, BYTES_LIMIT + beyond)


@pytest.mark.parametrize("character", ["x", "é", "€", "😀", '"', "\\", "\n", "\x01"])
def test_the_size_is_counted_in_bytes_of_the_json_text(character: str) -> None:
    clean, _, truncated = sanitize({"a": character * 40_000})

    assert truncated
    assert BYTES_LIMIT - 8 < size(clean) <= BYTES_LIMIT


def test_the_largest_values_are_cut_to_one_length_and_short_ones_stay_whole() -> None:
    sent = {"big": "x" * 50_000, "small": "y" * 1_000, "deep": {"also big": ["z" * 30_000]}, "number": 7}

    clean, _, truncated = sanitize(sent)

    assert truncated
    assert (clean["small"], clean["number"]) == (sent["small"], 7)
    assert len(clean["big"]) == len(clean["deep"]["also big"][0]) > 15_000
    assert BYTES_LIMIT - 4 <= size(clean) <= BYTES_LIMIT


def test_the_largest_values_are_left_out_when_cutting_strings_is_not_enough() -> None:
    sent = {"numbers": list(range(20_000)), "few": list(range(100)), "text": "x" * 100, "more": [0] * 9_000}

    clean, _, truncated = sanitize(sent)

    assert truncated
    assert clean == {"few": sent["few"], "text": sent["text"], "more": sent["more"]}


def test_cutting_twice_the_same_gives_the_same() -> None:
    sent = {f"k{number}": "x" * (number * 20) for number in range(200)}

    assert sanitize(sent) == sanitize(dict(sent))


@pytest.mark.parametrize(
    ("number", "stored"),
    [
        (2**63 - 1, 2**63 - 1),
        (2**63, "9223372036854775808"),
        (-(2**63), -(2**63)),
        (-(2**63) - 1, "-9223372036854775809"),
        (10**30, "1" + "0" * 30),
        (1e30, "1e+30"),
        (-1e300, "-1e+300"),
        (1e-300, "1e-300"),
        (0.1, 0.1),
        (0.0, 0.0),
        (True, True),
    ],
)
def test_numbers_that_a_reader_would_change_are_kept_as_text(number: float, stored: Any) -> None:
    clean = sanitize({"n": [number]}).metadata["n"][0]

    assert (clean, type(clean)) == (stored, type(stored))


def test_nul_becomes_the_replacement_character_in_keys_and_values() -> None:
    assert sanitize({"a\x00": ["b\x00"]}).metadata == {"a\ufffd": ["b\ufffd"]}


def test_secrets_are_removed_from_keys_and_values_at_every_depth() -> None:
    deep: Any = {KEY: "whsec_AAAA"}
    for _ in range(MAX_DEPTH - 3):
        deep = [deep]

    clean = sanitize({"deep": deep, "https://u:p@h": [f"x {KEY}"]})

    assert clean.redacted and not clean.truncated
    assert KEY not in json.dumps(clean.metadata)
    assert "whsec_AAAA" not in json.dumps(clean.metadata)
    assert "u:p" not in json.dumps(clean.metadata)


def test_keys_that_become_one_by_redaction_lose_no_value() -> None:
    clean = sanitize({f"svc_src_{number}": number for number in range(200)})

    assert sorted(clean.metadata.values()) == list(range(200))


def test_no_head_of_a_secret_survives_the_cut_at_any_place() -> None:
    for before in range(BYTES_LIMIT - 60, BYTES_LIMIT + 5):
        clean, redacted, _ = sanitize({"a": "." * before + KEY + "." * 200})

        assert redacted
        assert "svc_s" not in clean["a"]
        assert clean["a"].count("[") == clean["a"].count("]")
