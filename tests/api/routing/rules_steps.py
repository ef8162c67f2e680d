"""Creates rules over HTTP."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from inbox.database.base import new_id
from inbox.models.deliveries.destinations import Destination
from inbox.models.workspaces.tables import Workspace
from tests.browser import Browser
from tests.cast import Cast, present, typeid

Browsers = Callable[[str], Browser]


DISK = {"field": "title", "op": "contains", "value": "disk"}


HOURS = {"timezone": "Europe/Berlin", "windows": [{"days": ["mon", "tue"], "start": "22:00", "end": "06:00"}]}


@pytest.fixture
def workspace(cast: Cast) -> str:
    return typeid("wsp", cast.workspace.id)


@pytest.fixture
def adam(browser: Browsers) -> Browser:
    return browser("adam")


def new(workspace: str, **more: Any) -> dict[str, Any]:
    plain = {"workspaceId": workspace, "name": "Disks", "match": DISK, "then": {"disposition": "incident"}}
    return {name: value for name, value in {**plain, **more}.items() if value is not ...}


def make(browser: Browser, workspace: str, **more: Any) -> dict[str, Any]:
    answer = browser.post("/v1/rules", new(workspace, **more))
    assert answer.status_code == 201, answer.json
    made: dict[str, Any] = answer.json
    return made


def path(rule: dict[str, Any]) -> str:
    return f"/v1/rules/{rule['id']}"


def destination(workspace: Workspace, name: str = "Pager") -> str:
    row = Destination.create(id=new_id(), workspace=workspace, name=name, kind="webhook", created_at=present())
    return typeid("dst", row.id)


def pointers(answer: Any) -> list[str]:
    assert answer.status_code == 422, answer.json
    return [fault["pointer"] for fault in answer.json["errors"]]
