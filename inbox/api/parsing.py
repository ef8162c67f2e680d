"""Reading what is sent: its faults, one for each field, and what is right of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NoReturn

import marshmallow as ma
import orjson
from flask import Request
from webargs.flaskparser import FlaskParser

from inbox.domain.refusals import BadRequest, Fault, UnsupportedMediaType, ValidationFailed


class Taken(dict[str, Any]):
    """The fields of a body that are right, where others are not; `refused` are those that are not, or not wholly."""

    refused: frozenset[str] = frozenset()

    def judgeable(self, *names: str) -> bool:
        """Whether none of these was refused, so that it can be said whether they fit each other."""
        return self.refused.isdisjoint(names)


class Misread(ValidationFailed):
    """A body with faults that its schema knows of, and what is right of it."""

    def __init__(self, errors: Iterable[Fault], taken: Taken) -> None:
        super().__init__(INVALID, errors=tuple(errors))
        self.taken = taken


class Parser(FlaskParser):
    """Not JSON or not an object is 400, another content type 415, bad fields 422 with a pointer each."""

    def load_json(self, req: Request, schema: ma.Schema) -> Any:
        """The body as a JSON object; none at all is an empty one where the schema says `may_be_absent`."""
        if getattr(schema, "may_be_absent", False) and not req.get_data(cache=True):
            return {}
        body = json_body(req)
        at = list(_nuls(body, ""))
        if at:
            others = (fault for fault in faults(schema.validate(body)) if fault.pointer not in at)
            raise ValidationFailed(INVALID, errors=[*(Fault(pointer, NUL) for pointer in at), *others])
        return body

    def load_querystring(self, req: Request, schema: ma.Schema) -> Any:
        """The query; a NUL in it could not be compared with anything that is stored."""
        found = [Fault(f"/query/{_escaped(name)}", NUL) for name, value in req.args.items(multi=True) if "\0" in value]
        if found:
            raise ValidationFailed(INVALID, errors=found)
        return super().load_querystring(req, schema)

    def handle_error(self, error: ma.ValidationError, req: Request, schema: ma.Schema, **_: Any) -> NoReturn:
        """Marshmallow's nested messages become one fault for each field."""
        [(location, messages)] = error.normalized_messages().items()
        if location == "json":
            valid = error.valid_data if isinstance(error.valid_data, dict) else {}
            raise Misread(faults(messages), _taken(schema, valid, messages))
        raise ValidationFailed(INVALID, errors=list(faults(messages, f"/{location}")))


class Nothing(ma.Schema):
    """What an operation takes that takes no body, or no query: none at all, or one without any field."""

    may_be_absent = True


INVALID = "One or more fields are invalid."
NUL = "Must not contain the character U+0000."


def json_body(req: Request) -> dict[str, Any]:
    """The body as a JSON object; raises `UnsupportedMediaType` and `BadRequest`."""
    if req.mimetype != "application/json":
        raise UnsupportedMediaType("Send the body as application/json.")
    if req.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise UnsupportedMediaType("Send the body uncompressed.")
    try:
        parsed = orjson.loads(req.get_data(cache=True))
    except orjson.JSONDecodeError:
        raise BadRequest("The body is not valid JSON.") from None
    if not isinstance(parsed, dict):
        raise BadRequest("The body must be a JSON object.")
    return parsed


def faults(messages: Any, pointer: str = "") -> Iterator[Fault]:
    """Marshmallow's nested messages as one fault for each field."""
    if isinstance(messages, Mapping):
        for name, inner in messages.items():
            yield from faults(inner, pointer if name == "_schema" else f"{pointer}/{_escaped(name)}")
    elif isinstance(messages, list | tuple):
        for message in messages:
            yield from faults(message, pointer)
    else:
        yield Fault(pointer, str(messages))


def _taken(schema: ma.Schema, valid: Mapping[str, Any], messages: Mapping[str, Any]) -> Taken:
    """What of the body has no fault: whole fields, and those of an object that has one. A list with a fault is left out."""
    taken, refused = Taken(), set()
    for name, field in schema.load_fields.items():
        key, wrong = field.attribute or name, messages.get(str(field.data_key))
        if wrong is None:
            taken |= {key: valid[key]} if key in valid else {}
            continue
        refused.add(key)
        if isinstance(field, ma.fields.Nested) and isinstance(wrong, Mapping) and isinstance(valid.get(key), dict):
            taken[key] = _taken(field.schema, valid[key], wrong)
    taken.refused = frozenset(refused)
    return taken


def _nuls(value: Any, pointer: str) -> Iterator[str]:
    if isinstance(value, str):
        if "\0" in value:
            yield pointer
    elif isinstance(value, dict):
        for name, inner in value.items():
            if "\0" in name:
                yield pointer
            yield from _nuls(inner, f"{pointer}/{_escaped(name)}")
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _nuls(inner, f"{pointer}/{index}")


def _escaped(token: Any) -> str:
    return str(token).replace("~", "~0").replace("/", "~1")
