"""A client of the legacy push format."""

from __future__ import annotations

from typing import Any

from flask import Flask
from werkzeug.test import TestResponse

from tests.browser import sound


def push(app: Flask, token: str | None, sent: Any = None, path: str = "/message", **more: Any) -> TestResponse:
    headers = {"X-Gotify-Key": token} if token else {}
    options = {} if sent is None else {"json": sent}
    answer = app.test_client().post(path, headers=headers | more.pop("headers", {}), **options, **more)
    sound(answer)
    return answer
