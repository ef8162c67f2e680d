"""Lists as CSV files: their cells, their bounds, and that they are read page by page (specification 2.6)."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from typing import Any
from uuid import UUID

import pytest

from inbox.api.http import csv_files
from inbox.domain.values.paging import Position

SOMEWHERE = Position(None, UUID(int=1))
COLUMNS = ("title", "tags", "count", "by")


def rows_of(made: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(made.decode(), newline="")))


class Pages:
    """Pages of numbered records; after each of them another follows, up to the last."""

    def __init__(self, *sizes: int) -> None:
        self.sizes, self.turned = sizes, 0

    def turn(self, after: Position | None) -> tuple[list[Mapping[str, Any]], Position | None]:
        size = self.sizes[self.turned]
        self.turned += 1
        return [record() for _ in range(size)], None if self.turned == len(self.sizes) else SOMEWHERE


def record(title: str = "Disk full", **others: Any) -> dict[str, Any]:
    return {"title": title, "tags": ["prod", "db"], "count": 3, "by": {"name": "Mia Novak"}, **others}


def made(*records: Mapping[str, Any]) -> list[list[str]]:
    return rows_of(b"".join(csv_files.lines(COLUMNS, lambda _: (records, None))))


def test_a_file_begins_with_the_names_of_its_columns() -> None:
    assert made() == [list(COLUMNS)]


def test_a_row_has_lists_with_spaces_people_by_name_and_texts_in_one_cell() -> None:
    title = 'Disk "full",\n96 %'

    assert made(record(title))[1] == [title, "prod db", "3", "Mia Novak"]


def test_nothing_is_an_empty_cell() -> None:
    assert made(record(by=None, tags=[], count=None))[1] == ["Disk full", "", "", ""]


@pytest.mark.parametrize("begin", ["=", "+", "-", "@", "\t", "\r"])
def test_no_text_is_a_formula(begin: str) -> None:
    text = f"{begin}HYPERLINK(1)"

    [row] = made(record(text, tags=[text], by={"name": text}))[1:]

    assert row == [f"'{text}", f"'{text}", "3", f"'{text}"]


@pytest.mark.parametrize("text", ["a=1", "Disk - full", "'quoted", " =1"])
def test_other_texts_stay_as_they_are(text: str) -> None:
    assert made(record(text))[1][0] == text


@pytest.mark.parametrize(
    ("sizes", "written", "says_more"),
    [
        ((2, 1), 3, False),
        ((2, 2), 4, False),
        ((2, 0, 2), 4, False),
        ((2, 2, 0), 4, True),
        ((2, 3), 4, True),
        ((5,), 4, True),
    ],
)
def test_a_file_has_at_most_so_many_rows_and_says_that_more_may_follow(
    sizes: tuple[int, ...], written: int, *, says_more: bool
) -> None:
    rows = rows_of(b"".join(csv_files.lines(COLUMNS, Pages(*sizes).turn, most=4)))

    assert len(rows) == 1 + written + says_more
    assert (rows[-1] == [csv_files.MORE]) is says_more


@pytest.mark.parametrize(("count", "says_more"), [(2, False), (3, False), (4, True)])
def test_a_file_reads_at_most_so_many_pages(count: int, *, says_more: bool) -> None:
    pages = Pages(*[0] * count)

    rows = rows_of(b"".join(csv_files.lines(COLUMNS, pages.turn, pages=3)))

    assert pages.turned == min(count, 3)
    assert (rows[-1] == [csv_files.MORE]) is says_more


def test_a_page_is_read_when_the_one_before_was_sent() -> None:
    pages = Pages(1, 1, 1)
    parts = csv_files.lines(COLUMNS, pages.turn)

    next(parts)
    assert pages.turned == 0
    next(parts)
    assert pages.turned == 1
