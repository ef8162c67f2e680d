from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inbox.domain.values import times

ANY_OFFSET = st.timedeltas(timedelta(hours=-23, minutes=-59), timedelta(hours=23, minutes=59)).map(
    lambda offset: timezone(timedelta(minutes=offset // timedelta(minutes=1)))
)


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("2026-03-01T12:00:00Z", "2026-03-01T12:00:00+00:00"),
        ("2026-03-01t12:00:00z", "2026-03-01T12:00:00+00:00"),
        ("2026-03-01T12:00:00.5Z", "2026-03-01T12:00:00.500000+00:00"),
        ("2026-03-01T12:00:00.123456789Z", "2026-03-01T12:00:00.123456+00:00"),
        ("2026-03-01T12:00:00+02:00", "2026-03-01T10:00:00+00:00"),
        ("2026-03-01T12:00:00-00:00", "2026-03-01T12:00:00+00:00"),
        ("2026-03-01T12:00:00+23:59", "2026-02-28T12:01:00+00:00"),
        ("2026-03-01T12:00:00-23:59", "2026-03-02T11:59:00+00:00"),
        ("2024-02-29T00:00:00Z", "2024-02-29T00:00:00+00:00"),
        ("2016-12-31T23:59:60Z", "2016-12-31T23:59:59.999999+00:00"),
        ("2016-12-31T23:59:60.25Z", "2016-12-31T23:59:59.999999+00:00"),
        ("2017-01-01T00:59:60+01:00", "2016-12-31T23:59:59.999999+00:00"),
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00+00:00"),
        ("0001-01-01T00:00:00+00:01", "0001-01-01T00:00:00+00:00"),
        ("9999-12-31T23:59:59Z", "9999-12-31T23:59:59+00:00"),
        ("9999-12-31T23:59:59-00:01", "9999-12-31T23:59:59.999999+00:00"),
        ("9999-12-31T23:59:60-23:59", "9999-12-31T23:59:59.999999+00:00"),
    ],
)
def test_an_rfc_3339_text_is_an_instant_in_utc(text: str, instant: str) -> None:
    parsed = times.parse(text)

    assert times.is_rfc3339(text)
    assert parsed == datetime.fromisoformat(instant)
    assert parsed is not None and parsed.utcoffset() == timedelta()


@pytest.mark.parametrize(
    "text",
    [
        "", "now", "2026-03-01", "2026-03-01T12:00:00", "2026-03-01 12:00:00Z", "2026-03-01T12:00Z", "20260301T120000Z",
        "2026-03-01T12:00:00.Z", "2026-03-01T12:00:00,5Z", "2026-03-01T24:00:00Z", "2026-03-01T12:60:00Z",
        "2026-03-01T12:00:61Z", "2026-03-01T12:00:00+24:00", "2026-03-01T12:00:00+12:60", "2026-03-01T12:00:00+0200",
        "2026-03-01T12:00:00+02", "2026-02-30T12:00:00Z", "2025-02-29T12:00:00Z", "2026-13-01T12:00:00Z",
        "2026-00-01T12:00:00Z", "0000-01-01T00:00:00Z", "10000-01-01T00:00:00Z", "-2026-03-01T12:00:00Z",
        "2026-W09-7T12:00:00Z", "2026-03-01T12:00:00Z\n", " 2026-03-01T12:00:00Z", "２026-03-01T12:00:00Z",
        "1772366400", "2026-03-01T12:00:00Zulu", "2026-03-01T12:00:00." + "1" * 65 + "Z",
    ],
)  # fmt: skip
def test_anything_but_a_full_rfc_3339_instant_with_its_offset_is_refused(text: str) -> None:
    assert times.parse(text) is None


@given(st.text() | st.from_regex(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)"))
def test_reading_a_time_never_raises(text: str) -> None:
    parsed = times.parse(text)

    assert parsed is None or parsed.tzinfo is UTC


@pytest.mark.parametrize(
    "same",
    [
        ("2026-03-01T12:00:00Z", "2026-03-01t14:00:00+02:00", "2026-03-01T12:00:00.000Z", "2026-03-01T12:00:00-00:00"),
        ("2026-03-01T12:00:00.5Z", "2026-03-01T12:00:00.500Z", "2026-03-01T12:00:00.500000000Z"),
        ("2026-03-01T12:00:00.1234567Z", "2026-03-01T12:00:00.123456700Z"),
    ],
)
def test_all_spellings_of_an_instant_have_one_canonical_text(same: tuple[str, ...]) -> None:
    assert len({(times.parse_sent(text) or ("", ""))[1] for text in same}) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2026-03-01T12:00:00.1234567Z", "2026-03-01T12:00:00.1234568Z"),
        ("2026-03-01T12:00:00Z", "2026-03-01T12:00:00.000000001Z"),
        ("2016-12-31T23:59:60Z", "2016-12-31T23:59:59.999999Z"),
        ("2026-03-01T12:00:00Z", "2026-03-01T12:00:00+01:00"),
    ],
)
def test_two_instants_have_two_texts(one: str, other: str) -> None:
    assert (times.parse_sent(one) or ("", ""))[1] != (times.parse_sent(other) or ("", ""))[1]


@pytest.mark.parametrize(
    ("at", "text"),
    [
        (datetime(2026, 3, 1, 12, tzinfo=UTC), "2026-03-01T12:00:00.000Z"),
        (datetime(2026, 3, 1, 12, 0, 0, 999_999, tzinfo=UTC), "2026-03-01T12:00:00.999Z"),
        (datetime(2026, 3, 1, 12, tzinfo=timezone(timedelta(hours=2))), "2026-03-01T10:00:00.000Z"),
        (datetime(1, 1, 1, tzinfo=UTC), "0001-01-01T00:00:00.000Z"),
    ],
)
def test_a_time_is_written_in_utc_with_milliseconds(at: datetime, text: str) -> None:
    assert times.rfc3339(at) == text


@given(st.datetimes(datetime(2, 1, 1), datetime(9998, 1, 1), timezones=ANY_OFFSET))
def test_a_written_time_reads_back_to_the_millisecond(at: datetime) -> None:
    parsed = times.parse(times.rfc3339(at))

    assert parsed is not None and timedelta() <= at - parsed < timedelta(milliseconds=1)
