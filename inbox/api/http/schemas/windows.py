"""Time zones, weekly windows and schedules on the wire (specification 8.5)."""

from __future__ import annotations

import re
from datetime import date
from functools import lru_cache
from typing import Any
from zoneinfo import available_timezones

import marshmallow as ma

from inbox.api.http.schemas.base import BoundedList, Schema
from inbox.domain.values.windows import DAYS, Schedule

_CLOCK = re.compile(r"([01][0-9]|2[0-3]):[0-5][0-9]")


class TimeZone(ma.fields.String):
    """A name in the time zone database."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**{**kwargs, "metadata": {"example": "Europe/Berlin", **kwargs.get("metadata", {})}})

    def _deserialize(self, value: object, attr: str | None, data: object, **kwargs: Any) -> str:
        name = str(super()._deserialize(value, attr, data, **kwargs))
        if name not in _zones():
            raise ma.ValidationError("Not the name of a time zone, such as Europe/Berlin.")
        return name


@lru_cache(maxsize=1)
def _zones() -> frozenset[str]:
    """Returns the zones of the database. Other files of a machine (`localtime`, `posix/…`, `right/…`) are left out."""
    return frozenset(available_timezones() - {"localtime"})


class ClockTime(ma.fields.String):
    """A time of the day, as `HH:MM`."""

    def __init__(self, example: str, **kwargs: Any) -> None:
        super().__init__(**kwargs, metadata={"example": example, "pattern": f"^{_CLOCK.pattern}$"})

    def _deserialize(self, value: object, attr: str | None, data: object, **kwargs: Any) -> str:
        text = str(super()._deserialize(value, attr, data, **kwargs))
        if not _CLOCK.fullmatch(text):
            raise ma.ValidationError("Not a time of the day, such as 22:00.")
        return text


class Window(Schema):
    """A window on some days of the week. It may cross midnight and belongs to the day on which it starts."""

    days = BoundedList(
        ma.fields.String(validate=ma.validate.OneOf(DAYS)), required=True, validate=ma.validate.Length(1, 7)
    )
    start = ClockTime("22:00", required=True)
    end = ClockTime("07:00", required=True)


class Holiday(ma.fields.String):
    """A day, as `YYYY-MM-DD`."""

    def _deserialize(self, value: object, attr: str | None, data: object, **kwargs: Any) -> str:
        text = str(super()._deserialize(value, attr, data, **kwargs))
        try:
            return date.fromisoformat(text).isoformat()
        except ValueError:
            raise ma.ValidationError("Not a day, such as 2026-12-25.") from None


class ScheduleShape(Schema):
    """Weekly windows in local time."""

    timezone = TimeZone(
        allow_none=True,
        load_default=None,
        metadata={"description": "Null: the workspace's.", "example": "Europe/Berlin"},
    )
    windows = BoundedList(ma.fields.Nested(Window), required=True, validate=ma.validate.Length(1, 20))


def leaves_time(windows: list[dict[str, Any]]) -> None:
    """Raises `ValidationError` for quiet hours that never end."""
    if Schedule.of({"windows": windows}, "UTC").is_endless():
        raise ma.ValidationError(
            "Quiet hours must leave at least one minute of the week free, or held notices are never sent."
        )
