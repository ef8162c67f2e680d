"""Optimistic editing: the `ETag` of a record is its revision, and `If-Match` names the revision to change."""

from __future__ import annotations

from typing import Any, TypeVar

from flask import after_this_request, request

from inbox.domain.values.refusals import RevMismatch, check_rev

Row = TypeVar("Row")


def expected_rev() -> int | None:
    """Returns the revision of `If-Match`, for the service to compare under its lock. None: the last write wins.

    Raises `RevMismatch` when the header names more than one revision, or none of ours.
    """
    if "If-Match" not in request.headers or request.if_match.star_tag:
        return None
    tags = list(request.if_match.as_set(include_weak=True))
    rev = tags[0].partition(".")[0] if len(tags) == 1 else ""  # the tag of a read also has a digest of its content
    if rev.isascii() and rev.isdigit() and len(rev) < 10:
        return int(rev)
    raise RevMismatch('`If-Match` must name one revision, such as "7".')


def check_match(row: Any) -> None:
    """Raises `RevMismatch` when `If-Match` names another revision than `row.rev` (specification 2.7).

    Two writers can still pass at once. To prevent it, read the row `FOR UPDATE` or change it with `WHERE rev = …`.
    """
    expected = expected_rev()
    check_rev(row.rev, expected)


def tagged(row: Row) -> Row:
    """Sends this row's revision as `ETag`. Returns the row."""
    rev = row["rev"] if isinstance(row, dict) else row.rev  # type: ignore[attr-defined]

    @after_this_request
    def _tag(response: Any) -> Any:
        if response.status_code < 400:
            response.headers["ETag"] = f'"{rev}"'
        return response

    return row
