"""Filters of lists whose values depend on the caller and on the time of the request (specification 2.6)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

ME = "me"
"""The caller, in a filter by people."""

NOBODY = "none"
"""Incidents without such a person, in a filter by people."""

PERIOD_PATTERN = "^[1-9][0-9]{0,3}[mhd]$"
"""A period up to now: minutes, hours or days, as in `30m`, `24h` and `7d`."""

LONGEST_PERIOD = timedelta(days=366)

PEOPLE = ("assignee_id", "acknowledged_by")

_UNITS = {"m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1)}


def period(text: str) -> timedelta | None:
    """Returns the length of a period such as `24h`; None for any other text, and above `LONGEST_PERIOD`."""
    if re.fullmatch(PERIOD_PATTERN, text, re.ASCII) is None:
        return None
    length = int(text[:-1]) * _UNITS[text[-1]]
    return length if length <= LONGEST_PERIOD else None


def resolve(args: Mapping[str, Any], *, person: UUID, now: datetime) -> dict[str, Any]:
    """Returns the filters as values: `me` is the caller's id, `none` is None, and `last` becomes `since`."""
    people = {name: [_person(each, person) for each in args[name]] for name in PEOPLE if name in args}
    found = {**args, **people}
    length = period(found.pop("last", ""))
    return found if length is None else {**found, "since": now - length}


def _person(value: UUID | str, person: UUID) -> UUID | None:
    if isinstance(value, UUID):
        return value
    return person if value == ME else None
