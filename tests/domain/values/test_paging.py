"""A cursor restores its position, and only for the list that created it."""

from __future__ import annotations

from datetime import UTC, timedelta, timezone
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from inbox.domain.values.paging import MAX_CURSOR_LENGTH, Key, Position, decode_cursor, encode_cursor

KEY = b"a key of this test, long enough"
LIST = '["incidents.list",{},"lastSeen","desc",{}]'
HERE = UUID("01900000-0000-7000-8000-000000000001")

values: st.SearchStrategy[Key] = st.one_of(
    st.datetimes(timezones=st.sampled_from([UTC, timezone(timedelta(hours=5, minutes=30))])),
    st.uuids(),
    st.text(st.characters(exclude_categories=("Cs",)), max_size=256),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.booleans(),
)


@given(values, st.uuids())
def test_a_cursor_decodes_to_its_position(value: Key, id: UUID) -> None:
    found = decode_cursor(encode_cursor(Position(value, id), key=KEY, binding=LIST), key=KEY, binding=LIST)

    assert found == Position(value, id)


@given(st.text(max_size=200))
def test_a_cursor_that_was_not_issued_here_is_refused(text: str) -> None:
    assert decode_cursor(text, key=KEY, binding=LIST) is None


@given(st.integers(0, 60), st.sampled_from("ABCabc019-_"))
def test_a_changed_cursor_is_no_cursor(place: int, letter: str) -> None:
    cursor = encode_cursor(Position("Disk full", HERE), key=KEY, binding=LIST)
    changed = cursor[:place] + letter + cursor[place + 1 :]

    assert changed == cursor or decode_cursor(changed, key=KEY, binding=LIST) is None


def test_a_cursor_belongs_to_one_list_one_order_and_one_key() -> None:
    cursor = encode_cursor(Position(7, HERE), key=KEY, binding=LIST)

    assert decode_cursor(cursor, key=KEY, binding=LIST) is not None
    assert decode_cursor(cursor, key=KEY, binding=LIST.replace("desc", "asc")) is None
    assert decode_cursor(cursor, key=b"another key", binding=LIST) is None


def test_a_cursor_of_endless_length_is_not_even_read() -> None:
    assert decode_cursor("A" * (MAX_CURSOR_LENGTH + 1), key=KEY, binding=LIST) is None


def test_the_longest_title_makes_a_cursor_that_is_read() -> None:
    longest = Position("\N{GRINNING FACE}" * 256, HERE)

    assert decode_cursor(encode_cursor(longest, key=KEY, binding=LIST), key=KEY, binding=LIST) == longest
