"""Lists as CSV files: streamed, bounded, and safe to open in a spreadsheet (specification 2.6)."""

from __future__ import annotations

import csv
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from io import StringIO
from typing import Any

from flask import Response

from inbox.api.http import replica_reads
from inbox.api.http.connections import borrowed
from inbox.domain.values.paging import Position
from inbox.models.lists.long_list import PagedList

MAX_ROWS = 20_000
"""The most rows of one file. A last line says that more follow."""

MAX_PAGES = 400
"""The most pages that a file reads. Selective filters on many rows give short pages."""

PAGE = 200
"""The rows that a file reads at a time."""

PAUSE_SECONDS = 0.003
"""The pause after each page, so that the process serves other requests."""

MORE = "More rows may follow. Narrow the filters or the period."

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""A spreadsheet takes a text that begins so for a formula."""

Record = Mapping[str, Any]
Present = Callable[[Sequence[Any]], Iterable[Record]]


def csv_file(
    rows: PagedList, args: Mapping[str, Any], *, name: str, columns: Sequence[str], present: Present
) -> Response:
    """Returns the rows of a list as a file with these columns. `present` makes records, as the list answers them."""
    descending = args["order"] == "desc"

    audiences = replica_reads.audiences()

    def read(after: Position | None) -> tuple[Sequence[Record], Position | None]:
        page = rows.page(after=after, descending=descending, limit=PAGE)
        return list(present(page.rows)), page.following

    def turn(after: Position | None) -> tuple[Sequence[Record], Position | None]:
        with borrowed():
            return replica_reads.answer(lambda: read(after), audiences)

    headers = {
        "Content-Disposition": f'attachment; filename="{name}-{datetime.now(UTC):%Y-%m-%d}.csv"',
        "X-Accel-Buffering": "no",
    }
    return Response(lines(columns, turn), mimetype="text/csv", headers=headers)


def lines(
    columns: Sequence[str],
    turn: Callable[[Position | None], tuple[Sequence[Record], Position | None]],
    *,
    most: int = MAX_ROWS,
    pages: int = MAX_PAGES,
) -> Iterator[bytes]:
    """Yields the head and the rows of each page. No connection is held while a page is sent."""
    yield _text([columns])
    following: Position | None = None
    written = 0
    for _ in range(pages):
        records, following = turn(following)
        shown = records[: most - written]
        written += len(shown)
        if shown:
            yield _text([[_cell(record[column]) for column in columns] for record in shown])
        if following is None and len(shown) == len(records):
            return
        if written == most:
            break
        time.sleep(PAUSE_SECONDS)
    yield _text([[MORE]])


def _text(rows: Iterable[Sequence[Any]]) -> bytes:
    text = StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue().encode()


def _cell(value: Any) -> Any:
    """Returns the value for one cell: a list with spaces between, an actor by name, a text never as a formula."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return _cell(" ".join(str(each) for each in value))
    if isinstance(value, Mapping):
        return _cell(value.get("name"))
    if isinstance(value, str) and value.startswith(_FORMULA):
        return f"'{value}"
    return value
