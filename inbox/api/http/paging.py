"""Paging of all lists: the fields of the query, the schema of a page, and the functions that answer one.

Specification 2.6.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any

import marshmallow as ma
import orjson
import peewee
from flask import request

from inbox.api.http.parsing import INVALID
from inbox.api.http.schemas.base import Schema
from inbox.api.http.schemas.list_filters import PeriodQuery
from inbox.config import settings
from inbox.database.patterns import like_pattern
from inbox.domain.values import paging
from inbox.domain.values.paging import Position
from inbox.domain.values.refusals import Fault, ValidationFailed
from inbox.models.lists import pages
from inbox.models.lists.long_list import PagedList
from inbox.models.lists.pages import PageLimit, RowPage, Size, no_size

TOO_FAR = "Too many rows would be examined for this page. Use `cursor`, or narrow the filters."

TOO_MANY_BYTES = "The items of this page are too large together. Use `cursor`, or a smaller `limit`."

TOO_LARGE = f"Must be from 0 to {paging.MAX_OFFSET}. Use `cursor` for the rows beyond."

OWN = frozenset({"limit", "cursor", "offset", "sort", "order"})


class PageQuery(PeriodQuery):
    """The fields that every list takes."""

    limit = ma.fields.Integer(
        load_default=paging.DEFAULT_LIMIT,
        validate=ma.validate.Range(1, paging.MAX_LIMIT),
        metadata={"description": "How many items a page has."},
    )
    cursor = ma.fields.String(
        validate=ma.validate.Regexp(f"^[A-Za-z0-9_-]{{1,{paging.MAX_CURSOR_LENGTH}}}$", error="Not a cursor."),
        metadata={"description": "`nextCursor` of the page before; with the same sort, order and filters only."},
    )
    offset = ma.fields.Integer(
        validate=ma.validate.Range(0, paging.MAX_OFFSET, error=TOO_LARGE),
        metadata={
            "description": "Numbered paging: `(n - 1) * limit`. The answer then carries `total`. It is refused where too many"
            " rows of events, incidents, deliveries or the audit log would be examined. Use `cursor` then."
        },
    )
    order = ma.fields.String(load_default="desc", validate=ma.validate.OneOf(["asc", "desc"]))

    @ma.validates_schema(skip_on_field_errors=False)
    def _one_way(self, data: Mapping[str, Any], **_: Any) -> None:
        if "cursor" in data and "offset" in data:
            raise ma.ValidationError("Cannot be combined with offset.", "cursor")


class Page(Schema):
    """A page as `paged` returns it."""

    item: ma.Schema

    def dump(self, obj: Any, *, many: bool | None = None) -> Any:
        """Returns the page. Items that are dictionaries are complete, all others are dumped."""
        items = obj["items"]
        return obj if items and isinstance(items[0], dict) else {**obj, "items": self.item.dump(items, many=True)}


def page_query(name: str, sorts: Sequence[str], **filters: ma.fields.Field[Any]) -> type[Schema]:
    """Returns the query schema of one list. `sorts` are its sort columns; the first one is the default.

    `name` must be unique in the API. `filters` are further fields, in snake_case.
    """
    return page_query_from(PageQuery, name, sorts, filters)


def page_query_from(
    base: type[PageQuery], name: str, sorts: Sequence[str], filters: Mapping[str, ma.fields.Field[Any]]
) -> type[Schema]:
    """Returns the query schema of a list whose fields `base` checks together."""
    sort = ma.fields.String(load_default=sorts[0], validate=ma.validate.OneOf(list(sorts)))
    return type(f"{name}Query", (base,), {"sort": sort, **filters})


def page_of(item: type[ma.Schema], name: str) -> type[Schema]:
    """Returns the schema of one page of `item`s. `name` is the item's name in the document."""
    return type(
        f"{name}Page",
        (Page,),
        {
            "item": item(),
            "items": ma.fields.List(ma.fields.Nested(item), required=True),
            "next_cursor": ma.fields.String(
                required=True,
                allow_none=True,
                metadata={"description": "Pass it as `cursor` for the next page; null on the last page."},
            ),
            "partial": ma.fields.Boolean(
                required=True,
                metadata={
                    "description": "Whether the page has fewer items than `limit` although more may follow, because it examined as many"
                    " rows as one page may. An empty page proves that nothing is found only where this is false; else follow"
                    " `nextCursor`."
                },
            ),
            "total": ma.fields.Integer(
                required=True,
                allow_none=True,
                metadata={
                    "description": "The exact number; with `offset` only. For events, incidents, deliveries and the audit log"
                    f" it is null above {paging.MAX_OFFSET}, and where too many rows would be examined."
                },
            ),
        },
    )


def paged(
    query: peewee.ModelSelect[Any],
    args: Mapping[str, Any],
    *,
    sorts: Mapping[str, peewee.ColumnBase],
    id: peewee.Field,
    dump: Callable[[Any], Any],
    size: Size = no_size,
) -> dict[str, Any]:
    """Returns one page of `query`, which is already limited to the caller's rows and the filters in `args`.

    `sorts` gives the column of each sort (never null: coalesce), `id` breaks ties and is unique among the rows. `dump`
    makes an item of a row. A page of rows with a large `size` has fewer items. Raises `ValidationFailed` for a cursor
    of another list or query.
    """
    column, descending = sorts[args["sort"]], args["order"] == "desc"
    if "offset" in args:
        return offset_page(query, args, columns=(column,), id=id, dump=dump, size=size)

    def turn(after: Position | None) -> RowPage:
        limit = PageLimit(args["limit"], size)
        return pages.keyset_page(query, column=column, id=id, descending=descending, after=after, limit=limit)

    return keyset_page(turn, args, dump=dump)


def containing(
    query: peewee.ModelSelect[Any], args: Mapping[str, Any], *columns: peewee.ColumnBase
) -> peewee.ModelSelect[Any]:
    """Returns the rows of a short list of which one of the columns contains the text `q`, in any case."""
    if "q" not in args:
        return query
    pattern = like_pattern(args["q"])
    return query.where(reduce(operator.or_, (column**pattern for column in columns)))


def offset_page(
    query: peewee.ModelSelect[Any],
    args: Mapping[str, Any],
    *,
    columns: Sequence[peewee.ColumnBase],
    id: peewee.Field,
    dump: Callable[[Any], Any],
    size: Size = no_size,
) -> dict[str, Any]:
    """Returns the page at `offset`, with the exact number of all rows.

    Raises `ValidationFailed` for rows of too large a `size`.
    """
    is_descending, limit = args["order"] == "desc", PageLimit(args["limit"], size)
    rows, total = pages.offset_page(
        query, columns=columns, id=id, descending=is_descending, offset=args["offset"], limit=limit
    )
    if rows is None:
        raise ValidationFailed(INVALID, errors=[Fault("/query/offset", TOO_MANY_BYTES)])
    return _response([dump(row) for row in rows], total=total)


def scanned_page(rows: PagedList, args: Mapping[str, Any], *, dump: Callable[[Any], Any]) -> dict[str, Any]:
    """Returns one page of a long list; with `offset`, also the number of all its rows if it is known.

    Raises `ValidationFailed` for a cursor of another list, and where too many rows would be examined.
    """
    descending, limit = args["order"] == "desc", args["limit"]
    if "offset" not in args:
        return keyset_page(lambda after: rows.page(after=after, descending=descending, limit=limit), args, dump=dump)
    found, total = rows.page_at_offset(offset=args["offset"], descending=descending, limit=limit)
    if found is None:
        raise ValidationFailed(INVALID, errors=[Fault("/query/offset", TOO_FAR)])
    return _response([dump(row) for row in found], total=total)


def keyset_page(
    page: Callable[[Position | None], RowPage], args: Mapping[str, Any], *, dump: Callable[[Any], Any]
) -> dict[str, Any]:
    """Returns the page after the cursor, from `page`. Raises `ValidationFailed` for a cursor of another list."""
    key, binding = settings.current().signing_key.encode(), _binding(args)
    after = None
    if "cursor" in args:
        after = paging.decode_cursor(args["cursor"], key=key, binding=binding)
        if after is None:
            raise ValidationFailed(INVALID, errors=[Fault("/query/cursor", "Not a cursor of this list and filters.")])
    found = page(after)
    following = paging.encode_cursor(found.following, key=key, binding=binding) if found.following else None
    is_partial = following is not None and len(found.rows) < args["limit"]
    return _response([dump(row) for row in found.rows], following=following, is_partial=is_partial)


def _response(
    items: Sequence[Any], *, following: str | None = None, is_partial: bool = False, total: int | None = None
) -> dict[str, Any]:
    return {"items": items, "nextCursor": following, "partial": is_partial, "total": total}


def _binding(args: Mapping[str, Any]) -> str:
    filters = {name: value for name, value in args.items() if name not in OWN}
    parts = [request.endpoint, request.view_args, args["sort"], args["order"], filters]
    return orjson.dumps(parts, default=str, option=orjson.OPT_SORT_KEYS).decode()
