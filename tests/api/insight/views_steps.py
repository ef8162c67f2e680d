"""Saved views for tests, made through the API."""

from __future__ import annotations

from typing import Any

from tests.browser import Browser


def new_view(browser: Browser, workspace: str, **more: Any) -> str:
    fields = {"name": "Mine", "list": "incidents", "filters": {"state": ["open"]}, "workspaceId": workspace}
    answer = browser.post("/v1/views", {**fields, **more})
    assert answer.status_code == 201, answer.json
    return str(answer.headers["Location"])
