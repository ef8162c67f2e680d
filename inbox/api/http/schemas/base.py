"""The base of all schemas: camelCase outside and snake_case inside, unknown fields refused, and our own field types."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any, ClassVar
from uuid import UUID

import marshmallow as ma

from inbox.domain.values import ids, severity, times
from inbox.domain.values.list_filters import ME, NOBODY
from inbox.domain.values.severity import Severity
from inbox.domain.values.text import is_one_line, is_web_link, trimmed

_BREAK = re.compile(r"_([a-z0-9])")
_EXAMPLE_ID = UUID("01900000-0000-7000-8000-000000000001")


def camel(name: str) -> str:
    """`received_at` → `receivedAt`."""
    return _BREAK.sub(lambda match: match.group(1).upper(), name)


def typeid_schema(prefix: str) -> dict[str, str]:
    """Returns the JSON schema of an id with this prefix."""
    return {
        "type": "string",
        "format": "typeid",
        "pattern": f"^{prefix}_[0-7][0-9a-hjkmnp-tv-z]{{25}}$",
        "example": ids.encode(prefix, _EXAMPLE_ID),
    }


MOST_MEMBERS = 1_000
"""The most members of one object of a request."""


class Schema(ma.Schema):
    """A body, an answer, or a query. Attributes in snake_case appear in camelCase, and unknown fields are errors."""

    class Meta:
        unknown = ma.RAISE

    row: ClassVar[Callable[[Any], dict[str, Any]] | None] = None
    """A plain function with the same result as the fields, for rows of a long list. Subclasses do not inherit it."""

    def on_bind_field(self, field_name: str, field_obj: ma.fields.Field[Any]) -> None:
        """Sets the outside name of each field that has none."""
        if field_obj.data_key is None:
            field_obj.data_key = camel(field_name)

    @ma.pre_load
    def _bounded(self, data: Any, **_: object) -> Any:
        """Limits unknown members, because each is a fault, and thousands take longer than a request may compute."""
        if isinstance(data, dict):
            check_members(data)
        return data

    def __deepcopy__(self, memo: dict[int, Any]) -> Schema:
        """Returns the schema itself. flask-smorest copies the description of each operation, which is mostly schemas.

        Nothing changes a schema after its creation. Copies of all schemas took a sixth of the start of a web process.
        """
        return self

    def dump(self, obj: Any, *, many: bool | None = None) -> Any:
        """Dumps as marshmallow does, but the rows of a long list by their plain function."""
        row = vars(type(self)).get("row")
        if many and row is not None:
            return [row(each) for each in obj]
        return super().dump(obj, many=many)


class TypeId(ma.fields.Field[UUID]):
    """A UUID inside and a TypeID outside; another prefix, or another spelling, is invalid (specification 2.4)."""

    complaint = "Not an id of this kind."

    def __init__(self, prefix: str, **kwargs: Any) -> None:
        about = {name: value for name, value in typeid_schema(prefix).items() if name in ("pattern", "example")}
        super().__init__(**{**kwargs, "metadata": {**about, **kwargs.get("metadata", {})}})
        self.prefix = prefix

    def _serialize(self, value: UUID | None, attr: str | None, obj: object, **kwargs: Any) -> str | None:
        return None if value is None else ids.encode(self.prefix, value)

    def _deserialize(self, value: object, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> UUID:
        found = ids.decode(self.prefix, value) if isinstance(value, str) else None
        if found is None:
            raise ma.ValidationError(self.complaint)
        return found


class Person(ma.fields.Field[UUID | str]):
    """A person of a filter: an id, `me`, or `none` where nobody is one of the choices."""

    complaint = "Not the id of a person. Use an id or `me`."
    complaint_with_nobody = "Not the id of a person. Use an id, `me` or `none`."

    def __init__(self, *, nobody: bool = False, **kwargs: Any) -> None:
        words = [ME, NOBODY] if nobody else [ME]
        pattern = f"^({'|'.join(words)}|usr_[0-7][0-9a-hjkmnp-tv-z]{{25}})$"
        super().__init__(**{**kwargs, "metadata": {"pattern": pattern, "example": ME, **kwargs.get("metadata", {})}})
        self.words = words

    def _serialize(self, value: UUID | str | None, attr: str | None, obj: object, **kwargs: Any) -> str | None:
        return ids.encode("usr", value) if isinstance(value, UUID) else value

    def _deserialize(
        self, value: object, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any
    ) -> UUID | str:
        if isinstance(value, str) and value in self.words:
            return value
        found = ids.decode("usr", value) if isinstance(value, str) else None
        if found is None:
            raise ma.ValidationError(self.complaint_with_nobody if NOBODY in self.words else self.complaint)
        return found


class Timestamp(ma.fields.Field[datetime]):
    """An instant: aware inside, RFC 3339 in UTC with milliseconds and `Z` outside."""

    complaint = "Not an RFC 3339 time with an offset, such as 2026-03-01T12:00:00Z."

    def __init__(self, **kwargs: Any) -> None:
        about = {"example": "2026-03-01T12:00:00.000Z"}
        super().__init__(**{**kwargs, "metadata": {**about, **kwargs.get("metadata", {})}})

    def _serialize(self, value: datetime | None, attr: str | None, obj: object, **kwargs: Any) -> str | None:
        return None if value is None else times.rfc3339(value)

    def _deserialize(self, value: object, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> datetime:
        found = times.parse(value) if isinstance(value, str) else None
        if found is None:
            raise ma.ValidationError(self.complaint)
        return found


class SeverityName(ma.fields.Field[Severity]):
    """A severity: canonical name outside; aliases in any case are taken (specification 4.2)."""

    complaint = "Must be one of: DEBUG, INFO, SUCCESS, WARNING, ERROR, CRITICAL."

    def __init__(self, **kwargs: Any) -> None:
        about = {"example": "ERROR"}
        named = ma.validate.OneOf([str(each) for each in Severity])
        super().__init__(**{"validate": named, **kwargs, "metadata": {**about, **kwargs.get("metadata", {})}})

    def _serialize(self, value: str | None, attr: str | None, obj: object, **kwargs: Any) -> str | None:
        return None if value is None else str(value)

    def _deserialize(self, value: object, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> Severity:
        found = severity.parse(value) if isinstance(value, str) else None
        if found is None:
            raise ma.ValidationError(self.complaint)
        return found


class BoundedList(ma.fields.List[Any]):
    """A list of a request. Its length is checked before its first item is read, so that a long list costs nothing."""

    def _deserialize(self, value: object, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> list[Any]:
        if isinstance(value, list):
            _check_length(self, value)
        return super()._deserialize(value, attr, data, **kwargs)


class BoundedDict(ma.fields.Dict):
    """An object of a request with any members. Their number is checked before the first of them is read."""

    def _deserialize(self, value: object, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> Any:
        if isinstance(value, dict):
            check_members(value)
            _check_length(self, value)
        return super()._deserialize(value, attr, data, **kwargs)


def check_members(value: Mapping[str, Any]) -> None:
    """Raises `ValidationError` for an object with more members than any object of a request needs."""
    if len(value) > MOST_MEMBERS:
        raise ma.ValidationError(f"Must have at most {MOST_MEMBERS:,} members.")


def _check_length(field: ma.fields.Field[Any], value: Any) -> None:
    for check in field.validators:
        if isinstance(check, ma.validate.Length):
            check(value)


class Prerendered(ma.fields.Nested):
    """A nested object whose JSON is already made. It is answered unchanged, and documented by its schema."""

    def _serialize(  # type: ignore[override]
        self, nested_obj: object, attr: str | None, obj: object, **kwargs: Any
    ) -> Any:
        return nested_obj


class Flag(ma.fields.Boolean):
    """`true` or `false`, and no value that resembles them. For bodies."""

    def _deserialize(self, value: object, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> bool:
        if not isinstance(value, bool):
            raise self.make_error("invalid", input=value)
        return value


class StrictInteger(ma.fields.Integer):
    """A JSON integer: no text of digits, no 1.5, no `true`. For bodies; queries use `ma.fields.Integer`."""

    def _deserialize(self, value: object, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> Any:
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.make_error("invalid", input=value)
        return super()._deserialize(value, attr, data, **kwargs)


class Minutes(ma.fields.Field[timedelta]):
    """A duration in whole minutes, from `least` to `most`. It needs an outside name: `data_key="snoozeMinutes"`."""

    def __init__(self, least: timedelta, most: timedelta, **kwargs: Any) -> None:
        about = {"minimum": self._minutes(least), "maximum": self._minutes(most), "example": 30}
        super().__init__(**{**kwargs, "metadata": {**about, **kwargs.get("metadata", {})}})
        self.least, self.most = self._minutes(least), self._minutes(most)

    def _serialize(self, value: timedelta | None, attr: str | None, obj: object, **kwargs: Any) -> int | None:
        return None if value is None else self._minutes(value)

    def _deserialize(self, value: object, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> timedelta:
        if isinstance(value, bool) or not isinstance(value, int) or not self.least <= value <= self.most:
            raise ma.ValidationError(f"Must be a whole number of minutes from {self.least} to {self.most}.")
        return timedelta(minutes=value)

    @staticmethod
    def _minutes(span: timedelta) -> int:
        return span // timedelta(minutes=1)


class Line(ma.fields.String):
    """One line of text that a person typed: trimmed, 1 to `longest` characters, without control characters."""

    def __init__(self, longest: int, **kwargs: Any) -> None:
        about = {"minLength": 1, "maxLength": longest}
        super().__init__(**{**kwargs, "metadata": {**about, **kwargs.get("metadata", {})}})
        self.longest = longest

    def _deserialize(self, value: object, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> str:
        text = str(super()._deserialize(value, attr, data, **kwargs)).strip()
        if not trimmed(text):
            raise ma.ValidationError("Must not be blank.")
        if len(text) > self.longest:
            raise ma.ValidationError(f"Must have at most {self.longest} characters.")
        if not is_one_line(text):
            raise ma.ValidationError("Must not contain control characters.")
        return text


class WebLink(Line):
    """An absolute http or https link that a person typed."""

    def _deserialize(self, value: object, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> str:
        text = super()._deserialize(value, attr, data, **kwargs)
        if not is_web_link(text):
            raise ma.ValidationError("Must be an http or https link.")
        return text


FIELD_TYPES: tuple[tuple[type[ma.fields.Field[Any]], str, str | None], ...] = (
    (TypeId, "string", "typeid"),
    (Person, "string", None),
    (Timestamp, "string", "date-time"),
    (SeverityName, "string", None),
    (Minutes, "integer", None),
)
"""Type and format of our field types in the OpenAPI document."""
