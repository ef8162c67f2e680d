"""The blueprint of each noun: it parses what is sent and documents what is answered."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from typing import Any, NoReturn, TypeVar
from uuid import UUID

import flask_smorest
import marshmallow as ma
import orjson
from flask import Request, request
from webargs.flaskparser import FlaskParser
from werkzeug.routing import BaseConverter, ValidationError

from inbox.domain import ids
from inbox.domain.refusals import BadRequest, Fault, UnsupportedMediaType, ValidationFailed

View = TypeVar("View", bound=Callable[..., Any])


class Parser(FlaskParser):
    """Not JSON or not an object is 400, another content type 415, bad fields 422 with a pointer each."""

    def load_json(self, req: Request, schema: ma.Schema) -> Any:
        """The body as a JSON object; none at all is an empty one where the schema says `may_be_absent`."""
        if getattr(schema, "may_be_absent", False) and not req.get_data(cache=True):
            return {}
        return json_body(req)

    def load_querystring(self, req: Request, schema: ma.Schema) -> Any:
        """The query; a NUL in it could not be compared with anything that is stored."""
        faults = [Fault(f"/query/{_escaped(name)}", NUL) for name, value in req.args.items(multi=True) if "\0" in value]
        if faults:
            raise ValidationFailed(INVALID, errors=faults)
        return super().load_querystring(req, schema)

    def handle_error(self, error: ma.ValidationError, req: Request, schema: ma.Schema, **_: Any) -> NoReturn:
        """Marshmallow's nested messages become one fault for each field."""
        found: list[Fault] = []
        for location, messages in error.normalized_messages().items():
            found.extend(faults(messages, "" if location == "json" else f"/{location}"))
        raise ValidationFailed(INVALID, errors=found)


class Nothing(ma.Schema):
    """What an operation takes that takes no body, or no query: none at all, or one without any field."""

    may_be_absent = True


INVALID = "One or more fields are invalid."
NUL = "Must not contain the character U+0000."


def json_body(req: Request) -> dict[str, Any]:
    """The body as a JSON object; raises `UnsupportedMediaType`, `BadRequest`, or `ValidationFailed` for a NUL in a text."""
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
    faults = [Fault(pointer, NUL) for pointer in _nuls(parsed, "")]
    if faults:
        raise ValidationFailed(INVALID, errors=faults)
    return parsed


class Blueprint(flask_smorest.Blueprint):
    """One noun of the API. Its endpoints are listed in `inbox.api.policy`; `"/"` means the noun itself, without a slash.

    A list or a single record is a function view: parse, call one service or named query, dump.
    """

    ARGUMENTS_PARSER = Parser(unknown=None)  # what the schema says: unknown fields are errors, in queries too

    def add_url_rule(self, rule: str, endpoint: str | None, view_func: View, **options: Any) -> None:
        """As in Flask, but addresses never end in a slash, and what takes no body or query refuses fields (decision 0)."""
        address = "" if rule == "/" and self.url_prefix else rule
        versioned = f"{self.url_prefix or ''}{address}".startswith("/v1")
        super().add_url_rule(address, endpoint, _with_rest_known(view_func, versioned=versioned), **options)

    def refuses(self, *codes: str) -> Callable[[View], View]:
        """Document problems that cannot be told from the policy or the arguments: `@blp.refuses("conflict")`."""
        return self.doc(**{REFUSES: list(codes)})


REFUSES = "x-refuses"


def _with_rest_known(view: View, *, versioned: bool) -> Any:
    """The view, after a look at what it does not parse: the query, and the body of a write.

    One that documents them itself also reads them itself, since who sends them may know more than we do. Pages for people
    (not `versioned`) are opened with whatever a link carries.
    """
    documented = getattr(view, "_apidoc", {})
    manual = documented.get("manual_doc", {})
    if "requestBody" in manual:
        return view
    known = {each["in"] for each in documented.get("arguments", {}).get("parameters", ())}
    own = {each["in"] for each in manual.get("parameters", ())}
    is_bare, takes_none = versioned and "query" not in known | own, "json" not in known

    @wraps(view)
    def looking(*args: Any, **kwargs: Any) -> Any:
        if is_bare and request.query_string:
            Blueprint.ARGUMENTS_PARSER.parse(Nothing(), request, location="query")
        if takes_none and request.method not in ("GET", "HEAD"):
            Blueprint.ARGUMENTS_PARSER.parse(Nothing(), request, location="json")
        return view(*args, **kwargs)

    if versioned and "query" not in own:
        told = {**manual, REFUSES: [*manual.get(REFUSES, ()), "validation_failed"]}
        looking._apidoc = {**documented, "manual_doc": told}  # type: ignore[attr-defined]
    return looking


class TypeIdConverter(BaseConverter):
    """`/<typeid(inc):incident_id>` in a route: the view gets a UUID; another prefix or spelling is a 404 (decision 0)."""

    part_isolating = True

    def __init__(self, url_map: Any, prefix: str) -> None:
        super().__init__(url_map)
        self.prefix = prefix
        # In the pattern too: a segment that fails only in `to_python` makes Werkzeug answer 405 for other methods.
        self.regex = ids.pattern(prefix)

    def to_python(self, value: str) -> UUID:
        """The UUID of the segment."""
        found = ids.decode(self.prefix, value)
        if found is None:
            raise ValidationError
        return found

    def to_url(self, value: UUID) -> str:
        """The segment of a UUID."""
        return ids.encode(self.prefix, value)


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
