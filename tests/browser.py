"""A dashboard browser: it sends cookie, origin and a JSON content type, and checks every problem document."""

from __future__ import annotations

from typing import Any

from flask import Flask
from werkzeug.test import TestResponse

OF_MAKERS = ("/v1/compat/pagerduty/", "/v1/compat/opsgenie/")
"""Addresses where errors have the shape of the maker of the format (specification 19.8)."""


class Browser:
    """Requests of one person. Each answer is checked for what every answer must have."""

    def __init__(self, app: Flask, base_url: str, cookie: str | None = None) -> None:
        self.client = app.test_client()
        self.base_url = base_url
        if cookie is not None:
            self.client.set_cookie("inbox_session_8080", cookie)

    def call(self, method: str, path: str, json: Any = None, headers: dict[str, str] | None = None) -> TestResponse:
        """Send; `headers` replace or, with an empty text, take away what a browser would send."""
        sent: dict[str, str] = {}
        if method not in ("GET", "HEAD"):
            sent = {"Origin": self.base_url, "Content-Type": "application/json"}
        sent = {name: value for name, value in {**sent, **(headers or {})}.items() if value}
        options: dict[str, Any] = {} if json is None else {"json": json}
        if json is not None and "Content-Type" in sent:
            options = {"data": self.client.application.json.dumps(json)}
        answer = self.client.open(path, method=method, headers=sent, **options)
        sound(answer)
        return answer

    def get(self, path: str, **more: Any) -> TestResponse:
        """`GET`; further arguments as in `call`."""
        return self.call("GET", path, **more)

    def post(self, path: str, json: Any = None, **more: Any) -> TestResponse:
        """`POST`."""
        return self.call("POST", path, json, **more)

    def put(self, path: str, json: Any = None, **more: Any) -> TestResponse:
        """`PUT`."""
        return self.call("PUT", path, json, **more)

    def patch(self, path: str, json: Any = None, **more: Any) -> TestResponse:
        """`PATCH`."""
        return self.call("PATCH", path, json, **more)

    def delete(self, path: str, **more: Any) -> TestResponse:
        """`DELETE`."""
        return self.call("DELETE", path, **more)


def sound(answer: TestResponse) -> None:
    """What holds for every answer: a request id, safety headers, and for every error problem details or a maker's shape."""
    request_id = answer.headers["X-Request-Id"]
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.status_code != 500, answer.data
    of_maker = answer.request.path.startswith(OF_MAKERS) and answer.content_type == "application/json"
    if answer.status_code >= 400 and of_maker:
        error = answer.get_json()
        assert error["requestId"] == request_id
        assert error["code"] and error["detail"] and error["message"]
    elif answer.status_code >= 400:
        assert answer.content_type == "application/problem+json"
        if answer.request.method != "HEAD":
            problem = answer.get_json(force=True)
            assert problem["requestId"] == request_id
            assert problem["status"] == answer.status_code
            assert problem["type"].endswith("/problems/" + problem["code"])
            assert problem["title"] and problem["detail"]
