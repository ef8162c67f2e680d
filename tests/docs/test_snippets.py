"""Snippets of single pages: each is passed to the part of the product that reads it."""

from __future__ import annotations

import inspect
import json
import re
import shlex
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from inbox.api.senders import sources
from inbox.config.settings import Settings
from inbox.destinations import apprise
from inbox.destinations.email import readable_body
from inbox.domain.explaining.notice_content import of_body
from inbox.mail.message import SenderIdentity, build_notice
from ops import dashboard
from ops.destination_pages import PAGES
from tests.api.events.senders import Sender
from tests.browser import Browser
from tests.cast import Cast, typeid
from tests.destinations.kinds.cases import CASES
from tests.destinations.kinds.notice_bodies import LINKS, body
from tests.docs.blocks import fence, fences
from tests.docs.sessions import is_like
from tests.house.test_settings import GOOD

OWN_TESTS = {"README", "webhook", "web_push"}
"""Pages whose blocks are compared in full."""

KINDS = sorted(path.stem for path in PAGES.glob("*.md") if path.stem not in OWN_TESTS)


def test_the_providers_of_the_page_are_accepted() -> None:
    block = fence("docs/configuration.md", "INBOX_OIDC_PROVIDERS=*")
    name, _, value = shlex.split(block.text)[0].partition("=")

    [provider] = Settings.from_env({**GOOD, name: value}).oidc_providers
    assert (provider.id, provider.name) == ("acme", "Acme")


def test_the_answer_to_an_event_has_this_form(app: Flask, cast: Cast) -> None:
    shown = json.loads(fence("docs/specification/04-events.md").text)

    answer = Sender(app, cast.key).post({"title": "Disk full"})

    assert answer.status_code == 202
    assert is_like(shown, answer.get_json())


def test_the_commands_of_destinations_are_accepted(browser: Callable[[str], Browser], cast: Cast) -> None:
    adam, workspace = browser("adam"), typeid("wsp", cast.workspace.id)
    slack = {"url": "https://hooks.slack.com/services/T000/B000/XXXX"}
    chat = {"workspaceId": workspace, "name": "Chat", "kind": "slack", "config": slack}
    created = adam.post("/v1/destinations", chat).get_json()
    commands = [each for each in fences() if each.document == "docs/destinations/README.md"]

    for command in commands:
        path, order = _called(command.text.replace("$CHAT", created["id"]))
        answer = adam.patch(path, order)
        assert answer.status_code == 200, (str(command), answer.text)
        assert is_like({**order, "…": "…"}, answer.get_json())

    assert len(commands) == 2


def _called(command: str) -> tuple[str, Any]:
    """The path and the body of `ask -X PATCH $INBOX/path -d 'body'`."""
    ask, option, method, url, data, order = shlex.split(command)
    assert (ask, option, method, data) == ("ask", "-X", "PATCH", "-d")
    return url.removeprefix("$INBOX"), json.loads(order)


@pytest.mark.parametrize("kind", KINDS)
def test_the_message_of_a_page_has_the_texts_of_the_request(kind: str) -> None:
    texts = "\n".join([*_texts(kind), *(link.label for link in LINKS)]).replace("\\", "").casefold()

    message = fence(f"docs/destinations/{kind}.md", "*Disk full*").text
    parts = [part.casefold().rstrip(":") for part in re.split(r"\s+|·", message) if part]

    assert len(parts) > 3
    assert [part for part in parts if part not in texts] == []


def _texts(kind: str) -> Iterator[str]:
    """The names and values in the requests of a first notice."""
    content = of_body(body())
    if kind == "apprise":
        yield from apprise.layout(content).values()
    elif kind == "email":
        mail = build_notice(content, SenderIdentity("Inbox", "x", "inbox@example.org"), to="a@b.example", id="d")
        yield f"Subject: {mail['Subject']}\n{readable_body(mail)}"
    else:
        for case in (each for each in CASES.values() if each.kind == kind):
            yield from _leaves(json.loads((case.folder / f"{case.name}.json").read_text())["first opened usual"])


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from _leaves(each)
    else:
        yield str(value)


def test_the_endpoint_of_the_page_is_one_of_the_service() -> None:
    assert fence("docs/engineers/patterns.md", "@blp.route*").text == inspect.getsource(sources.read)


@pytest.mark.slow
def test_the_screen_of_the_page_has_no_fault_of_types(tmp_path: Path) -> None:
    if not (dashboard.MODULES / ".bin" / "tsc").exists() or not dashboard.CLIENT.exists():
        pytest.skip("the packages and the client of the dashboard are not there; bin/check makes them")
    (tmp_path / "node_modules").symlink_to(dashboard.MODULES)
    (tmp_path / "screen.tsx").write_text(fence("web/README.md").text)
    options = {"incremental": False, "tsBuildInfoFile": None, "paths": {"@/*": [f"{dashboard.WEB}/src/*"]}}
    config = {"extends": f"{dashboard.WEB}/tsconfig.json", "compilerOptions": options, "include": ["screen.tsx"]}
    (tmp_path / "tsconfig.json").write_text(json.dumps(config))

    done = subprocess.run(
        [dashboard.node(), dashboard.MODULES / ".bin" / "tsc", "--noEmit", "--project", tmp_path],
        cwd=dashboard.WEB, capture_output=True, text=True, timeout=900, check=False,
    )  # fmt: skip

    assert done.returncode == 0, done.stdout
