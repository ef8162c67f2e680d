"""JSON by orjson: ten times faster, strict in both directions."""

from __future__ import annotations

from typing import Any

import orjson
from flask import Response, current_app
from flask.json.provider import JSONProvider


class OrjsonProvider(JSONProvider):
    """Flask's way to and from JSON; dates, UUIDs and enumerations need no help."""

    def dumps(self, obj: object, **_: object) -> str:
        """JSON as text."""
        return orjson.dumps(obj, option=orjson.OPT_UTC_Z).decode()

    def loads(self, s: str | bytes, **_: object) -> Any:
        """The value of a JSON text; raises `ValueError`."""
        return orjson.loads(s)

    def response(self, *args: Any, **kwargs: Any) -> Response:
        """An answer with a JSON body."""
        body = orjson.dumps(self._prepare_response_obj(args, kwargs), option=orjson.OPT_UTC_Z)
        return current_app.response_class(body, mimetype="application/json")
