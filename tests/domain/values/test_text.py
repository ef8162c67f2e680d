import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inbox.domain.values.text import is_web_link, one_line, without_nul


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("disk full", "disk full"),
        ("  disk full\n", "disk full"),
        ("one\r\ntwo", "one two"),
        ("one\ntwo\u2028three\u2029four\x85five\x0bsix", "one two three four five six"),
        ("a\x00b\x1bc\x7fd\x9fe", "a b c d e"),
        ("safe\u202egnp.exe", "safe gnp.exe"),
        ("a\u2066b\u2069c\u200ed\u061ce", "a b c d e"),
        ("two  spaces stay", "two  spaces stay"),
        ("\u200b\ufeffx\u2060", "x"),
        ("👩\u200d💻 down", "👩\u200d💻 down"),
        ("نمی\u200cخواهم", "نمی\u200cخواهم"),
        ("", ""),
        (" \t\r\n\u2028\u200b\u3000\xa0\xad\ufeff", ""),
    ],
)
def test_a_text_is_brought_onto_one_line(text: str, line: str) -> None:
    assert one_line(text) == line


@given(st.text())
def test_one_line_holds_no_line_break_and_no_direction_control(text: str) -> None:
    line = one_line(text)

    assert len(line.splitlines()) <= 1
    assert line == line.strip()
    assert not any(unicodedata.category(character) in {"Cc", "Zl", "Zp"} for character in line)
    assert not any(
        unicodedata.bidirectional(character) in {"LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI"}
        for character in line
    )
    assert one_line(line) == line


@given(st.text())
def test_without_nul_keeps_the_length(text: str) -> None:
    clean = without_nul(text)

    assert "\x00" not in clean
    assert len(clean) == len(text)


@pytest.mark.parametrize(
    "link",
    [
        "http://a", "https://host.example/x?y=z#f", "HTTPS://HOST", "https://host:8443/", "http://127.0.0.1:80",
        "http://[::1]:8080/x", "https://user:p@host/x", "https://user@host", "https://bücher.example/ä?q={\"a\":1}|",
        "https://host?x", "https://host#x", "http://localhost", "https://a_b.example", "https://me@corp:p@host",
    ],
)  # fmt: skip
def test_an_absolute_http_or_https_address_is_a_web_link(link: str) -> None:
    assert is_web_link(link)


@pytest.mark.parametrize(
    "text",
    [
        "", "http", "http:", "http://", "https:///x", "//host/x", "/x", "host.example", "ftp://host", "javascript:alert(1)",
        "data:text/html,x", "http:host", "http:/host", "http://?x", "http://#x", "http://:80", "http://user@", "http://user@:80",
        "http://host:80a", "http://host:999999", "http://ho st", "http://host/a b", "http://host/\n", "http://host\n",
        " http://host", "http://host/\x00", "http://host\\@evil", "http://a\\b", "http://[::1", "http://[x]/",
        "http://host/\u202e", "xhttp://host", "http://<host>", "http://host\u2028",
    ],
)  # fmt: skip
def test_a_text_that_is_no_web_link_is_refused(text: str) -> None:
    assert not is_web_link(text)
