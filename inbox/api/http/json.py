"""JSON by orjson: ten times faster, and strict in both directions."""

from __future__ import annotations

from typing import Any

import orjson
from flask import Response, current_app
from flask.json.provider import JSONProvider


class OrjsonProvider(JSONProvider):
    """Flask's JSON provider. Dates, UUIDs and enumerations are supported directly."""

    def dumps(self, obj: object, **_: object) -> str:
        """Returns JSON as text."""
        return orjson.dumps(obj, option=orjson.OPT_UTC_Z).decode()

    def loads(self, s: str | bytes, **_: object) -> Any:
        """Returns the value of a JSON text. Raises `ValueError`."""
        return orjson.loads(s)

    def response(self, *args: Any, **kwargs: Any) -> Response:
        """Returns an answer with a JSON body."""
        body = orjson.dumps(self._prepare_response_obj(args, kwargs), option=orjson.OPT_UTC_Z)
        return current_app.response_class(body, mimetype="application/json")
