import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inbox.domain.values.jsonbody import MAX_BATCH_NODES, MAX_NODES, check_tree, nul_pointers
from inbox.domain.values.refusals import BadRequest

SCALARS = st.none() | st.booleans() | st.integers(-(2**64), 2**64) | st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    SCALARS | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20
)


def nested(depth: int, *, by: str) -> Any:
    value: Any = [] if by == "array" else {}
    for _ in range(depth - 1):
        value = [value] if by == "array" else {"a": value}
    return value


@given(JSON)
def test_any_json_value_is_returned_unchanged(value: Any) -> None:
    assert check_tree(value) is value


@pytest.mark.parametrize("by", ["array", "object"])
@pytest.mark.parametrize("depth", [1, 31, 32])
def test_nesting_up_to_32_levels_is_accepted(by: str, depth: int) -> None:
    check_tree(nested(depth, by=by))


@pytest.mark.parametrize("by", ["array", "object"])
@pytest.mark.parametrize("depth", [33, 1_000, 100_000])
def test_nesting_beyond_32_levels_is_refused(by: str, depth: int) -> None:
    with pytest.raises(BadRequest):
        check_tree(nested(depth, by=by))


@pytest.mark.parametrize(
    "odd",
    [
        float("nan"),
        float("inf"),
        -float("inf"),
        "\ud800",
        "a\udfffb",
        2**5000,
        -(2**5000),
        Decimal(1),
        (1,),
        b"x",
        {1},
    ],
)
def test_values_that_json_cannot_store_are_refused_at_every_depth(odd: Any) -> None:
    for body in (odd, [odd], {"a": odd}, {"a": [1, {"b": [odd]}]}):
        with pytest.raises(BadRequest):
            check_tree(body)


@pytest.mark.parametrize("key", ["\ud800", 1, None])
def test_an_odd_key_is_refused(key: Any) -> None:
    with pytest.raises(BadRequest):
        check_tree({"a": [{key: 1}]})


def test_a_refusal_does_not_repeat_the_sent_text() -> None:
    with pytest.raises(BadRequest) as refused:
        check_tree({"svc_src_secret": float("nan")})

    assert "secret" not in str(refused.value)


@pytest.mark.parametrize("most", [10, MAX_NODES, MAX_BATCH_NODES])
def test_a_tree_is_accepted_up_to_the_maximum_number_of_values(most: int) -> None:
    check_tree([1] * (most - 1), max_nodes=most)
    check_tree({"a": [1] * (most - 3), "b": 1}, max_nodes=most)

    for too_many in ([1] * most, {"a": [1] * (most - 2), "b": 1}, [[1] * (most // 2)] * 3):
        with pytest.raises(BadRequest, match="more than"):
            check_tree(too_many, max_nodes=most)


def test_texts_with_a_nul_are_pointed_to_in_their_order() -> None:
    body = {"a": "\0", "b": [1, {"c/d": {"e~": ["x", "\0"]}}, "\0"], "f\0": {"g": "\0"}, "h": "h"}

    assert nul_pointers(body) == ["/a", "/b/1/c~1d/e~0/1", "/b/2", "", "/f\0/g"]
    assert nul_pointers("\0") == [""] and nul_pointers({"a": [1, None, "b"]}) == []


def test_no_more_pointers_are_made_than_a_problem_shows() -> None:
    name = "n" * 10_000
    found = nul_pointers({name: {name: ["\0"] * 10_000}})

    assert len(found) == 51 and max(map(len, found)) < 300


@given(JSON)
def test_a_nul_is_found_in_any_value(value: Any) -> None:
    assert bool(nul_pointers(value)) is ("\\u0000" in json.dumps(value).replace("\\\\", ""))
