"""The pages for users keep their word: every command and every snippet runs, in the order of its page."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.docs.pages import FIRST, Block, Page, page_named, pages
from tests.docs.sessions import Result, answers, is_like, run
from tests.faults.service_processes import PROJECT
from tests.runner.programs import needs_curl
from tests.up import Up, started

pytestmark = [needs_curl, pytest.mark.slow, pytest.mark.xdist_group("faults")]

NOT_EXECUTED: dict[tuple[str, str], str] = {
    ("first-steps.md", "bin/up"): "the fixture starts bin/up with its own port and data directory",
    ("first-steps.md", "bin/inbox demo --live"): (
        "it sends events until Ctrl-C; tests/ops/test_demo.py makes and removes the workspace"
    ),
    ("sending-events.md", "0 2 * * *  . /etc/inbox.env; /usr/local/bin/report.sh backup /usr/local/bin/backup.sh"): (
        "cron runs the line; the blocks before it run the wrapper"
    ),
    ("heartbeats.md", "PING=https://inbox.example.org/v1/heartbeats/svc_hb_your_token"): (
        "cron runs the line; the block before it runs the same calls"
    ),
    (
        "heartbeats.md",
        "route:",
    ): "Alertmanager reads it; tests/api/heartbeats/test_uncounted_pings.py sends its webhooks",
    (
        "import.md",
        "INBOX_IMPORT_TOKEN=your-api-key bin/inbox import healthchecks https://healthchecks.example.org",
    ): "it calls a server of the reader; tests/ops/test_cli_imports.py calls one on loopback",
    ("watchers.md", "[Unit]"): "systemd runs the unit; the blocks before it run the agent with the same options",
}
"""Page and first line of each block that is not executed, and why."""

if not shutil.which("go"):
    NOT_EXECUTED |= {
        ("webhook-receivers.md", first): "no Go toolchain is installed; the block runs where there is one"
        for first in ("package main", "go build -o receiver receiver.go")
    }

LONGEST_PAGE = 200


def listed(page: Page) -> set[Block]:
    return {block for block in page.blocks if block.key in NOT_EXECUTED}


EMAIL, PASSWORD = "you@example.org", "a long enough passphrase"
"""Of the account that the first page creates."""


class Sessions:
    """Runs each page once on one service. The page that creates the account runs before all others."""

    def __init__(self, up: Up, directory: Path) -> None:
        self.up, self.directory, self._results = up, directory, dict[str, Result]()

    def result(self, page: Page) -> Result:
        """What the blocks of the page did."""
        if page.name not in self._results:
            key = "" if page.name == FIRST else self.source_key(page)
            self._results[page.name] = run(page, self.up, self.directory / page.path.stem, listed(page), key)
            if page.name != FIRST:
                self._delete_watchers()
        return self._results[page.name]

    def _delete_watchers(self) -> None:
        """Nobody checks in after the page. A watcher that is late would be notified of in another page."""
        for watcher in self.api("/v1/watchers")["items"]:
            self.api(f"/v1/watchers/{watcher['id']}", method="DELETE")

    def source_key(self, page: Page) -> str:
        """The key that a reader has from the first page."""
        api = self.api
        workspace = api("/v1/workspaces")["items"][0]["id"]
        source = api("/v1/sources", {"workspaceId": workspace, "name": f"Sender of {page.name}"})["id"]
        return str(api(f"/v1/sources/{source}/keys", {"name": "test"})["secret"])

    @cached_property
    def api(self) -> Callable[..., dict[str, Any]]:
        """Calls the API as the person who has read the first page. Sign-ins are limited, so there is one."""
        self.result(page_named(FIRST))
        api = requests.Session()

        def call(path: str, body: dict[str, str] | None = None, method: str = "") -> dict[str, Any]:
            answer = api.request(method or ("POST" if body else "GET"), self.up.address + path, json=body, timeout=60)
            assert answer.ok, answer.text
            return dict(answer.json()) if answer.content else {}

        call("/v1/auth/login", {"email": EMAIL, "password": PASSWORD})
        return call


@pytest.fixture(scope="module")
def sessions(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sessions]:
    directory = tmp_path_factory.mktemp("users")
    with started(directory, "--web", "1", "--workers", "1") as up:
        yield Sessions(up, directory)


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_every_block_of_a_page_is_executed_or_listed_with_its_reason(page: Page, sessions: Sessions) -> None:
    result = sessions.result(page)

    assert result.complete, f"{page.name} stopped after:\n{result.transcript[-3000:]}"
    executed = result.executed(page)
    left = [str(block) for block in page.blocks if block not in executed and block not in listed(page)]
    assert left == [], result.transcript[-6000:]
    assert executed or not page.blocks


def test_an_event_with_every_field_has_no_warning(sessions: Sessions) -> None:
    result = sessions.result(page_named("sending-events.md"))

    receipts = [event for answer in answers(result.transcript) for event in answer.get("events", ())]
    assert len(receipts) > 5
    assert [receipt for receipt in receipts if receipt["warnings"] or receipt["status"] != "accepted"] == []


def test_the_wrapper_for_cron_jobs_reports_long_output_that_is_no_text(sessions: Sessions) -> None:
    page = page_named("sending-events.md")
    sessions.result(page)
    script = sessions.directory / page.path.stem / "report.sh"
    noise = [sys.executable, "-c", "import sys; sys.stdout.buffer.write(bytes(range(1, 256)) * 2000); sys.exit(3)"]

    done = subprocess.run(
        ["sh", str(script), "noise", *noise],
        env={**os.environ, "INBOX": sessions.up.address, "KEY": sessions.source_key(page)},
        capture_output=True, timeout=120, check=False,
    )  # fmt: skip

    assert done.returncode == 0, done
    assert json.loads(done.stdout)["events"][0]["status"] == "accepted"


def test_every_answer_in_the_table_of_mistakes_is_the_one_of_the_service(sessions: Sessions) -> None:
    page = page_named("sending-events-reference.md")
    transcript = sessions.result(page).transcript

    table = page.text.partition("| Mistake |")[2].partition("\n\n")[0]
    quoted = re.findall(r'\| "(.+)" \|$', table, re.MULTILINE)
    assert len(quoted) > 10
    assert [detail for detail in quoted if detail not in transcript] == []


def test_every_warning_of_the_service_is_in_the_table(sessions: Sessions) -> None:
    described = requests.get(f"{sessions.up.address}/v1/openapi.json", timeout=60).json()
    codes = described["components"]["schemas"]["EventWarning"]["properties"]["code"]["enum"]
    table = page_named("sending-events-reference.md").text.partition("| Warning |")[2].partition("\n\n")[0]

    assert set(re.findall(r"^\| `(\w+)`", table, re.MULTILINE)) == set(codes)


def test_every_reason_of_a_notice_is_in_the_table(sessions: Sessions) -> None:
    described = requests.get(f"{sessions.up.address}/v1/openapi.json", timeout=60).json()
    reasons = described["components"]["schemas"]["DeliveryRecord"]["properties"]["reason"]["enum"]
    table = page_named("webhooks.md").text.partition("| Reason |")[2].partition("\n\n")[0]

    assert set(re.findall(r"^\| `(\w+)`", table, re.MULTILINE)) == set(reasons) - {
        "test",
        "digest",
    }  # webhooks have no digests


def test_every_match_in_the_table_is_accepted(sessions: Sessions) -> None:
    table = page_named("rules-and-profiles.md").text.partition("| Match |")[2].partition("\n\n")[0]
    matches = re.findall(r"^\| `(.+?)` \|", table, re.MULTILINE)

    assert len(matches) > 5
    for match in matches:
        text = match.replace("\\|", "|")
        assert sessions.api("/v1/rules/parse", {"matchText": text})["matchText"] == text


def test_every_listed_block_exists_once() -> None:
    keys = [block.key for page in pages() for block in page.blocks]

    assert [key for key in NOT_EXECUTED if keys.count(key) != 1] == []


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_a_page_is_short_and_the_index_names_it(page: Page) -> None:
    assert len(page.text.splitlines()) <= LONGEST_PAGE
    assert f"(users/{page.name})" in (PROJECT / "docs" / "README.md").read_text()


def test_a_page_stops_at_the_first_failure(tmp_path: Path) -> None:
    path = tmp_path / "page"
    path.write_text("```sh\necho one\n```\n\n```sh\nfalse\n```\n\n```sh\necho three\n```\n")
    page = Page(path)

    result = run(page, Up("http://127.0.0.1:9", "", tmp_path), tmp_path / "session", set())

    assert not result.complete
    assert result.executed(page) == page.blocks[:1]


def test_a_shown_answer_differs_from_another_one() -> None:
    shown = {"id": "evt_…", "warnings": [], "status": "accepted"}

    assert is_like(shown, {"id": "evt_1", "warnings": [], "status": "accepted"})
    assert not is_like(shown, {"id": "evt_1", "warnings": [], "status": "duplicate"})
    assert not is_like(shown, {"id": "evt_1", "warnings": [], "status": "accepted", "more": 1})
    assert is_like({**shown, "…": "…"}, {"id": "evt_1", "warnings": [], "status": "accepted", "more": 1})
    assert not is_like({"n": 1}, {"n": True})


def test_answers_are_found_between_other_lines() -> None:
    assert list(answers('[1] 4711\nverified {\n{"a": [1]} 202\n')) == [[1], {"a": [1]}]
