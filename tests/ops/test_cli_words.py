"""Texts of `bin/inbox`: the next step for a new key, and empty lists."""

from __future__ import annotations

import os
import re
from pathlib import Path

import peewee
import pytest
from flask import Flask

from inbox.config.settings import Settings, variable
from tests.api.events.senders import Sender
from tests.cast import Cast
from tests.ops.conftest import Run
from tests.ops.preloaded import Preloaded

pytestmark = pytest.mark.slow

LISTS = {
    "user list": "No account exists yet.",
    "source list": "No source has a key yet.",
    "events quarantined": "No event is in quarantine.",
}


def test_a_new_key_is_shown_once_and_with_the_line_that_sends_an_event(inbox: Run, cast: Cast, app: Flask) -> None:
    stated = inbox("source", "create", "Backups", "--workspace", "acme").stdout
    [key] = set(re.findall(r"svc_src_\w+", stated))

    assert "The key is shown only once" in stated
    assert f"curl http://127.0.0.1:8080/v1/events -H 'Authorization: Bearer {key}' \\\n" in stated
    Sender(app, key).stored({"title": "Backup of db-1 failed"})


@pytest.mark.parametrize("words", LISTS)
def test_an_empty_list_says_so_and_json_stays_json(
    words: str, ground: peewee.Database, settings: Settings, tmp_path: Path, preloaded: Preloaded
) -> None:
    needed = {
        variable(name): getattr(settings, name) for name in ("database_url", "redis_url", "secret_keys", "signing_key")
    }
    environment = needed | {"INBOX_DATA_DIR": str(tmp_path), "PATH": os.environ["PATH"]}

    def run(*options: str) -> str:
        done = preloaded.run([*words.split(), *options], environment, "")
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert run().startswith(LISTS[words])
    assert run("--json") == "[]\n"
