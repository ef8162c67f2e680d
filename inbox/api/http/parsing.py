"""Parses request bodies and queries, and collects one fault for each field."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, NoReturn

import marshmallow as ma
import orjson
from flask import Request, g
from webargs.flaskparser import FlaskParser

from inbox.api.http.problems import MAX_ERRORS
from inbox.domain.values.jsonbody import EMPTY, check_tree, escaped, not_json, nul_pointers
from inbox.domain.values.refusals import BadRequest, Fault, UnsupportedMediaType, ValidationFailed


class ParsedBody(dict[str, Any]):
    """The valid fields of a body. `refused` are the fields that are invalid, wholly or in part."""

    refused: frozenset[str] = frozenset()

    def judgeable(self, *names: str) -> bool:
        """Returns whether all these fields are valid, so that they can be checked against each other."""
        return self.refused.isdisjoint(names)


class InvalidBody(ValidationFailed):
    """A body with faults that its schema found, and its valid part."""

    def __init__(self, errors: Iterable[Fault], taken: ParsedBody) -> None:
        super().__init__(INVALID, errors=tuple(errors))
        self.parsed = taken


class Parser(FlaskParser):
    """Refuses a body that is no JSON object with 400, other content types with 415, bad fields with 422."""

    def load_json(self, req: Request, schema: ma.Schema) -> Any:
        """Returns the body as a JSON object. A missing body is an empty one where the schema has `may_be_absent`."""
        raw = req.get_data(cache=True)
        if getattr(schema, "may_be_absent", False) and not raw:
            return {}
        body = json_body(req)
        at = _nuls(body, schema) if ESCAPED_NUL in raw else []
        if at:
            others = (fault for fault in faults(schema.validate(body)) if fault.pointer not in at)
            raise ValidationFailed(INVALID, errors=first([*(Fault(pointer, NUL) for pointer in at), *first(others)]))
        return body

    def load_querystring(self, req: Request, schema: ma.Schema) -> Any:
        """Returns the query. Only a list may be given more than once."""
        query = super().load_querystring(req, schema)
        once = {field.data_key for field in schema.load_fields.values() if not isinstance(field, ma.fields.List)}
        repeated = {name: [ONCE] for name, values in req.args.lists() if len(values) > 1 and name in once}
        if repeated:
            messages = {**schema.validate(query), **repeated}
            raise ValidationFailed(INVALID, errors=first(faults(_named(schema, messages), "/query")))
        return query

    def handle_error(self, error: ma.ValidationError, req: Request, schema: ma.Schema, **_: object) -> NoReturn:
        """Turns marshmallow's nested messages into one fault for each field."""
        [(location, messages)] = error.normalized_messages().items()
        if location == "json":
            valid = error.valid_data if isinstance(error.valid_data, dict) else {}
            raise InvalidBody(first(faults(messages)), _parsed(schema, valid, messages))
        if location == "query":
            messages = _named(schema, messages)
        raise ValidationFailed(INVALID, errors=first(faults(messages, f"/{location}")))


class EmptySchema(ma.Schema):
    """The schema of an operation without a body or query: both must be absent or empty."""

    may_be_absent = True


INVALID = "One or more fields are invalid."
NUL = "Must not contain the character U+0000."
ONCE = "Accepts one value. Send it once."
UNKNOWN = "Unknown field."
ESCAPED_NUL = rb"\u0000"
"""The only spelling in which a JSON text can contain U+0000."""


def json_body(req: Request) -> dict[str, Any]:
    """Returns the body as a JSON object that has passed `check_tree`. Raises `UnsupportedMediaType` and `BadRequest`.

    Parsing a large body takes several milliseconds, so that a request is parsed once.
    """
    if "json_body" not in g:
        g.json_body = _json_body(req)
    body: dict[str, Any] = g.json_body
    return body


def _json_body(req: Request) -> dict[str, Any]:
    raw = req.get_data(cache=True)
    if not raw:
        raise BadRequest(EMPTY)
    if req.mimetype != "application/json":
        raise UnsupportedMediaType("Send the body as application/json.")
    if req.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise UnsupportedMediaType("Send the body uncompressed.")
    try:
        parsed = check_tree(orjson.loads(raw))
    except orjson.JSONDecodeError as fault:
        raise not_json(raw, fault) from None
    if not isinstance(parsed, dict):
        raise BadRequest("The body must be a JSON object.")
    return parsed


def first(found: Iterable[Fault]) -> list[Fault]:
    """Returns as many faults as a problem shows, and one more, which shows that there are others."""
    return list(islice(found, MAX_ERRORS + 1))


def faults(messages: object, pointer: str = "") -> Iterator[Fault]:
    """Yields marshmallow's nested messages as one fault for each field."""
    if isinstance(messages, Mapping):
        for name, inner in messages.items():
            yield from faults(inner, pointer if name == "_schema" else f"{pointer}/{escaped(name)}")
    elif isinstance(messages, list | tuple):
        for message in messages:
            yield from faults(message, pointer)
    else:
        yield Fault(pointer, str(messages))


def _parsed(schema: ma.Schema, valid: Mapping[str, Any], messages: Mapping[str, Any]) -> ParsedBody:
    """Returns the valid part of the body: fields, and members of objects. A list with a fault is left out."""
    taken, refused = ParsedBody(), set()
    for name, field in schema.load_fields.items():
        key, wrong = field.attribute or name, messages.get(str(field.data_key))
        if wrong is None:
            taken |= {key: valid[key]} if key in valid else {}
            continue
        refused.add(key)
        if isinstance(field, ma.fields.Nested) and isinstance(wrong, Mapping) and isinstance(valid.get(key), dict):
            taken[key] = _parsed(field.schema, valid[key], wrong)
    taken.refused = frozenset(refused)
    return taken


def _nuls(body: dict[str, Any], schema: ma.Schema) -> list[str]:
    """Returns where the body contains U+0000, except in fields that accept any value (the token of a link)."""
    whatever = {str(field.data_key) for field in schema.load_fields.values() if isinstance(field, ma.fields.Raw)}
    return nul_pointers({name: value for name, value in body.items() if name not in whatever})


def _named(schema: ma.Schema, messages: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the messages of a query. The message of an unknown parameter lists the valid ones."""
    valid_names = ", ".join(sorted(str(field.data_key) for field in schema.load_fields.values()))
    instead = [
        f"Unknown parameter. Use one of: {valid_names}." if valid_names else "This address accepts no parameters."
    ]
    return {name: instead if given == [UNKNOWN] else given for name, given in messages.items()}
