"""Files are read with the line of each value, and written in one form."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inbox.api.configuration import yaml_documents
from inbox.api.configuration.yaml_documents import FileFault, read, write

TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=20)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**15), 10**15) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=20,
)


@given(VALUES)
def test_a_written_value_is_read_unchanged(value: object) -> None:
    assert read(write(value)).value == value


@pytest.mark.parametrize(
    "text", ["17:00", "yes", "on", "2026-03-01", "0x1F", "1_000", "1e5", "0o17", "012", "+1", ".5"]
)
def test_a_plain_scalar_that_is_none_of_json_is_a_text(text: str) -> None:
    assert read(f"a: {text}").value == {"a": text}


def test_each_value_has_its_line() -> None:
    document = read("a: 1\nb:\n- x\n-\n  c: 2\n")

    assert [document.line(each) for each in ("/a", "/b", "/b/0", "/b/1/c", "/b/1/d")] == [1, 2, 3, 5, 5]


@pytest.mark.parametrize(
    ("text", "line"),
    [("a: 1\na: 2\n", 2), ("a: 1\nb: [\n", 3), ("a: 1\n? [b]\n: c\n", 2), ("--- 1\n--- 2\n", 2), ("a: !!int 5\n", 1)],
    ids=["a name twice", "no end", "a list as a name", "two documents", "a tag"],
)
def test_a_fault_has_its_line(text: str, line: int) -> None:
    with pytest.raises(FileFault) as refused:
        read(text)

    assert refused.value.line == line


def test_references_count_as_what_they_refer_to() -> None:
    levels = "".join(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 10)}]\n" for n in range(1, 7))

    with pytest.raises(FileFault, match="500,000 values"):
        read(f"l0: &l0 [x]\n{levels}")


def test_a_list_of_as_many_values_as_allowed_is_read() -> None:
    most = yaml_documents.MOST_NODES - 1

    assert len(read("- x\n" * most).value) == most
    with pytest.raises(FileFault, match="500,000 values"):
        read("- x\n" * (most + 1))
