"""Request examples that succeed: exclusive fields are left out, and times lie in the future.

Decision 0005.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any, TypeVar

from inbox.domain.values import times

_DAY = re.compile(rb"@day([+-]\d{1,2})")

_ATTRIBUTE = "request_example"

View = TypeVar("View", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class RequestExample:
    """Corrects the example of a request body that follows from its schema. A decorator above `Blueprint.arguments`.

    `leave_out` are fields that are alternatives to others, and `values` are values to use, both by their dotted path.
    `@day+1` becomes tomorrow at noon when the document is served (`dated`).
    """

    leave_out: tuple[str, ...] = ()
    values: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, view: View) -> View:
        """Returns the view with this correction."""
        setattr(view, _ATTRIBUTE, self)
        return view


def corrected(view: Callable[..., Any], example: Any) -> Any:
    """Returns the example of a view's body, changed by its `RequestExample`."""
    changes = getattr(view, _ATTRIBUTE, RequestExample())
    for path in changes.leave_out:
        holder, name = _place(example, path)
        del holder[name]
    for path, value in changes.values.items():
        holder, name = _place(example, path)
        holder[name] = value
    return example


def dated(document: bytes, now: datetime) -> bytes:
    """Returns the document with the days of its examples counted from today.

    It changes once a day, alike in all processes.
    """
    return _dated(document, now.replace(hour=12, minute=0, second=0, microsecond=0))


@lru_cache(maxsize=2)
def _dated(document: bytes, noon: datetime) -> bytes:
    return _DAY.sub(lambda found: times.rfc3339(noon + timedelta(days=int(found[1]))).encode(), document)


def _place(example: Any, path: str) -> tuple[dict[str, Any], str]:
    *outer, name = path.split(".")
    for step in outer:
        example = example[step]
    if name not in example:
        raise KeyError(f"an example without {path}")
    return example, name
