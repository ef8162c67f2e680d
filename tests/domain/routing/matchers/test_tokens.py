"""Each character of a match's text is read once, and quoting is exact."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inbox.domain.routing.matchers.tokens import quote, tokenize, unquote

tricky = st.text(st.sampled_from('"\\.a1 (=,\n')) | st.text(max_size=60)


@pytest.mark.parametrize("count", [1_000, 2_000, 50_000])
@pytest.mark.parametrize("part", ['\\"', '\\" ', 'a\\"', '\\"é'])
def test_text_without_a_closing_quote_is_one_token_however_long_it_is(part: str, count: int) -> None:
    *before, opened, end = tokenize(part * count)

    assert [found.text for found in before] == list(part.partition('"')[0])
    assert opened.kind == "open"
    assert opened.at + len(opened.text) == end.at


@given(tricky)
def test_each_character_belongs_to_one_token(text: str) -> None:
    *tokens, end = tokenize(text)

    rest = text
    for token in tokens:
        blank, found, rest = rest.partition(token.text)
        assert found
        assert not blank.strip()
    assert not rest.strip()
    assert end.at == len(text)


@given(tricky)
def test_only_a_backslash_follows_an_unclosed_quote(text: str) -> None:
    kinds = [token.kind for token in tokenize(text)]

    if "open" in kinds:
        following = [token.text for token in tokenize(text)][kinds.index("open") + 1 : -1]
        assert following in ([], ["\\"])


@given(st.text(st.sampled_from('\\"nrtu{}0dé\n\t\u202e\x7f\u0301😀')) | st.text())
def test_a_quoted_text_is_printable_and_comes_back(text: str) -> None:
    quoted = quote(text)

    assert quoted == f'"{"".join(_escaped(text, index) for index in range(len(text)))}"'
    assert quoted.isprintable()
    assert unquote(quoted) == text


def test_every_character_that_is_not_printable_is_escaped() -> None:
    every = "".join(map(chr, range(0x110000)))

    assert quote(every).isprintable()


def _escaped(text: str, index: int) -> str:
    """The character as the specification describes it (6.4)."""
    letter, following = text[index], text[index + 1 : index + 2]
    if letter == "\\":
        is_literal = following and following.isprintable() and following not in '"\\nrtu'
        return "\\" if is_literal else "\\\\"
    named = {"\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"'}
    return named.get(letter, letter if letter.isprintable() else f"\\u{{{ord(letter):x}}}")
