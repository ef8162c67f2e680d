from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inbox.domain.jsonbody import check_tree
from inbox.domain.refusals import BadRequest

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
def test_any_json_value_is_given_back_as_it_is(value: Any) -> None:
    assert check_tree(value) is value


@pytest.mark.parametrize("by", ["array", "object"])
@pytest.mark.parametrize("depth", [1, 31, 32])
def test_nesting_up_to_32_levels_is_taken(by: str, depth: int) -> None:
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
def test_what_cannot_be_stored_as_json_is_refused_at_every_place(odd: Any) -> None:
    for body in (odd, [odd], {"a": odd}, {"a": [1, {"b": [odd]}]}):
        with pytest.raises(BadRequest):
            check_tree(body)


@pytest.mark.parametrize("key", ["\ud800", 1, None])
def test_an_odd_key_is_refused(key: Any) -> None:
    with pytest.raises(BadRequest):
        check_tree({"a": [{key: 1}]})


def test_a_refusal_does_not_repeat_what_was_sent() -> None:
    with pytest.raises(BadRequest) as refused:
        check_tree({"svc_src_secret": float("nan")})

    assert "secret" not in str(refused.value)
