"""Forms of senders: valid contents and the values they give."""

from __future__ import annotations

from urllib.parse import quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inbox.api.senders import sender_bodies
from inbox.domain.values.refusals import BadRequest

URLENCODED, MULTIPART = "application/x-www-form-urlencoded", "multipart/form-data; boundary=b"


def environ(content_type: str) -> dict[str, str]:
    return {"CONTENT_TYPE": content_type}


def parts(*heads: bytes) -> bytes:
    """A form of parts with these additional headers."""
    named = (
        b'--b\r\nContent-Disposition: form-data; name="f%d"\r\n%s\r\nvalue\r\n' % pair for pair in enumerate(heads)
    )
    return b"".join(named) + b"--b--\r\n"


TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))
"""Texts of forms. A form with a NUL may be read as UTF-16."""


@given(st.dictionaries(TEXT, TEXT))
def test_the_fields_of_a_form_are_read_as_they_were_written(fields: dict[str, str]) -> None:
    body = "&".join(f"{quote_plus(name)}={quote_plus(value)}" for name, value in fields.items())

    found = sender_bodies.form(body.encode(), environ(URLENCODED))

    assert {name: value for name, value in found.items() if name or value} == {
        name: value for name, value in fields.items() if name or value
    }


@pytest.mark.parametrize("before", range(4))
def test_an_escape_at_the_end_of_a_step_is_decoded(before: int) -> None:
    text = "x" * (sender_bodies.STEP - before) + "é" * 3

    assert sender_bodies.form(f"a={quote_plus(text)}".encode(), environ(URLENCODED)) == {"a": text}


@pytest.mark.parametrize("count", [1, 3 * sender_bodies.STEP])
@pytest.mark.parametrize(("charset", "text"), [("", "é"), ("; charset=windows-1251", "й"), ("; charset=utf-8", "é")])
def test_bytes_that_are_no_utf_8_have_the_declared_character_set_or_windows_1252(
    count: int, charset: str, text: str
) -> None:
    found = sender_bodies.form(b"a=" + b"%E9" * count, environ(URLENCODED + charset))

    assert found == {"a": text * count}


def test_the_first_field_of_a_name_counts() -> None:
    assert sender_bodies.form(b"a=1&a=2&b", environ(URLENCODED)) == {"a": "1", "b": ""}


@pytest.mark.parametrize(("count", "is_refused"), [(999, False), (1_000, False), (1_001, True)])
def test_a_form_has_a_largest_number_of_fields(count: int, is_refused: bool) -> None:
    body = b"&".join(b"f%d=v" % number for number in range(count))

    if is_refused:
        with pytest.raises(BadRequest, match="more than 1,000 fields"):
            sender_bodies.form(body, environ(URLENCODED))
    else:
        assert len(sender_bodies.form(body, environ(URLENCODED))) == count


@pytest.mark.parametrize(("beyond", "is_refused"), [(-1, False), (0, False), (1, True)])
def test_the_headers_of_a_part_have_a_largest_size(beyond: int, is_refused: bool) -> None:
    usual = len(b'\r\nContent-Disposition: form-data; name="f1"\r\nA: \r\n\r\n')
    body = parts(b"", b"A: " + b"x" * (sender_bodies.LONGEST_HEAD - usual + beyond) + b"\r\n")

    if is_refused:
        with pytest.raises(BadRequest, match="more than 16,384 bytes"):
            sender_bodies.form(body, environ(MULTIPART))
    else:
        assert sender_bodies.form(body, environ(MULTIPART)) == {"f0": "value", "f1": "value"}


def test_a_large_value_of_a_part_is_read() -> None:
    body = b'--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n' + b"x\n" * 500_000 + b"\r\n--b--\r\n"

    assert len(sender_bodies.form(body, environ(MULTIPART))["a"]) == 1_000_000
