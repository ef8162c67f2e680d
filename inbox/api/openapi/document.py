"""The OpenAPI document of the running server, generated from routes, schemas and policy (specification 1.7).

Each process generates it at its first request, so that processes start a third of a second faster.
"""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from typing import Any

import flask_smorest
import orjson
from flask import Flask, Response, current_app

from inbox import __version__
from inbox.api.http.blueprint import Blueprint, TypeIdConverter
from inbox.api.http.policy import NONE, EndpointPolicy
from inbox.api.http.request_examples import dated
from inbox.api.http.schemas.base import FIELD_TYPES, typeid_schema
from inbox.api.http.schemas.enumerations import FailureCode
from inbox.api.http.schemas.problems import Problem
from inbox.api.instance.schemas.changes import Change
from inbox.api.openapi import operations
from inbox.api.openapi.security_schemes import security_schemes
from inbox.config.settings import Settings

blp = Blueprint("document", __name__, url_prefix="/v1", description="The OpenAPI document.", section="1.7")

API = "inbox.document"
ABOUT = (
    "Senders push events with a source key to `POST /v1/events`, the one address that is a stable surface for automation."
    " Everything else is the API of the dashboard and the paired phone, which sign in.\n\n"
    "Every error is `application/problem+json`; its `type` is an address that explains it. Every answer carries"
    " `X-Request-Id`. Lists take `limit` with `cursor` or `offset`. Records that can be changed carry `rev` and answer it as"
    " `ETag`; a change with a stale `If-Match` is refused."
)


@blp.route("/openapi.json", methods=["GET"], endpoint="read")
@EndpointPolicy(NONE, workspace_from="none", database=False, tagged=True)
@blp.response(200, {"type": "object"})
def read() -> Response:
    """Get the OpenAPI document

    Public. The running server generates it.
    """
    return Response(dated(generated(current_app), datetime.now(UTC)), mimetype="application/json")


def generated(app: Flask) -> bytes:
    """Returns the document of this app. The first call generates it."""
    api: Api = app.extensions[API]
    return api.document()


class Api(flask_smorest.Api):
    """Registers blueprints. After the last one, `document` describes them."""

    DEFAULT_ERROR_RESPONSE_NAME = None

    def __init__(self, app: Flask, settings: Settings) -> None:
        options: dict[str, Any] = {
            "info": {"description": ABOUT},
            "servers": [{"url": settings.base_url}],
            "components": {"securitySchemes": security_schemes(settings)},
        }
        super().__init__(
            app, spec_kwargs={"title": settings.name, "version": __version__, "openapi_version": "3.1.0", **options}
        )
        self._settings = settings
        self._described_blueprints: list[Blueprint] = []
        self._lock = threading.Lock()
        self._document = b""
        app.extensions[API] = self
        for field, kind, form in FIELD_TYPES:
            self.register_field(field, kind, form)
        self.register_field(FailureCode, None, None)  # `type` appears in each of its forms
        self.register_converter(TypeIdConverter, lambda converter: typeid_schema(converter.prefix))

    def _register_responses(self) -> None:
        """Adds nothing of the framework's, because `finish` adds the problems."""

    def _register_etag_headers(self) -> None:
        """Adds nothing of the framework's, because `finish` adds our headers."""

    def _register_pagination_header(self) -> None:
        """Adds nothing of the framework's, because our pages are bodies."""

    def _register_error_handlers(self) -> None:
        """Adds nothing of the framework's, because `inbox.api.http.errors` answers errors."""

    def register_blueprint(self, blp: Blueprint) -> None:
        """Serves the operations of the blueprint now, and describes them in `document`."""
        self._app.register_blueprint(blp)
        self._described_blueprints.append(blp)

    def document(self) -> bytes:
        """Returns the bytes of the document. The first call generates them, while other callers wait."""
        with self._lock:
            if not self._document:
                self._document = orjson.dumps(self._generate())
                self._described_blueprints = []
            return self._document

    def _generate(self) -> dict[str, Any]:
        for blp in self._described_blueprints:
            blp.register_views_in_doc(self, self._app, self.spec, name=blp.name, parameters=None)
            self.spec.tag({"name": blp.name, "description": blp.description})
        self.spec.components.schema("Problem", schema=Problem)
        self.spec.components.schema("Change", schema=Change)
        described: dict[str, Any] = self.spec.to_dict()
        operations.complete(described, self._app, self._settings)
        return described
