"""The blueprint of each noun: it parses what is sent and documents what is answered."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeVar
from uuid import UUID

import flask
import flask_smorest
import marshmallow as ma
from flask import request
from werkzeug.routing import BaseConverter, PathConverter, ValidationError

from inbox.api.http import policy
from inbox.api.http.parsing import INVALID, EmptySchema, InvalidBody, ParsedBody, Parser
from inbox.api.http.policy import authorize_in, entry, role_before_body
from inbox.domain.values import ids
from inbox.domain.values.refusals import Fault, ValidationFailed, collect_faults

View = TypeVar("View", bound=Callable[..., Any])


CrossCheck = Callable[..., object]
"""Looks at what was `ParsedBody`, given the ids in the path by name, and raises `ValidationFailed` for what is wrong with it."""


class Blueprint(flask_smorest.Blueprint):
    """One noun of the API. `"/"` means the noun itself, without a slash. An `EndpointPolicy` stands below each route.

    A list or a single record is a function view: parse, call one service or named query, dump.
    """

    ARGUMENTS_PARSER = Parser(unknown=None)  # what the schema says: unknown fields are errors, in queries too

    def __init__(self, *args: Any, section: str, error_shape: Mapping[str, Any] | None = None, **options: Any) -> None:
        """As in flask-smorest. `section` of the specification describes the endpoints that name no other one.

        `error_shape` is the schema of errors in the format of a maker, where it is not that of problems.
        """
        super().__init__(*args, **options)
        self.section, self.error_shape = section, error_shape

    def add_url_rule(self, rule: str, endpoint: str | None, view_func: View, **options: Any) -> None:
        """As in Flask, but addresses never end in a slash, and what takes no body or query refuses fields.

        Specification 2.1. Raises `PolicyIncomplete` for a view without an `EndpointPolicy`.
        """
        policy.register(f"{self.name}.{endpoint}", view_func)
        address = "" if rule == "/" and self.url_prefix else rule
        versioned = f"{self.url_prefix or ''}{address}".startswith("/v1")
        super().add_url_rule(address, endpoint, _refusing_unknown_rest(view_func, versioned=versioned), **options)

    def arguments(
        self, schema: Any, *, cross_check: CrossCheck | None = None, **options: Any
    ) -> Callable[[View], View]:
        """As in flask-smorest, but the role of the caller is checked before a body (decision 0009).

        `cross_check` also runs when the schema refuses a field, so that one answer has all faults (decision 0008).
        """
        # One schema for all requests: to make one takes longer than most bodies and queries take to be read.
        made = schema() if isinstance(schema, type) else schema
        reading = super().arguments(made, **options)
        body = made if options.get("location", "json") == "json" else None
        return lambda view: _reporting_all(reading(view), cross_check, body)

    def refuses(self, *codes: str) -> Callable[[View], View]:
        """Document problems that do not follow from the policy or the arguments: `@blp.refuses("conflict")`."""
        return self.doc(**{REFUSES: list(codes)})


class Pages(flask.Blueprint):
    """Pages and files for browsers, which the OpenAPI document leaves out. An `EndpointPolicy` stands above each view."""

    def add_url_rule(
        self, rule: str, endpoint: str | None = None, view_func: View | None = None, *args: Any, **options: Any
    ) -> None:
        """As in Flask. Raises `PolicyIncomplete` for a view without an `EndpointPolicy`."""
        policy.register(f"{self.name}.{endpoint}", view_func)
        super().add_url_rule(rule, endpoint, view_func, *args, **options)


REFUSES = "x-refuses"
ANY_QUERY = "x-any-query"
"""Marks a view for senders that ignores unknown query parameters (specification 2.2)."""


def _reporting_all(view: View, cross_check: CrossCheck | None, body: ma.Schema | None) -> Any:
    """The view, which reads a `body` after a check of the caller's role.

    A body that is misread is refused for what its workspace does not have, too.
    """

    @wraps(view)
    def with_headers(*args: Any, **kwargs: Any) -> Any:
        if body is not None:
            role_before_body.check(body, kwargs)
        try:
            return view(*args, **kwargs)
        except InvalidBody as refused:
            more: list[Fault] = []
            with collect_faults(more):
                _run_cross_check(refused.parsed, cross_check, kwargs)
            at = [fault.pointer for fault in refused.errors]
            more = [fault for fault in more if not any(_overlap(fault.pointer, each) for each in at)]
            raise ValidationFailed(INVALID, errors=[*refused.errors, *more]) from None

    return with_headers


def _run_cross_check(taken: ParsedBody, cross_check: CrossCheck | None, path: Mapping[str, Any]) -> None:
    if entry().workspace_from == "body":
        if "workspace_id" not in taken:
            return
        authorize_in(taken["workspace_id"])
    if cross_check is not None:
        cross_check(taken, **path)


def _overlap(pointer: str, other: str) -> bool:
    """Whether one is the other, or within it."""
    return f"{pointer}/".startswith(f"{other}/") or f"{other}/".startswith(f"{pointer}/")


def _refusing_unknown_rest(view: View, *, versioned: bool) -> Any:
    """The view, after a look at what it does not parse: the query, and the body of a write.

    One that documents them itself also reads them itself, since who sends them may know more than we do. Pages for people
    (not `versioned`) are opened with whatever a link carries.
    """
    documented = getattr(view, "_apidoc", {})
    manual = documented.get("manual_doc", {})
    if "requestBody" in manual:
        return view
    documented_places = {each["in"] for each in documented.get("arguments", {}).get("parameters", ())}
    own = {each["in"] for each in manual.get("parameters", ())}
    is_bare, takes_none = versioned and "query" not in documented_places | own, "json" not in documented_places
    is_bare = is_bare and ANY_QUERY not in manual

    @wraps(view)
    def looking(*args: Any, **kwargs: Any) -> Any:
        if is_bare and request.query_string:
            Blueprint.ARGUMENTS_PARSER.parse(EmptySchema(), request, location="query")
        if takes_none and request.method not in ("GET", "HEAD"):
            Blueprint.ARGUMENTS_PARSER.parse(EmptySchema(), request, location="json")
        return view(*args, **kwargs)

    if versioned and "query" not in own and ANY_QUERY not in manual:
        documented_errors = {**manual, REFUSES: [*manual.get(REFUSES, ()), "validation_failed"]}
        # `Blueprint.doc`, the public way, would wrap every view once more.
        looking._apidoc = {**documented, "manual_doc": documented_errors}  # type: ignore[attr-defined]  # noqa: SLF001
    return looking


class AliasConverter(PathConverter):
    """`/<alias:alert>/<act>` in a route: a name that may contain slashes, also at its beginning."""

    regex = ".+?"
    part_isolating = False


class TypeIdConverter(BaseConverter):
    """`/<typeid(inc):incident_id>` in a route: the view gets a UUID; another prefix or spelling is a 404.

    Specification 2.4.
    """

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
