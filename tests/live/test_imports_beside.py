"""A web process answers others while a child process reads an import (specification 22.1)."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from inbox.config.settings import Settings
from tests.cast import Cast, typeid
from tests.live.web import Web, until

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def web(live_settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    with Web.start(live_settings, tmp_path_factory.mktemp("web"), workers=1) as web:
        yield web


def silences(count: int) -> str:
    """Silences whose patterns are expensive to compile."""
    return json.dumps([
        {
            "id": f"s{n}", "comment": "Work", "startsAt": "2026-01-01T00:00:00Z", "endsAt": "2099-01-01T00:00:00Z",
            "matchers": [{"name": "a", "value": f"(?s)x{n}.{{1,400}}", "isRegex": True}],
        }
        for n in range(count)
    ])  # fmt: skip


def programs_below(pid: int | None) -> list[str]:
    """The command lines of all descendants of a process."""
    children = [
        child for task in Path(f"/proc/{pid}/task").iterdir() for child in (task / "children").read_text().split()
    ]
    found = []
    for child in children:
        found += [Path(f"/proc/{child}/cmdline").read_text(), *programs_below(int(child))]
    return found


def preview(web: Web, headers: dict[str, str], body: dict[str, Any], answers: list[Any]) -> None:
    address = f"http://127.0.0.1:{web.port}/v1/imports/preview"
    answers.append(requests.post(address, json=body, headers=headers, timeout=120))


def test_a_web_process_answers_others_while_it_reads_an_import(web: Web, audience: Cast) -> None:
    answers: list[Any] = []
    workspace_id = typeid("wsp", audience.workspace.id)
    body = {"workspaceId": workspace_id, "kind": "alertmanager_silences", "document": silences(900)}
    headers = {"Cookie": f"inbox_session_8080={audience.cookie('adam')}"}
    reading = threading.Thread(target=preview, args=(web, headers, body, answers))
    reading.start()

    def is_reading() -> bool:
        return any("importers" in each for each in programs_below(web.child.pid))

    until(lambda: is_reading() or answers)
    answered = [web.get("/v1/info").status for _ in range(3)]
    still_reading = is_reading()
    reading.join(120)

    assert answered == [200, 200, 200] and still_reading
    assert answers[0].status_code in (200, 422), answers[0].text
    assert not is_reading()
    assert '"level": "error"' not in web.log.read_text()
