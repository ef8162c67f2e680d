"""The base of all blueprints. It parses requests and documents answers."""

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

from inbox.api.http import policy, replica_reads
from inbox.api.http.parsing import INVALID, EmptySchema, InvalidBody, ParsedBody, Parser
from inbox.api.http.policy import authorize_in, entry, role_before_body
from inbox.domain.values import ids
from inbox.domain.values.refusals import Fault, ValidationFailed, collect_faults

View = TypeVar("View", bound=Callable[..., Any])


CrossCheck = Callable[..., object]
"""Checks a `ParsedBody` with the ids in the path by name. Raises `ValidationFailed` with the faults."""


class Blueprint(flask_smorest.Blueprint):
    """The endpoints of one noun. The route `"/"` is the noun itself, without a slash.

    An `EndpointPolicy` stands below each route. A view of a list or a record is a function: parse, call one service or
    named query, dump.
    """

    ARGUMENTS_PARSER = Parser(unknown=None)  # the schema decides, in queries too: unknown fields are errors

    def __init__(self, *args: Any, section: str, error_shape: Mapping[str, Any] | None = None, **options: Any) -> None:
        """Like flask-smorest's. `section` is the section of the specification for endpoints that name no other.

        `error_shape` is the schema of errors where a maker's format replaces problem documents.
        """
        super().__init__(*args, **options)
        self.section, self.error_shape = section, error_shape

    def add_url_rule(self, rule: str, endpoint: str | None, view_func: View, **options: Any) -> None:
        """Like Flask's, but addresses never end in a slash, and endpoints without a body or query refuse fields.

        Specification 2.1. Raises `PolicyIncomplete` for a view without an `EndpointPolicy`.
        """
        policy.register(f"{self.name}.{endpoint}", view_func)
        address = "" if rule == "/" and self.url_prefix else rule
        versioned = f"{self.url_prefix or ''}{address}".startswith("/v1")
        view = _refusing_unknown_rest(replica_reads.routed(view_func), versioned=versioned)
        super().add_url_rule(address, endpoint, view, **options)

    def arguments(
        self, schema: Any, *, cross_check: CrossCheck | None = None, **options: Any
    ) -> Callable[[View], View]:
        """Like flask-smorest's, but checks the role of the caller before a body (decision 0009).

        `cross_check` also runs when the schema refuses a field, so that one answer has all faults (decision 0008).
        """
        # One schema for all requests, because creating one takes longer than reading most bodies and queries.
        made = schema() if isinstance(schema, type) else schema
        reading = super().arguments(made, **options)
        body = made if options.get("location", "json") == "json" else None
        return lambda view: _reporting_all(reading(view), cross_check, body)

    def refuses(self, *codes: str) -> Callable[[View], View]:
        """Documents problems that do not follow from the policy or the arguments: `@blp.refuses("conflict")`."""
        return self.doc(**{REFUSES: list(codes)})


class Pages(flask.Blueprint):
    """Pages and files for browsers, which the OpenAPI document leaves out. An `EndpointPolicy` stands above each view."""

    def add_url_rule(
        self, rule: str, endpoint: str | None = None, view_func: View | None = None, *args: Any, **options: Any
    ) -> None:
        """Like Flask's. Raises `PolicyIncomplete` for a view without an `EndpointPolicy`."""
        policy.register(f"{self.name}.{endpoint}", view_func)
        super().add_url_rule(rule, endpoint, view_func, *args, **options)


REFUSES = "x-refuses"
ANY_QUERY = "x-any-query"
"""Marks a view for senders that ignores unknown query parameters (specification 2.2)."""


def _reporting_all(view: View, cross_check: CrossCheck | None, body: ma.Schema | None) -> Any:
    """Returns the view, which reads a `body` after a check of the caller's role.

    A body that the schema refuses also gets the faults of references that its workspace does not have.
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
    """Returns whether one path equals the other or is within it."""
    return f"{pointer}/".startswith(f"{other}/") or f"{other}/".startswith(f"{pointer}/")


def _refusing_unknown_rest(view: View, *, versioned: bool) -> Any:
    """Returns the view, which first refuses whatever it does not parse: the query, and the body of a write.

    A view that documents its query or body reads it itself, because its senders may use unknown fields. Pages for
    people (not `versioned`) accept any query, because links carry parameters of other programs.
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
        # `Blueprint.doc`, the public way, would wrap every view again.
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
        # In the pattern, too: a segment that fails only in `to_python` makes Werkzeug answer 405 for other methods.
        self.regex = ids.pattern(prefix)

    def to_python(self, value: str) -> UUID:
        """Returns the UUID of the segment."""
        found = ids.decode(self.prefix, value)
        if found is None:
            raise ValidationError
        return found

    def to_url(self, value: UUID) -> str:
        """Returns the segment of a UUID."""
        return ids.encode(self.prefix, value)
